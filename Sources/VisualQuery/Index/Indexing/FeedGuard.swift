/// The reason why a run does not take a feed: it is another one than last time. Nothing of it is changed then.
public struct FeedRefusal: Error, Sendable, Hashable {
  /// What is different.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case format, currency, ids
  }

  package let kind: Kind
  /// The description for people, with the value of last time and that of this time.
  public let message: String
  /// What to add to the command if the feed is right.
  package let advice: String
}

/// Recognizes that a feed is another one than last time, before anything of it is published: another format, other currencies,
/// or other ids.
///
/// Entities are held until enough of them are known, so that an honest feed is not kept back for longer than its first rows.
struct FeedGuard {
  /// The number of entities after which a feed that is the same is believed.
  private static let sampleCount = 100
  /// The share of entities, in percent, that a feed has in common with last time at least.
  private static let knownShare = 10
  /// The option that lets another format or currency through.
  static let option = "--accept-feed"

  private let name: String
  /// The currencies of last time; empty if they do not matter.
  private let currencies: Set<String>
  /// The number of entities that the feed had last time; 0 if it does not matter.
  private let ownCount: Int
  /// The number of entities of this run, and of those that the feed had last time.
  private var (count, knownCount) = (0, 0)
  /// The number of prices in each currency of this run.
  private(set) var prices: [String: Int] = [:]
  /// True if an entity has a price as last time.
  private var hasSamePrice = false
  private var isReleased = false

  /// Makes the guard of a run.
  ///
  /// - Parameters:
  ///   - source: The feed as it was read last time.
  ///   - ownCount: The number of its entities.
  init(_ source: Feed, _ options: IndexOptions, ownCount: Int) {
    name = source.name
    let isOtherCurrency =
      options.feed.currency != nil && options.feed.currency != source.reading.currency
    currencies =
      options.acceptsChangedFeed || isOtherCurrency ? [] : Set(source.reading.currencies)
    // With a limit that allows nearly everything, other ids are wanted.
    let isLimited =
      (options.removalLimit ?? 0) < Double(100 - Self.knownShare)
      && !options.acceptedLosses.contains(.entities)
    self.ownCount = options.prunesMissing && isLimited ? ownCount : 0
  }

  /// Checks the format of a feed that was just opened.
  ///
  /// - Throws: ``FeedRefusal``.
  static func checkFormat(
    _ format: String, of source: Feed, _ options: IndexOptions
  ) throws(FeedRefusal) {
    let before = source.reading.format
    guard !before.isEmpty, before != format, !options.acceptsChangedFeed,
      options.feed.fields.map(\.text) == source.reading.mapping
    else { return }
    throw FeedRefusal(
      kind: .format,
      message:
        "the feed '\(source.name)' was read as '\(before)' and is '\(format)' now; nothing was changed",
      advice: "if that is right, add to the command once: \(option)")
  }

  /// Counts an entity of the feed.
  ///
  /// - Parameters:
  ///   - isKnown: True if the feed had it last time.
  ///   - currency: The currency of its price.
  mutating func count(isKnown: Bool, currency: String?) {
    count += 1
    knownCount += isKnown ? 1 : 0
    if let currency { prices[currency, default: 0] += 1 }
  }

  /// Counts an entity whose row is the same as last time.
  mutating func countUnchanged(isKnown: Bool) {
    count(isKnown: isKnown, currency: nil)
    hasSamePrice = true
  }

  /// The currencies of the feed after the run, in ascending order.
  ///
  /// - Parameter before: Those of last time, which unchanged rows have.
  func currencies(after before: [String]) -> [String] {
    // Not more than a feed of one shop has: the list tells feeds apart.
    Array((hasSamePrice ? Set(before) : []).union(prices.keys).sorted().prefix(50))
  }

  private var hasOtherIDs: Bool {
    ownCount > 0 && knownCount * 100 < ownCount * Self.knownShare
      && knownCount * 100 < count * Self.knownShare
  }

  private var hasOtherCurrency: Bool {
    !currencies.isEmpty && !hasSamePrice && !prices.isEmpty
      && currencies.isDisjoint(with: prices.keys)
  }

  /// Returns whether the entities so far must not be published yet.
  mutating func isHolding() -> Bool {
    if isReleased { return false }
    let isOpen = count < Self.sampleCount && (ownCount > 0 || !currencies.isEmpty)
    isReleased = !isOpen && !hasOtherIDs && !hasOtherCurrency
    return !isReleased
  }

  /// Checks that a feed is the one of last time, at its end or if no more of it can be held.
  ///
  /// - Throws: ``FeedRefusal``.
  func check() throws(FeedRefusal) {
    if isReleased { return }
    if hasOtherCurrency {
      throw FeedRefusal(
        kind: .currency,
        message:
          "the feed '\(name)' had prices in \(currencies.sorted().joined(separator: ", ")) and has them in "
          + "\(prices.keys.sorted().joined(separator: ", ")) now; nothing was changed",
        advice: "if that is right, add to the command once: \(Self.option)")
    }
    if hasOtherIDs {
      throw FeedRefusal(
        kind: .ids,
        message:
          "the feed '\(name)' had \(ownCount) entities, and of the \(count) in it now \(knownCount) are among them; "
          + "nothing was changed",
        advice: "if it is the right file, add to the command once: --max-removed 100; "
          + "a feed of other entities needs another name: --feed-name NAME")
    }
  }
}

extension EntityValue {
  /// The currency of the price, or `nil` if there is none.
  var currency: String? {
    if case .product(let product) = self { product.price?.currency } else { nil }
  }
}
