import PixelMatch
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// What a fit of the shop does with confidences.
@Suite struct FittedConfidenceTests {
  private let folder: TemporaryDirectory

  init() async throws { folder = try await CatalogueTests.sampleCatalogue() }

  private static func fit(
    _ values: [ShopFit.Coefficient: Double], vectors: String? = nil,
    calibration: String = Calibration.mark
  ) -> ShopFit {
    ShopFit(values, calibration: calibration, vectors: vectors, photos: 100, products: 20)
  }

  private static let fits = [
    fit([:]), fit([.prior: 2, .temperature: 0.3]), fit([.prior: -3, .temperature: 2.5]),
    fit([.prior: -2, .temperature: 0.1, .labels: 0, .text: 3, .vector: 1]),
    fit([.prior: 8, .temperature: 3, .labels: 3, .text: 0, .vector: 3]),
  ]

  /// Would break if more evidence made an answer less sure, which the proofs of an early end rest on.
  @Test(arguments: fits)
  func `a fit never falls if a witness says more`(fit: ShopFit) {
    let steps = stride(from: -6.0, through: 14, by: 0.25).map { $0 }
    for other in [-2.0, 0, 1.5] {
      let rising: [[Testimony]] = [
        steps.map { Testimony(image: $0, labels: other, text: 0.5, vector: 1) },
        steps.map { Testimony(image: other, labels: $0, text: 0.5, vector: 1) },
        steps.map { Testimony(image: other, labels: 0.5, text: $0, vector: 1) },
        steps.map { Testimony(image: other, labels: 0.5, text: 0, vector: $0) },
      ]
      for testimonies in rising {
        let odds = testimonies.map(fit.logOdds)
        for (lower, higher) in zip(odds, odds.dropFirst()) { #expect(lower <= higher + 1e-12) }
      }
    }
  }

  @Test(arguments: fits)
  func `what is as sure as an answer shows stays so, and nothing else becomes it`(fit: ShopFit) {
    let highest = Calibration.highestShown
    for image in [highest, highest + 1, 20] {
      #expect(fit.logOdds(of: Testimony(image: image, vector: 4)) == image)
    }
    #expect(fit.logOdds(of: Testimony(image: highest - 0.5, labels: 0.4, vector: 4)) <= highest)
  }

  @Test func `the numbers of the general calibration change nothing`() {
    for image in stride(from: -8.0, through: 12, by: 0.5) {
      let seen = Testimony(image: image, labels: 0.5, text: -0.25, vector: 3)
      #expect(Self.fits[0].logOdds(of: seen) == seen.general)
    }
    #expect(!Self.fits[0].canMakeSure && Self.fits[1].canMakeSure)
    #expect(!Self.fit([.prior: -0.5]).canMakeSure && Self.fit([.labels: 0.5]).canMakeSure)
  }

  /// Would break if what the shop's own images taught made a photo of a customer surer, or a search end that has not seen it.
  @Test func `a careful fit makes nothing surer`() {
    for values in [
      [.prior: 2], [.prior: -3], [.temperature: 2], [.prior: 1, .temperature: 0.5], [:],
    ] as [[ShopFit.Coefficient: Double]] {
      let fit = ShopFit(
        values, calibration: Calibration.mark, vectors: nil, photos: 0, products: 0,
        isCareful: true)
      #expect(!fit.canMakeSure)
      let odds = stride(from: -6.0, through: 14, by: 0.25).map { image in
        (image, fit.logOdds(of: Testimony(image: image)))
      }
      #expect(odds.allSatisfy { $0.1 <= $0.0 })
      for (lower, higher) in zip(odds, odds.dropFirst()) { #expect(lower.1 <= higher.1 + 1e-12) }
    }
  }

  // MARK: Answers

  private static let everything = MatchOptions(
    limit: 100, typeLimits: [:], minimumConfidence: 0, timeout: nil)

  private func answer(
    _ fits: ShopFits?, options: MatchOptions = everything
  ) async throws -> MatchResponse {
    var matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    matcher.fits = fits
    let content = try SemanticContent(
      decoding: ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg")))
    return try await matcher.values(for: content, options: options)
  }

  private static func confidences(_ response: MatchResponse) -> [String] {
    response.matches.map { "\($0.value.id) \($0.confidence)" }
  }

  @Test func `an answer says what the fit did, and lists and order follow it`() async throws {
    let plain = try await answer(nil)
    let fitted = try await answer(ShopFits([Self.fit([.prior: -1, .temperature: 0.5])]))
    #expect(plain.matches.allSatisfy { !$0.evidence.contains { $0.kind == .fit } })
    let before = Dictionary(
      uniqueKeysWithValues: plain.matches.map { ($0.value.id, $0.confidence) })
    var fittedCount = 0
    for match in fitted.matches {
      guard let term = match.evidence.first(where: { $0.kind == .fit }) else { continue }
      fittedCount += 1
      let known = try #require(before[match.value.id])
      #expect(abs(term.value - known) < 1e-9)
      let odds = match.evidence.reduce(0) { $0 + $1.weight }
      #expect(abs(Calibration.probability(ofLogOdds: odds) - match.confidence) < 1e-9)
      if known < 0.8 { #expect(match.confidence != known) }
    }
    #expect(fittedCount > 1)
    #expect(
      fitted.matches.map(\.confidence) == fitted.matches.map(\.confidence).sorted(by: >))
  }

  /// Would break if a fit counted for questions that it was not made for.
  @Test
  func `a fit of other vectors, of another calibration or for another subject does not count`()
    async throws
  {
    let plain = Self.confidences(try await answer(nil))
    let lowering: [ShopFit.Coefficient: Double] = [.prior: -2]
    for other in [
      Self.fit(lowering, vectors: "image/model.onnx"), Self.fit(lowering, calibration: "00000000"),
    ] {
      #expect(Self.confidences(try await answer(ShopFits([other]))) == plain)
    }
    var catalogued = Self.everything
    catalogued.subject = .catalogued
    let fits = ShopFits([Self.fit(lowering)])
    #expect(
      Self.confidences(try await answer(fits, options: catalogued))
        == Self.confidences(try await answer(nil, options: catalogued)))
    #expect(Self.confidences(try await answer(fits)) != plain)
  }

  @Test func `what is possible is the same with and without a fit that makes nothing sure`()
    async throws
  {
    let options = MatchOptions(minimumConfidence: 1, timeout: nil)
    let plain = try await answer(nil, options: options)
    let fitted = try await answer(
      ShopFits([Self.fit([.prior: -0.5, .temperature: 0.8])]), options: options)
    #expect(plain.possible.map(\.value.id) == fitted.possible.map(\.value.id))
    #expect(plain.possible.map(\.confidence) == fitted.possible.map(\.confidence))
  }
}
