import PixelMatch
import TestSupport
import Testing
import VisualQuery

/// The same picture gives the same answer in whatever color space its file or its pixels are.
@Suite struct ColorSpaceMatchTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  struct Answer {
    let isFirst: Bool
    let confidence: Double
    let color: Double
  }

  private func answer(_ content: SemanticContent, _ thing: String) async throws -> Answer {
    let matcher = Matcher(unhurried: try await Self.shared.value.1)
    let response = try await matcher.values(
      for: content, options: MatchOptions(minimumConfidence: 0, timeout: nil))
    let match = try #require(response.matches.first { $0.value.id.value == thing })
    let first = try #require(response.matches.first { $0.value.id.type == .product })
    return Answer(
      isFirst: match.value.id == first.value.id, confidence: match.confidence,
      color: match.evidence.first { $0.kind == .color }?.value ?? 0)
  }

  struct Photo: CustomTestStringConvertible, Sendable {
    let name: String
    let thing: String
    /// Two things are equally sure in some photos: either may come first.
    var isAlone = true
    /// The largest difference of the confidences, or `nil` for an answer that is not sure: the last bit of a
    /// pixel adds or removes a keypoint, and with it some of the confidence. Its color is then that of the part
    /// that keypoints outline.
    let tolerance: Double?
    var testDescription: String { name }
  }

  @Test(
    arguments: [
      Photo(name: "q03-bottle", thing: "bottle-orange", isAlone: false, tolerance: nil),
      Photo(name: "q04-tote", thing: "tote-rust", tolerance: 0.03),
      Photo(name: "q05-sneaker", thing: "sneaker-navy", tolerance: nil),
      Photo(name: "q06-oats", thing: "oats", isAlone: false, tolerance: 0.03),
      Photo(name: "q08-lantern", thing: "lantern", tolerance: 0.03),
    ])
  func `a photo has the same answer in every color space`(photo named: Photo) async throws {
    let bytes = try ImageDecoder().contents(ofFile: SampleShop.query("\(named.name).jpg"))
    let photo = try ImageDecoder().decode(bytes, longerSide: 768)
    var pixels: [UInt8] = []
    photo.forEachRGBARow { row, _ in for index in row.indices { pixels.append(row[index]) } }
    func buffer(_ bytes: [UInt8], _ space: RGBColorSpace = .sRGB) throws -> PixelBuffer {
      try PixelBuffer(
        width: photo.width, height: photo.height, format: .rgba8, colorSpace: space, bytes: bytes)
    }
    let standard = try await answer(
      SemanticContent(decoding: buffer(pixels).jpeg(quality: 95)), named.thing)
    func check(_ found: Answer, _ space: String) {
      #expect(found.isFirst == standard.isFirst || !named.isAlone, "\(space)")
      #expect(
        abs(found.color - standard.color) <= (named.tolerance == nil ? 0.15 : 0.04), "\(space)")
      if let tolerance = named.tolerance {
        #expect(abs(found.confidence - standard.confidence) <= tolerance, "\(space)")
      }
    }
    for space in [ColorProfileFile.sRGB, .displayP3, .adobeRGB, .proPhoto] {
      let file = ProfiledJPEG.file(
        try buffer(space.pixels(of: pixels)).jpeg(quality: 95), profile: space.bytes)
      check(try await answer(SemanticContent(decoding: file), named.thing), space.name)
    }
    let wide = try buffer(ColorProfileFile.displayP3.pixels(of: pixels), .displayP3)
    check(
      try await answer(SemanticContent(pixelBuffer: wide), named.thing), "a buffer in Display P3")
  }
}
