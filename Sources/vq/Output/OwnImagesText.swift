import VisualQuery

/// A sentence about the share of things that a shop lacks and is sure of.
struct OwnImagesText {
  /// The most pairs that are named.
  private static let pairLimit = 3

  private let null: ShopNull

  init(_ null: ShopNull) { self.null = null }

  /// A share as a number of 100, with its interval.
  private static func ofHundred(_ share: CountedShare) -> String {
    func whole(_ value: Double) -> Int { Int((100 * value).rounded()) }
    let interval = share.interval
    return
      "about \(whole(share.share ?? 0)) (\(whole(interval.lowerBound)) to \(whole(interval.upperBound)))"
  }

  /// The share of sure answers as a sentence.
  var sentence: String {
    if null.withoutOwn.of == 0 {
      return "no image of the shop could be asked, since none could be opened"
    }
    let general =
      "of 100 questions about things that you do not have, \(Self.ofHundred(null.withoutOwn)) would get a sure answer"
    guard let fitted = null.fitted else { return general }
    return general
      + " by the general calibration, and \(Self.ofHundred(fitted)) do by the fit of your images"
  }

  /// The surest wrong answers, or `nil` if there is none.
  var pairs: String? {
    if null.pairs.isEmpty { return nil }
    return "the nearest pairs are "
      + null.pairs.prefix(Self.pairLimit).map {
        "\(DisplayText.escaped($0.asked)) and \(DisplayText.escaped($0.answered))"
      }.joined(separator: ", ")
  }

  /// Both in one sentence.
  var text: String { [sentence, pairs].compactMap { $0 }.joined(separator: "; ") }
}
