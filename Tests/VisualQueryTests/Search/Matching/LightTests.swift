import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// Asks for things in a light that their images do not have.
@Suite struct LightTests {
  /// A light as a factor and a veil of each channel.
  struct Light: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let gain: [Double]
    let veil: Double

    func falls(on picture: PixelBuffer) throws -> PixelBuffer {
      var bytes = SyntheticPicture.rgba(picture)
      for index in bytes.indices where index % 4 < 3 {
        bytes[index] = UInt8(max(0, min(255, Double(bytes[index]) * gain[index % 4] + veil)))
      }
      return try PixelBuffer(
        width: picture.width, height: picture.height, format: .rgba8, bytes: bytes)
    }
  }

  private static let lights = [
    Light(testDescription: "veil", gain: [0.75, 0.75, 0.75], veil: 50),
    Light(testDescription: "shade", gain: [0.72, 0.92, 1], veil: 0),
    Light(testDescription: "tungsten", gain: [1, 0.84, 0.58], veil: 0),
  ]

  private func answer(
    to picture: PixelBuffer, without missing: String? = nil
  ) async throws -> MatchResponse {
    let folder = try TemporaryDirectory()
    let rows = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
      .split(separator: "\n").filter { row in
        missing.map { !row.contains("\"id\": \"\($0)\"") } ?? true
      }
    let feed = try folder.write(rows.joined(separator: "\n") + "\n", to: "catalogue.jsonl")
    _ = try await Indexer(directory: folder.path + "/shop.vq").run(
      path: feed, imagesRoot: SampleShop.folder.path + "/shop")
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    return try await matcher.values(
      for: SemanticContent(pixelBuffer: picture),
      options: MatchOptions(types: [.product], timeout: nil))
  }

  private static let things = ["mug-red", "lamp-teal", "sneaker-navy", "tea-mint", "bottle-orange"]

  /// Would break if a cast or a veil was taken for another color of the thing.
  @Test(arguments: lights, things) func `a thing is found in another light`(
    light: Light, id: String
  ) async throws {
    let picture = try light.falls(on: PictureCanvas.product(id, longerSide: 512))
    let answer = try await answer(to: picture)
    #expect(answer.matches.first?.value.id.value == id)
  }

  /// Would break if the neutral light made a sibling in another color fit.
  @Test(arguments: lights, things) func `nothing is sure of another color in another light`(
    light: Light, id: String
  ) async throws {
    let picture = try light.falls(on: PictureCanvas.product(id, longerSide: 512))
    let answer = try await answer(to: picture, without: id)
    #expect(answer.matches.map(\.value.id.value) == [])
  }
}
