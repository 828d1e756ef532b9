import Foundation
public import PixelMatch

/// Lines of text for the models of ``ONNXModel``: letters are strips of one color.
public enum DrawnLine {
  /// Draws a line on black.
  ///
  /// - Parameters:
  ///   - letters: A and B, twice as wide as high.
  ///   - height: The height of the line, in pixels.
  ///   - degrees: The angle of the direction of reading, clockwise.
  public static func image(
    _ letters: String, width: Int = 160, height: Int = 128, lineHeight: Double = 10,
    degrees: Double = 0
  ) throws -> PixelBuffer {
    let (cosine, sine) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
    let letters = Array(letters)
    let length = 2 * lineHeight * Double(letters.count)
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let (dx, dy) = (Double(x) + 0.5 - Double(width) / 2, Double(y) + 0.5 - Double(height) / 2)
        let (along, across) = (dx * cosine + dy * sine, dy * cosine - dx * sine)
        var color: [UInt8] = [0, 0, 0]
        if abs(along) < length / 2, abs(across) < lineHeight / 2 {
          let letter = letters[Int((along + length / 2) / (2 * lineHeight))]
          color = letter == "A" ? [0, 255, 0] : [255, 0, 0]
        }
        bytes += color + [255]
      }
    }
    return try PixelBuffer(width: width, height: height, format: .rgba8, bytes: bytes)
  }
}
