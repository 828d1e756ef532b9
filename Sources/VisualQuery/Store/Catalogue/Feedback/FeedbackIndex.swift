package import PixelMatch

/// The active statements of a catalogue, compared with each question.
package struct FeedbackIndex: Sendable {
  private struct Entry {
    let number: Int
    let fingerprint: ImageFingerprint?
    let content: FeedbackStatement.Content
  }

  static let empty = FeedbackIndex([])

  private let entries: [Entry]

  package var isEmpty: Bool { entries.isEmpty }

  /// - Parameter statements: Active statements in the order of their numbers. One with a signature of
  ///   another version has no effect until its image is asked about again.
  init(_ statements: [(number: Int, content: FeedbackStatement.Content)]) {
    entries = statements.compactMap { number, content in
      guard content.query.hasImage else {
        return Entry(number: number, fingerprint: nil, content: content)
      }
      guard let signature = try? QuerySignature(encoded: content.query.signature) else {
        return nil
      }
      return Entry(number: number, fingerprint: ImageFingerprint(signature), content: content)
    }
  }

  /// Returns what was said about a question, or `nil` if nothing was.
  ///
  /// - Complexity: O(statements): the first comparison is that of the hashes.
  package func effects(on signature: QuerySignature?, labels: [String]) -> FeedbackEffects? {
    if entries.isEmpty { return nil }
    let fingerprint = signature.map(ImageFingerprint.init)
    let words = FeedbackQuery(labels: labels, signature: []).labels
    var effects = FeedbackEffects()
    for entry in entries {
      let isSame =
        if let fingerprint {
          entry.fingerprint?.isSame(as: fingerprint) ?? false
        } else {
          entry.fingerprint == nil && entry.content.query.labels == words
        }
      if isSame { effects.add(entry.content, number: entry.number) }
    }
    return effects.isEmpty ? nil : effects
  }
}

/// The effects of statements on the answer to a question.
package struct FeedbackEffects: Sendable, Hashable {
  /// The effect of one statement on one entity.
  package struct Effect: Sendable, Hashable {
    /// The entity.
    package let id: EntityID
    /// The number of the statement.
    package let statement: Int
  }

  /// The entities that are left out.
  package private(set) var suppressed: [Effect] = []
  /// The entities that come first, the one of the newest statement before the others.
  package private(set) var pinned: [Effect] = []

  var isEmpty: Bool { suppressed.isEmpty && pinned.isEmpty }

  /// Adds a statement, which is newer than those before. An entity that any statement rejects is left
  /// out, whatever others say.
  mutating func add(_ content: FeedbackStatement.Content, number: Int) {
    for id in content.rejected where !suppressed.contains(where: { $0.id == id }) {
      suppressed.append(Effect(id: id, statement: number))
      pinned.removeAll { $0.id == id }
    }
    guard let id = content.chosen, !suppressed.contains(where: { $0.id == id }) else { return }
    pinned.removeAll { $0.id == id }
    pinned.insert(Effect(id: id, statement: number), at: 0)
  }
}
