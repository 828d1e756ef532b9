public import PixelMatch

extension SyntheticPicture {
  /// Rectangles of random colors, one over the other: many corners, the same on every processor.
  public static func scene(width: Int, height: Int, seed: UInt64) -> PixelBuffer {
    var generator = SeededGenerator(seed: seed)
    var bytes = [UInt8](repeating: 255, count: 4 * width * height)
    for _ in 0..<160 {
      let color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let (left, top) = (
        Int.random(in: -40..<width, using: &generator),
        Int.random(in: -40..<height, using: &generator)
      )
      let right = left + .random(in: 12...90, using: &generator)
      let bottom = top + .random(in: 12...90, using: &generator)
      for y in max(0, top)..<max(0, min(height, bottom)) {
        for x in max(0, left)..<max(0, min(width, right)) {
          for channel in 0..<3 { bytes[4 * (y * width + x) + channel] = color[channel] }
        }
      }
    }
    return picture(bytes, width, height)
  }

  /// A picture seen through a map of its plane, on grey.
  ///
  /// - Parameter source: Returns the place in `picture` that a place of the result comes from.
  public static func warped(
    _ picture: PixelBuffer, width: Int, height: Int,
    source: (_ x: Double, _ y: Double) -> SIMD2<Double>
  ) -> PixelBuffer {
    let pixels = rgba(picture)
    var bytes = [UInt8](repeating: 255, count: 4 * width * height)
    for y in 0..<height {
      for x in 0..<width {
        let place = source(Double(x) + 0.5, Double(y) + 0.5) - 0.5
        for channel in 0..<3 {
          bytes[4 * (y * width + x) + channel] = sample(
            pixels, picture.width, picture.height, place, channel)
        }
      }
    }
    return Self.picture(bytes, width, height)
  }

  /// The pixels of a picture as RGBA, row-major.
  public static func rgba(_ picture: PixelBuffer) -> [UInt8] {
    var bytes: [UInt8] = []
    picture.forEachRGBARow { row, _ in for index in row.indices { bytes.append(row[index]) } }
    return bytes
  }

  /// Between the four pixels around a place; grey outside.
  private static func sample(
    _ pixels: [UInt8], _ width: Int, _ height: Int, _ place: SIMD2<Double>, _ channel: Int
  ) -> UInt8 {
    let left = Int(place.x.rounded(.down))
    let top = Int(place.y.rounded(.down))
    guard left >= 0, top >= 0, left + 1 < width, top + 1 < height else { return 128 }
    let across = place.x - Double(left)
    let down = place.y - Double(top)
    func value(_ x: Int, _ y: Int) -> Double { Double(pixels[4 * (y * width + x) + channel]) }
    let upper = value(left, top) * (1 - across) + value(left + 1, top) * across
    let lower = value(left, top + 1) * (1 - across) + value(left + 1, top + 1) * across
    return UInt8((upper * (1 - down) + lower * down).rounded())
  }

  /// A picture of row-major RGBA bytes.
  public static func picture(_ bytes: [UInt8], _ width: Int, _ height: Int) -> PixelBuffer {
    guard let picture = try? PixelBuffer(width: width, height: height, format: .rgba8, bytes: bytes)
    else { preconditionFailure("a drawn picture has as many bytes as pixels") }
    return picture
  }
}
