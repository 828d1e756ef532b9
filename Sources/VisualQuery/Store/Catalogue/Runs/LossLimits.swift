/// The limits of what a run may take from an index without being asked, in percent of what there is. They are settings of
/// the index.
package struct LossLimits: Sendable, Hashable, Encodable {
  /// The limit of one run.
  package var once = 10.0
  /// The limit of all runs of ``RunHistory/window``, so that many small losses are seen, too.
  package var together = 20.0

  package init() {}

  /// From this number of entities on, a loss counts if it is beyond the limit.
  package static let fewest = 5
  /// Fewer entities count only if they are more than half of all, and more than one: one product of five is nothing to ask about,
  /// but the images of all three are.
  private static let fewestOfHalf = 2

  /// Returns whether a loss is so large that it is not made without being asked.
  ///
  /// - Parameter percent: The limit.
  package static func isBeyond(_ percent: Double, _ lost: Int, of all: Int) -> Bool {
    guard Double(lost) * 100 > percent * Double(all) else { return false }
    return lost >= fewest || lost >= fewestOfHalf && lost * 2 > all
  }
}

extension ShopSettings {
  private static let once = "loss.once"
  private static let together = "loss.together"

  var lossValues: [(name: String, value: String?)] {
    guard let lossLimits else { return [] }
    return [(Self.once, "\(lossLimits.once)"), (Self.together, "\(lossLimits.together)")]
  }

  /// The limits of losses that the catalogue has, or `nil` if it has none of its own.
  package static func givenLossLimits(_ values: [String: String]) -> LossLimits? {
    values[once] != nil || values[together] != nil ? lossLimits(values) : nil
  }

  /// Returns the limits of losses that the catalogue has, or the usual ones.
  package static func lossLimits(_ values: [String: String]) -> LossLimits {
    var limits = LossLimits()
    func percent(_ name: String) -> Double? {
      values[name].flatMap(Double.init).flatMap { (0...100).contains($0) ? $0 : nil }
    }
    limits.once = percent(once) ?? limits.once
    limits.together = percent(together) ?? limits.together
    return limits
  }
}
