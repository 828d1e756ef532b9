import CoreVideo
import Foundation
import PixelMatch
import Testing
import VisualQueryClient

@testable import AppClient

/// Would break if a camera's pixels were read in another order, with their padding, or in another color space.
@Suite struct PhoneSignatureTests {
  /// Rows of `rowBytes` bytes with padding of `padding` bytes, and the same without.
  private func rows(
    _ count: Int, _ rowBytes: Int, padding: Int
  ) -> (padded: [UInt8], plain: [UInt8]) {
    var (padded, plain): ([UInt8], [UInt8]) = ([], [])
    for row in 0..<count {
      let bytes = (0..<rowBytes).map { UInt8(truncatingIfNeeded: row * 31 + $0 * 7) }
      plain += bytes
      padded += bytes + [UInt8](repeating: 0xEE, count: padding)
    }
    return (padded, plain)
  }

  @Test(arguments: [0, 12, 64])
  func `pixels in one plane are copied without padding`(padding: Int) throws {
    let (padded, plain) = rows(5, 4 * 7, padding: padding)
    for (type, format) in [
      (kCVPixelFormatType_32BGRA, PixelFormat.bgra8), (kCVPixelFormatType_32RGBA, .rgba8),
    ] {
      let buffer = CVPixelBuffer(
        standInFormat: type, width: 7, height: 5, planes: [(padded, 28 + padding)],
        attachments: [kCVImageBufferColorPrimariesKey: kCVImageBufferColorPrimaries_P3_D65])
      let pixels = try #require(PixelBuffer(buffer))
      #expect(pixels.bytes == plain && pixels.format == format && pixels.bytesPerRow == 28)
      #expect((pixels.width, pixels.height) == (7, 5) && pixels.colorSpace == .displayP3)
    }
  }

  @Test(arguments: [(8, 6), (7, 5), (2, 2), (1, 1)])
  func `planes of the camera may have rows of different lengths`(width: Int, height: Int) throws {
    let luma = rows(height, width, padding: 20)
    let pairs = (width + 1) / 2
    let chroma = rows((height + 1) / 2, 2 * pairs, padding: 4)
    let buffer = CVPixelBuffer(
      standInFormat: kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, width: width, height: height,
      planes: [(luma.padded, width + 20), (chroma.padded, 2 * pairs + 4)],
      attachments: [kCVImageBufferYCbCrMatrixKey: kCVImageBufferYCbCrMatrix_ITU_R_709_2])
    let pixels = try #require(PixelBuffer(buffer))
    #expect(pixels.format == .nv12FullRange && pixels.yCbCrMatrix == .bt709)
    #expect(pixels.colorSpace == .sRGB && pixels.bytesPerRow == 2 * pairs)
    for row in 0..<height {
      #expect(
        pixels.bytes[(row * 2 * pairs)...].prefix(width)
          .elementsEqual(luma.plain[(row * width)...].prefix(width)))
    }
    #expect(pixels.bytes[(height * 2 * pairs)...].elementsEqual(chroma.plain))
  }

  @Test func `an unknown format has no signature, and its picture stays on the device`() throws {
    let buffer = CVPixelBuffer(
      standInFormat: 0x7834_3230, width: 2, height: 2, planes: [([0, 0], 2), ([0, 0], 2)])
    #expect(PhoneSignature.text(of: buffer) == nil)
    let shop = ShopSearch(
      ServiceConfiguration(address: try #require(URL(string: "http://127.0.0.1:1/"))),
      signing: PhoneSignature.text)
    #expect(throws: UnreadableImage.self) { try shop.image(ofPixels: buffer) }
    #expect(throws: UnreadableImage.self) { try shop.image(ofFile: Data()) }
    guard case .signature = try shop.image(ofFile: Data([1])) else {
      Issue.record("a picture would leave the device")
      return
    }
  }
}
