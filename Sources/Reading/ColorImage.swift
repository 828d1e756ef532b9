internal import PixelMatch

/// The pixels of an image as models take them: sampled along any two directions.
struct ColorImage: Sendable {
  let width: Int
  let height: Int
  /// RGBA, row by row.
  private let pixels: [UInt8]

  init(_ image: PixelBuffer) {
    width = image.width
    height = image.height
    var pixels = [UInt8](repeating: 255, count: 4 * width * height)
    let rowLength = 4 * width
    image.forEachRGBARow { row, y in
      var output = pixels.mutableSpan
      let start = y * rowLength
      for index in 0..<rowLength { output[start &+ index] = row[index] }
    }
    self.pixels = pixels
  }

  /// A parallelogram of the image, in pixels.
  struct Frame {
    /// The corner from which both sides begin.
    var origin: SIMD2<Float>
    var across: SIMD2<Float>
    var down: SIMD2<Float>
  }

  /// The most samples along one direction that are averaged for a pixel.
  private static let sampleLimit: Float = 4

  /// Returns a part of the image in another size: three planes, blue, green and red, of values from −1 to 1.
  func planes(of frame: Frame, width: Int, height: Int) -> [Float] {
    let size = width * height
    var planes = [Float](repeating: 0, count: 3 * size)
    let across = frame.across / Float(width)
    let down = frame.down / Float(height)
    func count(_ step: SIMD2<Float>) -> Int {
      Int(max(1, min(Self.sampleLimit, ((step * step).sum().squareRoot() - 0.25).rounded())))
    }
    let (columns, rows) = (count(across), count(down))
    let scale = 1 / Float(columns * rows)
    var output = planes.mutableSpan
    for y in 0..<height {
      for x in 0..<width {
        var sum = SIMD4<Float>()
        for row in 0..<rows {
          let dy = Float(y) + (Float(row) + 0.5) / Float(rows)
          for column in 0..<columns {
            let dx = Float(x) + (Float(column) + 0.5) / Float(columns)
            sum += color(at: frame.origin + dx * across + dy * down)
          }
        }
        let value = sum * (scale / 127.5) - 1
        let place = y &* width &+ x
        output[place] = value[2]
        output[place &+ size] = value[1]
        output[place &+ 2 &* size] = value[0]
      }
    }
    return planes
  }

  /// Returns the color at a place, between pixels a mixture of four. Outside, the image goes on as at its border.
  @inline(__always)
  private func color(at place: SIMD2<Float>) -> SIMD4<Float> {
    let x = max(0, min(Float(width - 1), place.x - 0.5))
    let y = max(0, min(Float(height - 1), place.y - 0.5))
    let (left, top) = (Int(x), Int(y))
    let (right, bottom) = (min(left &+ 1, width &- 1), min(top &+ 1, height &- 1))
    let (fx, fy) = (x - Float(left), y - Float(top))
    let upper = pixel(left, top) * (1 - fx) + pixel(right, top) * fx
    let lower = pixel(left, bottom) * (1 - fx) + pixel(right, bottom) * fx
    return upper * (1 - fy) + lower * fy
  }

  @inline(__always)
  private func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let bytes = pixels.span
    let place = 4 &* (y &* width &+ x)
    return SIMD4(
      Float(bytes[place]), Float(bytes[place &+ 1]), Float(bytes[place &+ 2]),
      Float(bytes[place &+ 3]))
  }
}
