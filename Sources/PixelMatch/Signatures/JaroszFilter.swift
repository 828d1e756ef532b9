/// Blurs a luma picture of any size and samples it at 64 × 64 points, a row at a time.
///
/// PDQ blurs by two passes of a box along the rows and a box down the columns, each with a running
/// sum in single precision, and then keeps one pixel a cell. The sums here run in that very order,
/// so that the bits agree, but a row is dropped as soon as no window needs it: memory is
/// O(width × height / 128), and only the 64 sampled columns go through the last pass.
///
/// Source: Jarosz, "Fast image convolutions", 2001.
struct JaroszFilter {
  /// Rows and columns of the result.
  static let side = 64
  /// Rows filtered together: their running sums do not wait for each other.
  private static let lanes = 4

  private let width: Int
  private let height: Int
  private let window: Int
  private let sampledColumns: [Int]
  private let sampledRows: [Int]

  private var incoming: RowGroup
  private var blurred: RowGroup
  private var firstColumns: RunningColumnBox
  private var secondColumns: RunningColumnBox
  private var plane: [Float] = []
  private var finishedRows = 0

  /// Prepares for a picture of `width × height` pixels, each at least 1.
  init(width: Int, height: Int) {
    precondition(width > 0 && height > 0, "a picture has at least one pixel")
    self.width = width
    self.height = height
    window = Self.window(width)
    sampledColumns = Self.samples(width)
    sampledRows = Self.samples(height)
    incoming = RowGroup(lanes: Self.lanes, width: width)
    blurred = RowGroup(lanes: Self.lanes, width: width)
    firstColumns = RunningColumnBox(width: width, height: height, window: Self.window(height))
    secondColumns = RunningColumnBox(width: Self.side, height: height, window: Self.window(height))
    plane.reserveCapacity(Self.side * Self.side)
  }

  /// Half of a cell, rounded up: two passes of it reach over a whole cell.
  private static func window(_ dimension: Int) -> Int { (dimension + 127) / 128 }

  /// The centres of the 64 cells.
  private static func samples(_ dimension: Int) -> [Int] {
    (0..<side).map { Int((Double($0) + 0.5) * Double(dimension) / Double(side)) }
  }

  /// Takes the next row; `fill` writes its `width` luma values at the offset that it is given.
  mutating func append(_ fill: (_ values: inout [Float], _ offset: Int) -> Void) {
    fill(&incoming.values, incoming.count * width)
    incoming.count += 1
    if incoming.count == Self.lanes { filterIncoming() }
  }

  /// Ends the picture and gives its 64 × 64 plane, row-major.
  ///
  /// - Precondition: As many rows were appended as the picture has.
  mutating func finish() -> [Float] {
    filterIncoming()
    while firstColumns.flush() { takeBlurredRow() }
    filterBlurred()
    while secondColumns.flush() { keepIfSampled() }
    precondition(finishedRows == height, "rows were appended for another height")
    return plane
  }

  private mutating func filterIncoming() {
    let count = incoming.count
    incoming.boxAlongRows(window: window)
    for lane in 0..<count {
      if firstColumns.push(incoming.filtered, at: lane * width) { takeBlurredRow() }
    }
    incoming.count = 0
  }

  private mutating func takeBlurredRow() {
    let offset = blurred.count * width
    for x in 0..<width { blurred.values[offset &+ x] = firstColumns.output[x] }
    blurred.count += 1
    if blurred.count == Self.lanes { filterBlurred() }
  }

  private mutating func filterBlurred() {
    let count = blurred.count
    blurred.boxAlongRows(window: window)
    var sampled = [Float](repeating: 0, count: Self.side)
    for lane in 0..<count {
      for (place, column) in sampledColumns.enumerated() {
        sampled[place] = blurred.filtered[lane * width + column]
      }
      if secondColumns.push(sampled, at: 0) { keepIfSampled() }
    }
    blurred.count = 0
  }

  /// A picture lower than 64 rows has rows that are sampled more than once.
  private mutating func keepIfSampled() {
    while plane.count < Self.side * Self.side,
      sampledRows[plane.count / Self.side] == finishedRows
    {
      plane.append(contentsOf: secondColumns.output)
    }
    finishedRows += 1
  }
}

/// A few rows whose boxes are summed side by side.
private struct RowGroup {
  let width: Int
  var count = 0
  /// The rows as they came, one after the other.
  var values: [Float]
  /// The same rows after the box.
  private(set) var filtered: [Float]

  init(lanes: Int, width: Int) {
    self.width = width
    values = [Float](repeating: 0, count: lanes * width)
    filtered = values
  }

  /// Averages `window` neighbours along each row; at the ends, those that there are.
  mutating func boxAlongRows(window: Int) {
    Self.boxAlongRows(values, into: &filtered, width: width, window: window)
  }

  private static func boxAlongRows(
    _ values: [Float], into filtered: inout [Float], width: Int, window: Int
  ) {
    let input = values.span
    let lead = (window + 2) / 2 - 1
    var output = filtered.mutableSpan
    var sum = SIMD4<Float>.zero
    for x in 0..<lead { sum += column(x, of: input, width) }
    for x in lead..<window {
      sum += column(x, of: input, width)
      write(sum / Float(x + 1), to: &output, x - lead, width)
    }
    let full = Float(window)
    for x in window..<max(width, window) {
      sum += column(x, of: input, width)
      sum -= column(x &- window, of: input, width)
      write(sum / full, to: &output, x &- lead, width)
    }
    for step in 0..<lead {
      sum -= column(width - window + step, of: input, width)
      write(sum / Float(window - step - 1), to: &output, width - lead + step, width)
    }
  }

  @inline(__always)
  private static func column(_ x: Int, of rows: Span<Float>, _ width: Int) -> SIMD4<Float> {
    SIMD4(rows[x], rows[width &+ x], rows[2 &* width &+ x], rows[3 &* width &+ x])
  }

  @inline(__always)
  private static func write(
    _ values: SIMD4<Float>, to rows: inout MutableSpan<Float>, _ x: Int, _ width: Int
  ) {
    rows[x] = values[0]
    rows[width &+ x] = values[1]
    rows[2 &* width &+ x] = values[2]
    rows[3 &* width &+ x] = values[3]
  }
}

/// A box down the columns of a picture whose rows come one by one.
private struct RunningColumnBox {
  private let width: Int
  private let height: Int
  private let window: Int
  private let lead: Int
  private var pushed = 0
  private var flushed = 0
  private var sum: [Float]
  /// The last `window` rows; row *r* stands at `r % window`.
  private var ring: [Float]
  /// The row that was finished last.
  private(set) var output: [Float]

  init(width: Int, height: Int, window: Int) {
    self.width = width
    self.height = height
    self.window = window
    lead = (window + 2) / 2 - 1
    sum = [Float](repeating: 0, count: width)
    ring = [Float](repeating: 0, count: width * window)
    output = sum
  }

  /// Takes a row that starts at `offset` of `rows`; tells whether a row was finished by it.
  mutating func push(_ rows: [Float], at offset: Int) -> Bool {
    let slot = pushed % window * width
    let rows = rows.span
    if pushed >= window {
      slide(in: rows, at: offset, slot: slot)
    } else {
      for x in 0..<width {
        let value = rows[offset &+ x]
        ring[slot &+ x] = value
        sum[x] += value
      }
      if pushed >= lead { divide(by: pushed + 1) }
    }
    pushed += 1
    return pushed > lead
  }

  private mutating func slide(in rows: Span<Float>, at offset: Int, slot: Int) {
    let divisor = Float(window)
    for x in 0..<width {
      let value = rows[offset &+ x]
      var total = sum[x] + value
      total -= ring[slot &+ x]
      ring[slot &+ x] = value
      sum[x] = total
      output[x] = total / divisor
    }
  }

  /// After the last row: finishes one more, or tells that all are finished.
  mutating func flush() -> Bool {
    guard flushed < lead else { return false }
    let slot = (height - window + flushed) % window * width
    for x in 0..<width { sum[x] -= ring[slot &+ x] }
    flushed += 1
    divide(by: window - flushed)
    return true
  }

  private mutating func divide(by count: Int) {
    let divisor = Float(count)
    for x in 0..<width { output[x] = sum[x] / divisor }
  }
}
