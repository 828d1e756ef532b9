/// The kinds of work that do not wait for one another.
package enum Lane: Sendable, Hashable, CaseIterable {
  /// Work that computes an answer.
  case answers
  /// Work that changes something, which may wait for other writers and for a database that does not respond. Answers
  /// must not wait for it.
  case changes
}

/// One element for each lane.
struct Lanes<Element> {
  private var answers: Element
  private var changes: Element

  init(_ element: (Lane) -> Element) { (answers, changes) = (element(.answers), element(.changes)) }

  subscript(lane: Lane) -> Element {
    get {
      switch lane {
      case .answers: answers
      case .changes: changes
      }
    }
    set {
      switch lane {
      case .answers: answers = newValue
      case .changes: changes = newValue
      }
    }
  }
}
