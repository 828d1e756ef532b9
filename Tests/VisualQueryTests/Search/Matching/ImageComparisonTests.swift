import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct ImageComparisonTests {
  /// Would break if keypoints that agree by chance, or in a part only, hid that the colors of two images whose hashes
  /// agree are equal.
  @Test func `the colors of images whose hashes agree are compared as a whole, too`() throws {
    let picture = SyntheticPicture.scene(width: 300, height: 300, seed: 9)
    var writer = SegmentWriter()
    writer.append(Signature(picture), key: 1)
    let segment = try SignatureSegment(bytes: writer.encoded())
    let image = StoredImage(segment: segment, row: 0)
    func comparison(_ query: PixelBuffer) -> ImageComparison {
      ImageComparison(
        QuerySignature(query), in: [LiveSegment(segment)], outside: [])
    }
    let pixels = SyntheticPicture.rgba(picture)
    let upsideDown = stride(from: pixels.count - 4, through: 0, by: -4).flatMap {
      pixels[$0..<$0 + 4]
    }
    let turned = comparison(
      try PixelBuffer(width: 300, height: 300, format: .rgba8, bytes: upsideDown))
    var other = turned.measure(image)
    turned.verify(&other, image, isMirrored: false)
    #expect((other.alignment?.inliers ?? 0) > 20)

    let whole = comparison(picture)
    var measured = whole.measure(image)
    #expect(measured.hash > 0.9)
    measured.alignment = other.alignment
    whole.compareColors(&measured, image)
    #expect(try #require(measured.residual) < 0.02)
  }
}
