extension PixelBuffer {
  /// Returns the image with boxes filled from their borders, as RGBA: what lies in them is gone, and no edge
  /// takes its place. Returns `nil` if it was told to stop.
  ///
  /// Each pixel is the mean of the four borders of its box, each smoothed along its length and weighted by the
  /// inverse of its distance. Borders outside the image do not count; a box of the whole image becomes white.
  ///
  /// - Parameter shouldStop: Asked for every ``AskingPace/pixels`` pixels of boxes.
  /// - Complexity: O(pixels of the boxes).
  package func filling(_ boxes: [ImageBox], shouldStop: () -> Bool) -> PixelBuffer? {
    var pixels = packedRGBA
    for box in boxes {
      func pixel(_ share: Double, _ side: Int) -> Int {
        Int((max(0, min(1, share)) * Double(side)).rounded())
      }
      let columns = pixel(box.x, width)..<max(pixel(box.x, width), pixel(box.x + box.width, width))
      let rows = pixel(box.y, height)..<max(pixel(box.y, height), pixel(box.y + box.height, height))
      if columns.isEmpty || rows.isEmpty { continue }
      let filling = BoxFilling(columns, rows, of: pixels, width: width, height: height)
      guard filling.fill(&pixels, shouldStop) else { return nil }
    }
    return PixelBuffer(pixels: pixels, width: width, height: height)
  }
}

/// The borders of a box within RGBA pixels.
private struct BoxFilling {
  /// A border is smoothed over this share of its length.
  private static let smoothing = 8

  private let columns: Range<Int>
  private let rows: Range<Int>
  private let width: Int
  /// The smoothed pixels beside each row and column, or `nil` at the edge of the image.
  private let left, right, top, bottom: [SIMD4<Float>]?

  init(_ columns: Range<Int>, _ rows: Range<Int>, of pixels: [UInt8], width: Int, height: Int) {
    (self.columns, self.rows, self.width) = (columns, rows, width)
    func color(_ x: Int, _ y: Int) -> SIMD4<Float> {
      let start = 4 * (y * width + x)
      return SIMD4(Float(pixels[start]), Float(pixels[start + 1]), Float(pixels[start + 2]), 255)
    }
    func column(_ x: Int) -> [SIMD4<Float>]? {
      x < 0 || x >= width ? nil : Self.smoothed(rows.map { color(x, $0) })
    }
    func row(_ y: Int) -> [SIMD4<Float>]? {
      y < 0 || y >= height ? nil : Self.smoothed(columns.map { color($0, y) })
    }
    (left, right) = (column(columns.lowerBound - 1), column(columns.upperBound))
    (top, bottom) = (row(rows.lowerBound - 1), row(rows.upperBound))
  }

  private static func smoothed(_ line: [SIMD4<Float>]) -> [SIMD4<Float>] {
    let reach = line.count / smoothing
    var sums = [SIMD4<Float>.zero]
    for color in line { sums.append(sums.last! + color) }
    return line.indices.map { index in
      let (from, to) = (max(0, index - reach), min(line.count, index + reach + 1))
      return (sums[to] - sums[from]) / Float(to - from)
    }
  }

  /// - Returns: False if it was told to stop.
  func fill(_ pixels: inout [UInt8], _ shouldStop: () -> Bool) -> Bool {
    var pace = AskingPace()
    // Weights by distance, less one.
    let weights = (1...max(columns.count, rows.count)).map { 1 / Float($0) }
    for (down, y) in rows.enumerated() {
      if pace.isTime(after: columns.count), shouldStop() { return false }
      var start = 4 * (y * width + columns.lowerBound)
      for across in 0..<columns.count {
        var (sum, total) = (SIMD4<Float>.zero, Float(0))
        func add(_ border: [SIMD4<Float>]?, _ index: Int, _ weight: Float) {
          guard let border else { return }
          sum += weight * border[index]
          total += weight
        }
        add(left, down, weights[across])
        add(right, down, weights[columns.count - 1 - across])
        add(top, across, weights[down])
        add(bottom, across, weights[rows.count - 1 - down])
        let color = total == 0 ? SIMD4(repeating: 255) : sum / total
        let bytes = SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(color + 0.5))
        for channel in 0..<4 { pixels[start + channel] = bytes[channel] }
        start += 4
      }
    }
    return true
  }
}
