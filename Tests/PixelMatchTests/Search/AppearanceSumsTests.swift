import TestSupport
import Testing
@testable import PixelMatch

@Suite struct AppearanceSumsTests {
  /// Bins of which a few hold most, as in images, or all as much as possible.
  private func bins(using generator: inout SeededGenerator) -> [UInt8] {
    let most = [UInt8(2), 20, 120, 255].randomElement(using: &generator)!
    let share = Int.random(in: 1...10, using: &generator)
    return (0..<SegmentLayout.binCount).map { _ in
      Int.random(in: 0..<10, using: &generator) < share
        ? UInt8.random(in: most / 2...most, using: &generator) : 0
    }
  }

  /// Would break if a scan passed over a row that is near enough.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `rows whose bins are near enough have sums that are near enough`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let query = bins(using: &generator)
    let sums = AppearanceSums.Query(query)
    for number in 0..<40 {
      var row = bins(using: &generator)
      // Half of the rows are like the query but for a few bins.
      if number % 2 == 0 {
        let other = row
        row = query
        for bin in other.indices.shuffled(using: &generator).prefix(number) {
          row[bin] = other[bin]
        }
      }
      row = HistogramGrade.graded(row)
      let distance = zip(query, row).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      let apart = zip(sums.row, AppearanceSums.row(of: row)).reduce(0) {
        $0 + abs(Int($1.0) - Int($1.1))
      }
      #expect(apart <= sums.limit(forBins: distance))
    }
    #expect(sums.limit(forBins: .max) == .max)
  }

  /// Would break if groups took no part in the sums, or all of them the same: scans would be right, but slow.
  @Test func `most rows are told apart by their sums`() {
    var generator = SeededGenerator(seed: 5)
    var told = 0
    for _ in 0..<200 {
      let sums = AppearanceSums.Query(bins(using: &generator))
      let other = AppearanceSums.row(of: bins(using: &generator))
      let apart = zip(sums.row, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      if apart > sums.limit(forBins: 300) { told += 1 }
    }
    #expect(told > 180)
  }

  @Test(arguments: Kernels.supported, 0..<12)
  func `every instruction set finds the rows of near sums`(kernels: Kernels, count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    func drawn(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
    let (rows, query) = (drawn(32 * count), drawn(32))
    let distances = (0..<count).map { row in
      (0..<32).reduce(0) { $0 + abs(Int(rows[32 * row + $1]) - Int(query[$1])) }
    }
    for limit in distances + [0, 2700, 8160, Int(UInt32.max)] {
      var hits = [UInt32](repeating: 0, count: count)
      let found = kernels.sumScan(
        rows.span, query: query.span, limit: UInt32(limit), indices: &hits)
      #expect(hits[..<found].map(Int.init) == (0..<count).filter { distances[$0] <= limit })
    }
  }
}
