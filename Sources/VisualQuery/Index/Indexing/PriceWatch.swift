internal import PixelMatch

/// Notices that the prices of a feed have jumped: most of them by a large factor, or nearly all by the same one. Then a currency,
/// a unit or a tax has changed, rather than prices.
struct PriceWatch: Sendable {
  /// A price that is more than this many times the old one, or less than that part of it, has jumped.
  private static let factor = 3.0
  /// The least difference from 1 of a factor that all prices share. Prices that were only rounded share a smaller one.
  private static let leastShift = 0.01
  /// The fewest prices of which it is told that they share a factor.
  private static let fewestShared = 3

  /// The number of prices that changed.
  private(set) var changed = 0
  /// The number of those that rose beyond the factor, fell beyond it, or have another currency.
  private var (rose, fell, exchanged) = (0, 0, 0)
  /// The factors that explain all changes so far, since prices are rounded.
  private var shared = (low: 0.0, high: Double.infinity)

  /// True while all prices may have changed by one factor.
  private var mayShareFactor: Bool { shared.low <= shared.high }

  /// Takes a price that has changed.
  ///
  /// - Returns: True if it may be part of a jump.
  mutating func take(_ old: Price, _ new: Price) -> Bool {
    changed += 1
    guard old.currency == new.currency, let from = Double(old.amount), let to = Double(new.amount),
      from > 0, to > 0
    else {
      exchanged += 1
      shared.high = -1
      return true
    }
    let unit = [old, new].map(Self.unit).min() ?? 1
    shared = (max(shared.low, (to - unit) / from), min(shared.high, (to + unit) / from))
    if to > Self.factor * from {
      rose += 1
    } else if to * Self.factor < from {
      fell += 1
    } else {
      return mayShareFactor
    }
    return true
  }

  /// The value of the last decimal of an amount.
  private static func unit(of price: Price) -> Double {
    let decimals = price.amount.split(separator: ".").dropFirst().first?.utf8.count ?? 0
    return (0..<decimals).reduce(1.0) { unit, _ in unit / 10 }
  }

  /// Returns what has happened to the prices, in words, or `nil` if they changed as prices do.
  ///
  /// - Parameters:
  ///   - priced: The number of entities that had a price.
  ///   - percent: The limit of one run.
  func jump(of priced: Int, percent: Double) -> (count: Int, text: String)? {
    let jumped = rose + fell + exchanged
    if (max(rose, fell) + exchanged) * 2 > changed,
      LossLimits.isBeyond(percent, jumped, of: priced)
    {
      if exchanged * 2 > jumped { return (jumped, "are 0 or in another currency") }
      return (jumped, rose > fell ? "rose to more than 3 times" : "fell to less than a third")
    }
    let isShift =
      shared.low > 1 + Self.leastShift || shared.high < 1 - Self.leastShift
    if changed >= Self.fewestShared, changed * 2 > priced, mayShareFactor, isShift {
      let middle = (shared.low + shared.high) / 2
      return (changed, "changed by one factor, \(Self.rounded(middle))")
    }
    return nil
  }

  private static func rounded(_ factor: Double) -> String {
    "\((factor * 1000).rounded() / 1000)"
  }
}
