/// The cards of a ranked list: the first entity of a group is its card, with the others beneath.
///
/// An entity without a group is a card of its own. A card counts as shown if one of its entities was,
/// so that no page repeats it.
package struct VariantGroups: Sendable {
  /// The most variants beneath a match.
  package static let variantLimit = 50

  /// The entities that one card stands for.
  struct Card: Hashable {
    /// Their group.
    let group: String
    /// Their first image, or `nil` if a card stands for a whole group.
    var image: String?
  }

  /// The card of each entry, or `nil` if it has one of its own.
  private let cards: [Card?]
  /// The indices of the entries of each card, in the order of the list.
  private let members: [Card: [Int]]
  private let shownCards: Set<Card>
  /// The number of cards that were shown before.
  let shownCount: Int

  /// Groups the entries of a list.
  ///
  /// - Parameter cardsByKey: The cards of the entities that may share one.
  init(_ entries: [Continuation.Entry], cardsByKey: [UInt32: Card]) {
    cards = entries.map { cardsByKey[$0.scored.key] }
    var members: [Card: [Int]] = [:]
    var shown: Set<Card> = []
    var shownAlone = 0
    for (index, entry) in entries.enumerated() {
      guard let card = cards[index] else {
        if entry.isShown { shownAlone += 1 }
        continue
      }
      members[card, default: []].append(index)
      if entry.isShown { shown.insert(card) }
    }
    self.members = members
    shownCards = shown
    shownCount = shownAlone + shown.count
  }

  /// Returns the card of an entry.
  func card(of index: Int) -> Card? { cards[index] }

  /// Returns whether an entry is the first of a card that was not shown yet. An entry with a card of its own is
  /// left to the caller.
  func isCardLeft(_ index: Int) -> Bool {
    guard let card = cards[index] else { return true }
    return members[card]?.first == index && !shownCards.contains(card)
  }

  /// Returns the other entries of an entry's card, the best first.
  func others(than index: Int) -> [Int] {
    cards[index].flatMap { members[$0] }?.filter { $0 != index } ?? []
  }
}
