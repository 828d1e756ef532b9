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
  private var rowSums: [SIMD4<UInt32>]
  /// The rows so far of the current result row.
  private var columnSums: [SIMD4<UInt64>]
  private var output: [UInt8] = []
  /// Where the columns of the result divide a source row.
  private let cuts: [Cut]

  /// One column's share of a row: pixels that lie whole in it, and units of the next one; what is left
  /// of that belongs to the next column.
  private struct Cut {
    let whole: Int
    let share: UInt32
  }

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
    rowSums = [SIMD4<UInt32>](repeating: .zero, count: width)
    columnSums = [SIMD4<UInt64>](repeating: .zero, count: width)
    var start = 0
    cuts = (1...width).map { column in
      // The last pixel that reaches into the column, and how much of it lies there.
      let end = column * sourceWidth
      let last = (end - 1) / width
      defer { start = last + 1 }
      return Cut(whole: last - start, share: UInt32(end - last * width))
    }
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
    let table = cuts
    let cuts = table.span
    let unit = UInt32(width)
    var sums = rowSums.mutableSpan
    var rest = SIMD4<UInt32>.zero
    var x = 0
    for column in 0..<cuts.count {
      let cut = cuts[column]
      var whole = SIMD4<UInt32>.zero
      for _ in 0..<cut.whole {
        whole &+= Self.pixel(row, x)
        x &+= 1
      }
      let last = Self.pixel(row, x)
      x &+= 1
      sums[column] = whole &* unit &+ rest &+ last &* cut.share
      rest = last &* (unit &- cut.share)
    }
  }

  @inline(__always)
  private static func pixel(_ row: Span<UInt8>, _ x: Int) -> SIMD4<UInt32> {
    let packed = row.rgbaPixel(x)
    return SIMD4(packed & 0xFF, packed >> 8 & 0xFF, packed >> 16 & 0xFF, packed >> 24)
  }

  private static func add(
    _ row: [SIMD4<UInt32>], times share: UInt64, to sums: inout [SIMD4<UInt64>]
  ) {
    let row = row.span
    var sums = sums.mutableSpan
    for index in 0..<row.count {
      sums[index] &+= SIMD4<UInt64>(truncatingIfNeeded: row[index]) &* share
    }
  }

  private mutating func finishRow() {
    let area = UInt64(sourceWidth) * UInt64(sourceHeight)
    for sum in columnSums {
      for channel in 0..<4 {
        output.append(UInt8(truncatingIfNeeded: (sum[channel] &+ area / 2) / area))
      }
    }
    columnSums = [SIMD4<UInt64>](repeating: .zero, count: columnSums.count)
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
