/// Sums of groups of the bins of a color and a texture histogram, which tell a scan that most rows are too far away
/// before it reads their histograms.
///
/// The difference of two sums is at most the sum of the differences (the triangle inequality), so that the distance of
/// two rows of sums never exceeds that of the histograms, and a scan that compares bins only where the sums are near
/// enough misses no row: filter and refine, as in Seidl and Kriegel, "Optimal multi-step k-nearest neighbor search",
/// SIGMOD 1998, <https://doi.org/10.1145/276304.276319>.
///
/// A group is bins that rise and fall together from one image to the next, since differences of opposite signs cancel
/// each other in a sum. There are 30: two grades of *a* by two of *b* of the colors, with all lightness; two neighboring
/// patterns at all three sizes; the two shares of pixels with contrast; two grades of the steps along each axis.
enum AppearanceSums {
  /// The number of bytes of a row: a third of each group's sum, at most 255, and zeros at the end.
  static let byteCount = 32
  /// Sums are divided by this to fit a byte; few are still larger than 255.
  private static let divisor = 3

  /// The group of each bin.
  private static let groups: [Int] = (0..<SegmentLayout.binCount).map { bin in
    let texture = bin - ColorHistogram.binCount
    return switch texture {
    case ..<0: bin % 64 / 16 * 4 + bin % 8 / 2
    case ..<30: 16 + texture % 10 / 2
    case ..<32: 21
    default: 22 + (texture - 32) / 32 * 4 + texture % 16 / 8 * 2 + texture % 4 / 2
    }
  }

  /// Returns the row of sums of the bins of a color and a texture histogram.
  static func row(of bins: [UInt8]) -> [UInt8] { sums(bins).map { UInt8(min(255, $0 / divisor)) } }

  /// The row of a query, and how far from it another row may be.
  ///
  /// With *m* the remainder of a query's sum, the difference of the undivided sums is at least three times that of the
  /// rows, less *m* or less 2 − *m*.
  struct Query {
    let row: [UInt8]
    private let slack: Int

    init(_ bins: [UInt8]) {
      row = AppearanceSums.row(of: bins)
      slack = sums(bins).reduce(0) { $0 + max($1 % divisor, divisor - 1 - $1 % divisor) }
    }

    /// Returns the largest distance of rows whose bins are at most `limit` apart.
    func limit(forBins limit: Int) -> Int {
      limit > .max - slack ? .max : (limit + slack) / divisor
    }
  }

  private static func sums(_ bins: [UInt8]) -> [Int] {
    precondition(bins.count == groups.count, "a row has \(groups.count) bins")
    var sums = [Int](repeating: 0, count: byteCount)
    for (bin, group) in zip(bins, groups) { sums[group] += Int(bin) }
    return sums
  }
}
