/// A share that was counted, with the interval in which the share of all lies.
package struct CountedShare: Sendable, Hashable {
  package let count: Int
  package let of: Int

  package init(_ count: Int, of: Int) { (self.count, self.of) = (count, of) }

  /// The share, or `nil` if nothing was counted.
  package var share: Double? { of == 0 ? nil : Double(count) / Double(of) }

  /// The deviations of a normal distribution within which 95 of 100 values lie.
  private static let deviations = 1.96

  /// The interval of 95 % (Wilson, "Probable inference, the law of succession, and statistical inference", 1927).
  package var interval: ClosedRange<Double> {
    guard of > 0 else { return 0...1 }
    let (all, square) = (Double(of), Self.deviations * Self.deviations)
    let rate = Double(count) / all
    let middle = rate + square / (2 * all)
    let spread = Self.deviations * (rate * (1 - rate) / all + square / (4 * all * all)).squareRoot()
    let whole = 1 + square / all
    return max(0, (middle - spread) / whole)...min(1, (middle + spread) / whole)
  }
}
