import PixelMatch
import TestSupport
import Testing
@testable import VisualQuery

@Suite struct LostStageTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func stage(
    of id: String, in picture: PixelBuffer, _ options: MatchOptions, labels: [String] = []
  ) async throws -> LostStage? {
    let matcher = Matcher(catalogue: try await Self.shared.value.1)
    let content = SemanticContent(labels: labels, pixelBuffer: picture)
    return try await matcher.diagnosis(
      of: EntityID(type: .product, value: id), in: content, options: options
    ).stage
  }

  private func picture(_ path: String) throws -> PixelBuffer {
    try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: path), longerSide: QuerySignature.workingSide)
  }

  @Test func `every stage that a shop can meet is named`() async throws {
    let mug = try picture(SampleShop.image("mug-red.jpg"))
    var options = MatchOptions(timeout: nil)
    #expect(try await stage(of: "mug-red", in: mug, options) == nil)
    #expect(try await stage(of: "no-such-id", in: mug, options) == .notIndexed)
    options.minimumConfidence = 0
    #expect(try await stage(of: "mug-blue", in: mug, options) == .outranked)
    options.limit = 1
    #expect(try await stage(of: "mug-blue", in: mug, options) == .capped)
    let grey = try PixelBuffer(
      width: 40, height: 40, format: .gray8, bytes: [UInt8](repeating: 128, count: 1600))
    options.minimumConfidence = 1
    #expect(try await stage(of: "mug-red", in: grey, options) == .tooFlat)
    #expect(try await stage(of: "mug-red", in: mug, options) == .belowCutOff)
    #expect(try await stage(of: "oats", in: mug, options) == .failedGeometry)
  }

  @Test func `a diagnosis has the terms of the confidence`() async throws {
    let matcher = Matcher(catalogue: try await Self.shared.value.1)
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
