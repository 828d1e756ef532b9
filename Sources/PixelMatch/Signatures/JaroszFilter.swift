/// Blurs a luma image of any size and samples it at 64 × 64 points, one row at a time.
///
/// PDQ blurs by two passes of a box along the rows and a box down the columns, each with a running
/// sum in single precision, and then keeps one pixel per cell. The sums here use the same order, so
/// that the bits agree. But a row is dropped as soon as no window needs it: memory is O(width ×
/// height / 128), and only the 64 sampled columns go through the last pass.
///
/// Source: Jarosz, "Fast image convolutions", 2001.
struct JaroszFilter {
  /// The number of rows and columns of the result.
  static let side = 64
  /// The number of rows filtered together: their running sums do not depend on each other.
  private static let lanes = Kernels.pdqLanes

  private let width: Int
  private let height: Int
  private let window: Int
  private let sampledColumns: [UInt32]
  private let sampledRows: [Int]

  private var incoming: RowGroup
  private var blurred: RowGroup
  private var firstColumns: RunningColumnBox
  private var secondColumns: RunningColumnBox
  /// The row of the second pass that was finished last, at the sampled columns.
  private var sampledRow = [Float](repeating: 0, count: side)
  private var plane: [Float] = []
  private var finishedRows = 0

  /// Prepares for an image of `width × height` pixels, each side at least 1.
  init(width: Int, height: Int) {
    precondition(width > 0 && height > 0, "an image has at least one pixel")
    self.width = width
    self.height = height
    window = Self.window(width)
    sampledColumns = Self.samples(width).map { UInt32($0) }
    sampledRows = Self.samples(height)
    incoming = RowGroup(lanes: Self.lanes, width: width)
    blurred = RowGroup(lanes: Self.lanes, width: width)
    firstColumns = RunningColumnBox(width: width, height: height, window: Self.window(height))
    secondColumns = RunningColumnBox(width: Self.side, height: height, window: Self.window(height))
    plane.reserveCapacity(Self.side * Self.side)
  }

  /// Returns the number of bytes of memory for an image: two groups of rows, their scratch space,
  /// and a ring of rows with their sums and averages.
  static func byteCount(width: Int, height: Int) -> Int {
    MemoryLayout<Float>.size * width * (4 * lanes + window(height) + 2)
  }

  /// Returns half of a cell, rounded up. Two passes of it extend over a whole cell.
  private static func window(_ dimension: Int) -> Int { (dimension + 127) / 128 }

  /// Returns the centers of the 64 cells.
  private static func samples(_ dimension: Int) -> [Int] {
    (0..<side).map { Int((Double($0) + 0.5) * Double(dimension) / Double(side)) }
  }

  /// Adds the next row of `width` pixels, each red, green, blue and a byte that is ignored.
  mutating func append(rgba row: Span<UInt8>) {
    precondition(row.count >= 4 * width, "a row is shorter than the image's width")
    incoming.append(rgba: row.extracting(first: 4 * width))
    if incoming.count == Self.lanes { filterIncoming() }
  }

  /// Adds the next row of `width` gray pixels, whose values are used unchanged.
  mutating func append(gray row: Span<UInt8>) {
    precondition(row.count >= width, "a row is shorter than the image's width")
    incoming.append(gray: row)
    if incoming.count == Self.lanes { filterIncoming() }
  }

  /// Finishes the image and returns its 64 × 64 plane, row-major.
  ///
  /// - Precondition: As many rows were appended as the image has.
  mutating func finish() -> [Float] {
    filterIncoming()
    while firstColumns.flush(into: &blurred.values, at: blurred.end) { takeBlurredRow() }
    filterBlurred()
    while secondColumns.flush(into: &sampledRow, at: 0) { keepIfSampled() }
    precondition(finishedRows == height, "rows were appended for another height")
    return plane
  }

  private mutating func filterIncoming() {
    let count = incoming.count
    incoming.boxAlongRows(window: window)
    for lane in 0..<count {
      let isFinished = firstColumns.push(
        incoming.values, at: lane * width, into: &blurred.values, at: blurred.end)
      if isFinished { takeBlurredRow() }
    }
    incoming.count = 0
  }

  private mutating func takeBlurredRow() {
    blurred.count += 1
    if blurred.count == Self.lanes { filterBlurred() }
  }

  private mutating func filterBlurred() {
    let count = blurred.count
    let sampled = blurred.boxAlongRows(window: window, at: sampledColumns)
    for lane in 0..<count {
      if secondColumns.push(sampled, at: lane * Self.side, into: &sampledRow, at: 0) {
        keepIfSampled()
      }
    }
    blurred.count = 0
  }

  /// If the image has fewer than 64 rows, some rows are sampled more than once.
  private mutating func keepIfSampled() {
    while plane.count < Self.side * Self.side,
      sampledRows[plane.count / Self.side] == finishedRows
    {
      plane.append(contentsOf: sampledRow)
    }
    finishedRows += 1
  }
}

/// A few rows whose boxes are summed side by side.
private struct RowGroup {
  let width: Int
  var count = 0
  /// The rows, one after the other.
  var values: [Float]

  /// The place of the next row in `values`.
  var end: Int { count * width }

  init(lanes: Int, width: Int) {
    self.width = width
    values = [Float](repeating: 0, count: lanes * width)
  }

  mutating func append(rgba row: Span<UInt8>) {
    Kernels.native.pdqLuma(row, into: &values, at: end)
    count += 1
  }

  mutating func append(gray row: Span<UInt8>) {
    let start = end
    for x in 0..<width { values[start &+ x] = Float(row[x]) }
    count += 1
  }

  /// Averages `window` neighbors along each row; fewer at the ends of a row.
  mutating func boxAlongRows(window: Int) {
    Kernels.native.pdqBoxRows(&values, width: width, window: window)
  }

  /// Returns the averages along each row at some columns; leaves `values` unchanged.
  func boxAlongRows(window: Int, at columns: [UInt32]) -> [Float] {
    Kernels.native.pdqBoxRows(values.span, width: width, window: window, columns: columns.span)
  }
}

/// A box that moves down the columns of an image whose rows arrive one by one.
private struct RunningColumnBox {
  private let width: Int
  private let height: Int
  private let window: Int
  private let lead: Int
  private var pushed = 0
  private var flushed = 0
  private var sum: [Float]
  /// The last `window` rows; row *r* is at `r % window`.
  private var ring: [Float]

  init(width: Int, height: Int, window: Int) {
    self.width = width
    self.height = height
    self.window = window
    lead = (window + 2) / 2 - 1
    sum = [Float](repeating: 0, count: width)
    ring = [Float](repeating: 0, count: width * window)
  }

  /// Adds a row that starts at `offset` of `rows`. Returns whether it finished a row, which is then in `output` from
  /// `start` on.
  mutating func push(
    _ rows: [Float], at offset: Int, into output: inout [Float], at start: Int
  ) -> Bool {
    let slot = pushed % window * width
    let rows = rows.span
    if pushed >= window {
      Kernels.native.pdqBoxColumns(
        rows.extracting(offset..<offset + width), window: window, oldest: &ring, at: slot,
        sums: &sum, output: &output, at: start)
    } else {
      for x in 0..<width {
        let value = rows[offset &+ x]
        ring[slot &+ x] = value
        sum[x] += value
      }
      if pushed >= lead { divide(by: pushed + 1, into: &output, at: start) }
    }
    pushed += 1
    return pushed > lead
  }

  /// Finishes one more row after the last one. Returns `false` if all are finished.
  mutating func flush(into output: inout [Float], at start: Int) -> Bool {
    guard flushed < lead else { return false }
    let slot = (height - window + flushed) % window * width
    for x in 0..<width { sum[x] -= ring[slot &+ x] }
    flushed += 1
    divide(by: window - flushed, into: &output, at: start)
    return true
  }

  private func divide(by count: Int, into output: inout [Float], at start: Int) {
    let divisor = Float(count)
    for x in 0..<width { output[start &+ x] = sum[x] / divisor }
  }
}
