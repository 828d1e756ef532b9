/// The rotation or reflection that makes a stored image upright (EXIF 2.32, tag 0x0112).
package enum Orientation: UInt8, Sendable, Hashable, CaseIterable {
  /// Stored upright.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Rotated by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored along the diagonal from top left to bottom right.
  case leftMirrored = 5
  /// To be rotated by 90° clockwise.
  case right = 6
  /// Mirrored along the other diagonal.
  case rightMirrored = 7
  /// To be rotated by 90° counterclockwise.
  case left = 8

  /// A Boolean value that indicates whether width and height are swapped.
  package var swapsSides: Bool { rawValue >= 5 }
}

extension PixelBuffer {
  /// Returns the upright image, or the image itself if it is already upright; `nil` if it was told to stop.
  ///
  /// - Complexity: O(pixels); makes a copy in RGBA.
  func upright(from orientation: Orientation, _ shouldStop: () -> Bool) -> PixelBuffer? {
    if orientation == .up { return self }
    let (columns, rows) = orientation.swapsSides ? (height, width) : (width, height)
    var turned = [UInt8](repeating: 255, count: 4 * width * height)
    let (lastX, lastY) = (width - 1, height - 1)
    let isWhole = forEachRGBARow(until: shouldStop) { row, y in
      for x in 0..<width {
        let (column, line) =
          switch orientation {
          case .up: (x, y)
          case .upMirrored: (lastX - x, y)
          case .down: (lastX - x, lastY - y)
          case .downMirrored: (x, lastY - y)
          case .leftMirrored: (y, x)
          case .right: (lastY - y, x)
          case .rightMirrored: (lastY - y, lastX - x)
          case .left: (y, lastX - x)
          }
        let target = 4 &* (line &* columns &+ column)
        for channel in 0..<3 { turned[target &+ channel] = row[4 &* x &+ channel] }
      }
    }
    return isWhole ? PixelBuffer(pixels: turned, width: columns, height: rows) : nil
  }
}
