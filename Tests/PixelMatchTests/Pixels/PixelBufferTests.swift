import PixelMatch
import TestSupport
import Testing

@Suite struct PixelBufferTests {
  struct BadGeometry: CustomTestStringConvertible, Sendable {
    let width, height: Int
    let bytesPerRow: Int?
    let format: PixelFormat
    let count: Int
    let code: PixelBufferError.Code
    var testDescription: String { "\(width)×\(height) \(format) \(bytesPerRow ?? 0) \(count)" }
  }

  @Test(arguments: [
    BadGeometry(width: 0, height: 4, bytesPerRow: nil, format: .rgba8, count: 99, code: .badSize),
    BadGeometry(width: 4, height: -1, bytesPerRow: nil, format: .rgba8, count: 99, code: .badSize),
    BadGeometry(width: .max, height: 4, bytesPerRow: nil, format: .gray8, count: 9, code: .badSize),
    BadGeometry(
      width: 4, height: 4, bytesPerRow: 15, format: .rgba8, count: 99, code: .badBytesPerRow),
    BadGeometry(
      width: 4, height: 4, bytesPerRow: .max, format: .rgb8, count: 99, code: .badBytesPerRow),
    BadGeometry(
      width: 4, height: 4, bytesPerRow: nil, format: .rgba8, count: 63, code: .notEnoughBytes),
    BadGeometry(
      width: 4, height: 4, bytesPerRow: 20, format: .bgra8, count: 75, code: .notEnoughBytes),
    BadGeometry(
      width: 4, height: 3, bytesPerRow: nil, format: .nv12FullRange, count: 19,
      code: .notEnoughBytes),
  ])
  func `bad geometry is refused by name`(bad: BadGeometry) {
    let error = #expect(throws: PixelBufferError.self) {
      try PixelBuffer(
        width: bad.width, height: bad.height, bytesPerRow: bad.bytesPerRow, format: bad.format,
        bytes: [UInt8](repeating: 0, count: bad.count))
    }
    #expect(error?.code == bad.code)
  }

  @Test(arguments: [PixelFormat.rgba8, .bgra8, .rgb8, .gray8], [0, 1, 13])
  func `padded rows of every format give the same pixels`(format: PixelFormat, padding: Int) throws
  {
    let (width, height) = (7, 5)
    let source = SyntheticPicture.pattern(width: width, height: height, seed: 1)
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let pixel = Array(source[4 * (y * width + x)..<4 * (y * width + x) + 4])
        switch format {
        case .rgba8: bytes += pixel
        case .bgra8: bytes += [pixel[2], pixel[1], pixel[0], 255]
        case .rgb8: bytes += pixel[..<3]
        default: bytes.append(pixel[1])
        }
      }
      if y + 1 < height { bytes += [UInt8](repeating: 0xEE, count: padding) }
    }
    let perPixel = format == .rgb8 ? 3 : format == .gray8 ? 1 : 4
    let picture = try PixelBuffer(
      width: width, height: height, bytesPerRow: perPixel * width + padding, format: format,
      bytes: bytes)
    var expected = source
    if format == .gray8 {
      for pixel in 0..<width * height {
        for channel in 0..<3 { expected[4 * pixel + channel] = source[4 * pixel + 1] }
      }
    }
    #expect(rgba(picture) == expected)
  }

  @Test func `alpha is flattened on white`() throws {
    let picture = try PixelBuffer(
      width: 3, height: 1, format: .bgra8, bytes: [10, 20, 30, 0, 10, 20, 30, 128, 10, 20, 30, 255])
    #expect(rgba(picture) == [255, 255, 255, 255, 142, 137, 132, 255, 30, 20, 10, 255])
  }

  /// Compares with the formulas of ITU-R BT.601 and BT.709 in floating point.
  @Test(
    arguments: [PixelFormat.nv12VideoRange, .nv12FullRange], YCbCrMatrix.allCases)
  func `camera pixels convert as the standards say`(format: PixelFormat, matrix: YCbCrMatrix) throws
  {
    let (width, height, stride) = (5, 3, 8)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20 {
      let bytes = (0..<stride * (height + 2)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let picture = try PixelBuffer(
        width: width, height: height, bytesPerRow: stride, format: format, yCbCrMatrix: matrix,
        bytes: bytes)
      let pixels = rgba(picture)
      for y in 0..<height {
        for x in 0..<width {
          let chroma = (height + y / 2) * stride + x / 2 * 2
          let expected = rgb(
            Double(bytes[y * stride + x]), Double(bytes[chroma]), Double(bytes[chroma + 1]),
            format, matrix)
          for channel in 0..<3 {
            let actual = Double(pixels[4 * (y * width + x) + channel])
            #expect(abs(actual - expected[channel]) <= 1)
          }
        }
      }
    }
  }

  private func rgb(
    _ y: Double, _ cb: Double, _ cr: Double, _ format: PixelFormat, _ matrix: YCbCrMatrix
  ) -> [Double] {
    let (kr, kb) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
    let isVideo = format == .nv12VideoRange
    let luma = isVideo ? (y - 16) / 219 : y / 255
    let (pb, pr) = ((cb - 128) / (isVideo ? 224 : 255), (cr - 128) / (isVideo ? 224 : 255))
    let red = luma + 2 * (1 - kr) * pr
    let blue = luma + 2 * (1 - kb) * pb
    let green = (luma - kr * red - kb * blue) / (1 - kr - kb)
    return [red, green, blue].map { min(255, max(0, 255 * $0)) }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `reducing averages the area that each pixel covers`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let source = (
      width: Int.random(in: 1...40, using: &generator),
      height: Int.random(in: 1...40, using: &generator)
    )
    let limit = Int.random(in: 1...max(source.width, source.height), using: &generator)
    let bytes = SyntheticPicture.discs(
      width: source.width, height: source.height, count: 4, using: &generator)
    let picture = try PixelBuffer(
      width: source.width, height: source.height, format: .rgba8, bytes: bytes)
    let reduced = picture.reduced(toLongerSide: limit)
    #expect(max(reduced.width, reduced.height) == limit)
    let pixels = rgba(reduced)
    func overlap(_ a: Range<Double>, _ b: Range<Double>) -> Double {
      max(0, min(a.upperBound, b.upperBound) - max(a.lowerBound, b.lowerBound))
    }
    let (scaleX, scaleY) = (
      Double(source.width) / Double(reduced.width), Double(source.height) / Double(reduced.height)
    )
    for y in 0..<reduced.height {
      for x in 0..<reduced.width {
        var sum = 0.0
        for v in 0..<source.height {
          let down = overlap(Double(v)..<Double(v + 1), Double(y) * scaleY..<Double(y + 1) * scaleY)
          if down == 0 { continue }
          for u in 0..<source.width {
            let across = overlap(
              Double(u)..<Double(u + 1), Double(x) * scaleX..<Double(x + 1) * scaleX)
            sum += across * down * Double(bytes[4 * (v * source.width + u)])
          }
        }
        let expected = sum / (scaleX * scaleY)
        #expect(abs(Double(pixels[4 * (y * reduced.width + x)]) - expected) <= 0.51)
      }
    }
  }
}
