/// Shrinks a picture whose rows come one by one, by exact averages of the area that each new pixel
/// covers.
///
/// Integer arithmetic throughout: a new pixel covers `sourceWidth` units of a row and
/// `sourceHeight` units down, of which an old pixel takes up to `width` and `height`.
public struct AreaReducer {
  /// Columns of the result.
  public let width: Int
  /// Rows of the result.
  public let height: Int
  private let sourceWidth: Int
  private let sourceHeight: Int
  private var sourceRow = 0
  /// The current source row, each new column's sum of its part.
  private var rowSums: [UInt32]
  /// The rows so far of the current result row.
  private var columnSums: [UInt64]
  private var output: [UInt8] = []

  /// Prepares to shrink `sourceWidth × sourceHeight` pixels to `width × height`.
  ///
  /// - Precondition: Every side is at least 1 and at most ``PixelBuffer/sideLimit``, and no result
  ///   side is longer than the source's.
  public init(sourceWidth: Int, sourceHeight: Int, width: Int, height: Int) {
    precondition((1...sourceWidth).contains(width) && (1...sourceHeight).contains(height))
    precondition(max(sourceWidth, sourceHeight) <= PixelBuffer.sideLimit)
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    self.width = width
    self.height = height
    rowSums = [UInt32](repeating: 0, count: 4 * width)
    columnSums = [UInt64](repeating: 0, count: 4 * width)
    output.reserveCapacity(4 * width * height)
  }

  /// The size of a picture whose longer side is `limit`, of the same shape as near as whole pixels
  /// allow; the size itself where it is small enough.
  public static func size(
    of size: (width: Int, height: Int), longerSide limit: Int
  ) -> (width: Int, height: Int) {
    let longer = max(size.width, size.height)
    guard longer > limit else { return size }
    func scaled(_ side: Int) -> Int { max(1, (2 * side * limit + longer) / (2 * longer)) }
    return (scaled(size.width), scaled(size.height))
  }

  /// Takes the next row.
  ///
  /// - Parameter row: `sourceWidth` pixels of four bytes.
  public mutating func append(_ row: Span<UInt8>) {
    precondition(row.count >= 4 * sourceWidth && sourceRow < sourceHeight)
    sumAlongRow(row)
    // The part of this row that lies in the current result row, and the rest in the next one.
    var left = height
    while left > 0 {
      let end = (output.count / (4 * width) + 1) * sourceHeight
      let start = (sourceRow + 1) * height - left
      let share = min(left, end - start)
      Self.add(rowSums, times: UInt64(share), to: &columnSums)
      left -= share
      if start + share == end { finishRow() }
    }
    sourceRow += 1
  }

  /// The finished picture.
  ///
  /// - Precondition: As many rows were appended as the source has.
  public consuming func finish() -> PixelBuffer {
    precondition(sourceRow == sourceHeight, "rows were appended for another height")
    return PixelBuffer(pixels: output, width: width, height: height)
  }

  /// Sums stay below 2²⁸: 255 for each of at most 2²⁰ units.
  private mutating func sumAlongRow(_ row: Span<UInt8>) {
    let (width, sourceWidth) = (width, sourceWidth)
    var sums = rowSums.mutableSpan
    var column = 0
    // Pixels that lie whole in the column are added, and weighted once.
    var whole = SIMD4<UInt32>.zero
    var parts = SIMD4<UInt32>.zero
    var end = sourceWidth
    var place = 0
    let unit = UInt32(width)
    for x in 0..<sourceWidth {
      let packed = row.rgbaPixel(x)
      let pixel = SIMD4<UInt32>(
        packed & 0xFF, packed >> 8 & 0xFF, packed >> 16 & 0xFF, packed >> 24)
      let next = place &+ width
      if next < end {
        whole &+= pixel
      } else {
        let share = UInt32(truncatingIfNeeded: end &- place)
        let sum = whole &* unit &+ parts &+ pixel &* share
        sums[column] = sum[0]
        sums[column &+ 1] = sum[1]
        sums[column &+ 2] = sum[2]
        sums[column &+ 3] = sum[3]
        column &+= 4
        whole = .zero
        parts = pixel &* (unit &- share)
        end &+= sourceWidth
      }
      place = next
    }
  }

  private static func add(_ row: [UInt32], times share: UInt64, to sums: inout [UInt64]) {
    let row = row.span
    var sums = sums.mutableSpan
    for index in 0..<row.count { sums[index] &+= UInt64(row[index]) &* share }
  }

  private mutating func finishRow() {
    let area = UInt64(sourceWidth) * UInt64(sourceHeight)
    output += columnSums.lazy.map { UInt8(truncatingIfNeeded: ($0 &+ area / 2) / area) }
    columnSums = [UInt64](repeating: 0, count: columnSums.count)
  }
}

extension PixelBuffer {
  /// The picture as RGBA with its longer side at most `limit`, by exact averages of area.
  ///
  /// - Complexity: O(pixels).
  public func reduced(toLongerSide limit: Int) -> PixelBuffer {
    let size = AreaReducer.size(of: (width, height), longerSide: limit)
    if size == (width, height), format == .rgba8 { return self }
    var reducer = AreaReducer(
      sourceWidth: width, sourceHeight: height, width: size.width, height: size.height)
    forEachRGBARow { row, _ in reducer.append(row) }
    return reducer.finish()
  }
}
