import PixelMatch
import Testing

@testable import ShopIndex
import VisualQuery

/// Equal images, which are analyzed once.
@Suite struct ImageAnalysesTests {
  @Test func `a signature and a thumbnail are computed once for each content and size`() throws {
    let analyses = ImageAnalyses()
    let pixels = try PixelBuffer(
      width: 8, height: 8, format: .rgba8, bytes: Array(repeating: 200, count: 256))
    var (signatures, thumbnails) = (0, 0)
    for number in 0..<6 {
      let content = ImageAnalyses.Content(byteCount: number % 2, hash: 1)
      _ = try analyses.signature(of: content) {
        signatures += 1
        return Signature(pixels)
      }
      let thumbnail = try analyses.thumbnail(of: content, side: 100 + number % 3) {
        thumbnails += 1
        return KeptThumbnails.Thumbnail(side: 100 + number % 3, jpeg: [UInt8(number)])
      }
      #expect(thumbnail.side == 100 + number % 3)
    }
    #expect(signatures == 2 && thumbnails == 6)
    #expect(throws: DecodeError.self) {
      try analyses.signature(of: ImageAnalyses.Content(byteCount: 9, hash: 9)) {
        () throws(DecodeError) in throw DecodeError(code: .cancelled, message: "")
      }
    }
  }
}
