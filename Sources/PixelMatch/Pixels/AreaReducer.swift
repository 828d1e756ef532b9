/// Shrinks a picture whose rows come one by one, by exact averages of the area that each new pixel
/// covers.
///
/// Integer arithmetic throughout: a new pixel covers `sourceWidth` units of a row and `sourceHeight`
/// units down, of which an old pixel takes up to `width` and `height`. Rows are summed first, which
/// leaves one row in so many to be summed along itself.
public struct AreaReducer {
  /// Columns of the result.
  public let width: Int
  /// Rows of the result.
  public let height: Int
  private let sourceWidth: Int
  private let sourceHeight: Int
  private var sourceRow = 0
  /// The source rows so far of the current result row, below 2²⁸: 255 for each of at most 2²⁰ units.
  private var sums: [UInt32]
  private var output: [UInt8] = []
  private var finishedRows = 0
  /// Where the columns of the result divide a source row.
  private let cuts: AreaCuts

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
    sums = [UInt32](repeating: 0, count: 4 * sourceWidth)
    output = [UInt8](repeating: 0, count: 4 * width * height)
    cuts = AreaCuts(sourceWidth: sourceWidth, width: width)
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
    // The part of this row that lies in the current result row, and the rest in the next one.
    var left = height
    while left > 0 {
      let end = (finishedRows + 1) * sourceHeight
      let start = (sourceRow + 1) * height - left
      let share = min(left, end - start)
      Kernels.native.areaAdd(
        row.extracting(first: 4 * sourceWidth), times: UInt32(share), to: &sums)
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

  private mutating func finishRow() {
    Kernels.native.areaFinish(
      &sums, cuts, area: sourceWidth * sourceHeight, into: &output, at: 4 * width * finishedRows)
    finishedRows += 1
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
