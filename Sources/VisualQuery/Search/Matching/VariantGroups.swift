/// The groups of a ranked list: the first entity of a group is its card, with the others beneath.
///
/// An entity without a group is a card of its own. A group counts as shown if one of its entities was,
/// so that no page repeats it.
package struct VariantGroups: Sendable {
  /// The most variants beneath a match.
  package static let variantLimit = 50

  /// The group of each entry, or `nil` if it has none.
  private let groups: [String?]
  /// The indices of the entries of each group, in the order of the list.
  private let members: [String: [Int]]
  private let shownGroups: Set<String>
  /// The number of cards that were shown before.
  let shownCount: Int

  /// Groups the entries of a list.
  ///
  /// - Parameter groupsByKey: The groups of the entities that have one.
  init(_ entries: [Continuation.Entry], groupsByKey: [UInt32: String]) {
    groups = entries.map { groupsByKey[$0.scored.key] }
    var members: [String: [Int]] = [:]
    var shown: Set<String> = []
    var shownAlone = 0
    for (index, entry) in entries.enumerated() {
      guard let group = groups[index] else {
        if entry.isShown { shownAlone += 1 }
        continue
      }
      members[group, default: []].append(index)
      if entry.isShown { shown.insert(group) }
    }
    self.members = members
    shownGroups = shown
    shownCount = shownAlone + shown.count
  }

  /// Returns the group of an entry.
  func group(of index: Int) -> String? { groups[index] }

  /// Returns whether an entry is the card of a group that was not shown yet. An entry without a group is
  /// left to the caller.
  func isCardLeft(_ index: Int) -> Bool {
    guard let group = groups[index] else { return true }
    return members[group]?.first == index && !shownGroups.contains(group)
  }

  /// Returns the other entries of an entry's group, the best first.
  func others(than index: Int) -> [Int] {
    groups[index].flatMap { members[$0] }?.filter { $0 != index } ?? []
  }
}
