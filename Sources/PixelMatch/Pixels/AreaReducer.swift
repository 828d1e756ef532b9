/// Reduces an image whose rows arrive one by one, by exact averages over the area of each new
/// pixel.
///
/// Uses integer arithmetic only: a new pixel covers `sourceWidth` units of a row and `sourceHeight`
/// units down, of which an old pixel takes up to `width` and `height`. Rows are summed vertically
/// first, so that only one row per result row is summed horizontally.
package struct AreaReducer {
  /// The number of columns of the result.
  package let width: Int
  /// The number of rows of the result.
  package let height: Int
  private let sourceWidth: Int
  private let sourceHeight: Int
  private var sourceRow = 0
  /// The sums of the source rows of the current result row, below 2²⁸: 255 for each of at most 2²⁰
  /// units.
  private var sums: [UInt32]
  /// True until the first source row of the current result row is added to `sums`.
  private var isRowStart = true
  private var output: [UInt8] = []
  private var finishedRows = 0
  /// The division of a source row among the columns of the result.
  private let cuts: AreaCuts

  /// Prepares the reduction of `sourceWidth × sourceHeight` pixels to `width × height`.
  ///
  /// - Precondition: Every side is at least 1 and at most ``PixelBuffer/sideLimit``, and no result
  ///   side is longer than the source's.
  package init(sourceWidth: Int, sourceHeight: Int, width: Int, height: Int) {
    precondition((1...sourceWidth).contains(width) && (1...sourceHeight).contains(height))
    precondition(max(sourceWidth, sourceHeight) <= PixelBuffer.sideLimit)
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    self.width = width
    self.height = height
    sums = [UInt32](repeating: 0, count: 4 * sourceWidth)
    output = [UInt8](repeating: 0, count: 4 * width * height)
    cuts = AreaCuts(sourceWidth: sourceWidth, width: width)
  }

  /// Returns the size of an image whose longer side is `limit` and whose aspect ratio is as close
  /// as whole pixels allow; returns `size` itself if it is small enough.
  package static func size(
    of size: (width: Int, height: Int), longerSide limit: Int
  ) -> (width: Int, height: Int) {
    let longer = max(size.width, size.height)
    guard longer > limit else { return size }
    func scaled(_ side: Int) -> Int { max(1, (2 * side * limit + longer) / (2 * longer)) }
    return (scaled(size.width), scaled(size.height))
  }

  /// Adds the next row.
  ///
  /// - Parameter row: `sourceWidth` pixels of four bytes.
  package mutating func append(_ row: Span<UInt8>) {
    precondition(row.count >= 4 * sourceWidth && sourceRow < sourceHeight)
    // The part of this row that lies in the current result row; the rest lies in the next one.
    var left = height
    while left > 0 {
      let end = (finishedRows + 1) * sourceHeight
      let start = (sourceRow + 1) * height - left
      let share = min(left, end - start)
      Kernels.native.areaAdd(
        row.extracting(first: 4 * sourceWidth), times: UInt32(share), to: &sums,
        isFirst: isRowStart)
      isRowStart = false
      left -= share
      if start + share == end { finishRow() }
    }
    sourceRow += 1
  }

  /// Returns the finished image.
  ///
  /// - Precondition: As many rows were appended as the source has.
  package consuming func finish() -> PixelBuffer {
    precondition(sourceRow == sourceHeight, "rows were appended for another height")
    return PixelBuffer(pixels: output, width: width, height: height)
  }

  private mutating func finishRow() {
    Kernels.native.areaFinish(
      sums, cuts, area: sourceWidth * sourceHeight, into: &output, at: 4 * width * finishedRows)
    finishedRows += 1
    isRowStart = true
  }
}

extension PixelBuffer {
  /// Returns the image as RGBA in sRGB with a longer side of at most `limit`, by exact averages over
  /// area. Another color space is converted after the reduction.
  ///
  /// - Complexity: O(pixels).
  package func reduced(toLongerSide limit: Int) -> PixelBuffer {
    let size = AreaReducer.size(of: (width, height), longerSide: limit)
    if size == (width, height), format == .rgba8, colorSpace == .sRGB { return self }
    var reducer = AreaReducer(
      sourceWidth: width, sourceHeight: height, width: size.width, height: size.height)
    forEachStoredRow { row, _ in reducer.append(row) }
    let reduced = reducer.finish()
    guard let conversion = colorSpace.conversion else { return reduced }
    var pixels = reduced.bytes
    conversion.convert(&pixels, 0..<size.width * size.height)
    return PixelBuffer(pixels: pixels, width: size.width, height: size.height)
  }
}
