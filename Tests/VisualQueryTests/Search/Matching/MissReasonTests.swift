import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct MissReasonTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func reason(
    _ id: String, in picture: PixelBuffer, _ options: MatchOptions
  ) async throws -> MissReason? {
    let matcher = Matcher(unhurried: try await Self.shared.value.1)
    let content = SemanticContent(pixelBuffer: picture)
    return try await matcher.diagnosis(
      of: EntityID(type: .product, value: id), in: content, options: options
    ).missReason
  }

  private func picture(_ path: String) throws -> PixelBuffer {
    try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: path), longerSide: QuerySignature.workingSide)
  }

  /// A query, and the reason why it misses an entity.
  struct MissCase: CustomTestStringConvertible, Sendable {
    let reason: MissReason?
    var id = "mug-blue"
    var isQueryFlat = false
    var minimumConfidence: Double?
    var limit = 8

    var testDescription: String { reason?.rawValue ?? "first match" }
  }

  /// Would break if `vq why-not` blamed the wrong part of the search.
  @Test(arguments: [
    MissCase(reason: nil, id: "mug-red"),
    MissCase(reason: .notIndexed, id: "no-such-id"),
    MissCase(reason: .outranked, id: "tote-rust", minimumConfidence: 0),
    MissCase(reason: .capped, minimumConfidence: 0, limit: 1),
    MissCase(reason: .tooFlat, id: "mug-red", isQueryFlat: true, minimumConfidence: 1),
    MissCase(reason: .belowCutOff, id: "mug-red", minimumConfidence: 1),
    MissCase(reason: .failedGeometry, id: "oats", minimumConfidence: 1),
  ])
  func `a query for the red mug misses an entity for a reason`(miss: MissCase) async throws {
    let query =
      miss.isQueryFlat
      ? try PixelBuffer(
        width: 40, height: 40, format: .gray8, bytes: [UInt8](repeating: 128, count: 1600))
      : try picture(SampleShop.image("mug-red.jpg"))
    let options = MatchOptions(
      limit: miss.limit, minimumConfidence: miss.minimumConfidence, timeout: nil)
    #expect(try await reason(miss.id, in: query, options) == miss.reason)
  }

  @Test func `a diagnosis has the terms of the confidence`() async throws {
    let matcher = Matcher(unhurried: try await Self.shared.value.1)
    let content = SemanticContent(
      labels: ["mug"], pixelBuffer: try picture(SampleShop.query("q01-mug.jpg")))
    let found = try await matcher.diagnosis(
      of: EntityID(type: .product, value: "mug-red"), in: content,
      options: MatchOptions(timeout: nil))
    #expect(found.rank == 1 && found.first == found.id)
    let odds = found.evidence.reduce(0) { $0 + $1.weight }
    #expect(abs(Calibration.confidence(found.evidence) - (found.confidence ?? 0)) < 1e-12)
    #expect(odds > 0)
  }
}
