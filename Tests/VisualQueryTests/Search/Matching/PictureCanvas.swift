import PixelMatch
import TestSupport

@testable import ShopSearch
import VisualQuery

/// A canvas of one color that images are pasted on.
struct PictureCanvas {
  let (width, height): (Int, Int)
  private(set) var bytes: [UInt8]

  init(_ picture: PixelBuffer) {
    (width, height) = (picture.width, picture.height)
    bytes = SyntheticPicture.rgba(picture)
  }

  init(width: Int, height: Int, gray: UInt8) {
    (self.width, self.height) = (width, height)
    bytes = [UInt8](repeating: gray, count: 4 * width * height)
    for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
  }

  mutating func paste(_ picture: PixelBuffer, x: Int, y: Int) {
    let pixels = SyntheticPicture.rgba(picture)
    for row in 0..<picture.height {
      let start = 4 * ((y + row) * width + x)
      bytes.replaceSubrange(
        start..<start + 4 * picture.width,
        with: pixels[4 * row * picture.width..<4 * (row + 1) * picture.width])
    }
  }

  var picture: PixelBuffer {
    get throws {
      try PixelBuffer(width: width, height: height, format: .rgba8, bytes: bytes)
    }
  }
}

extension PictureCanvas {
  /// The image of a product of the sample shop.
  static func product(_ id: String, longerSide: Int) throws -> PixelBuffer {
    let bytes = try ImageDecoder().contents(ofFile: SampleShop.image("\(id).jpg"))
    return try ImageDecoder().decode(bytes, longerSide: longerSide).reduced(
      toLongerSide: longerSide)
  }

  /// A page of products, three in a row.
  static func page(_ ids: [String]) throws -> PixelBuffer {
    var canvas = PictureCanvas(width: 800, height: 20 + 260 * ((ids.count + 2) / 3), gray: 255)
    for (index, id) in ids.enumerated() {
      canvas.paste(
        try product(id, longerSide: 240), x: 20 + index % 3 * 260, y: 20 + index / 3 * 260)
    }
    return try canvas.picture
  }
}
