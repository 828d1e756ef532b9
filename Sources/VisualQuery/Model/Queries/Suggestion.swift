/// Suggestions for mistyped words.
package enum Suggestion {
  private static let wordLimit = 64

  /// Returns the candidate nearest to a word, or `nil` if none is near.
  ///
  /// A candidate that begins with the word counts as one mistake, whatever its length. Otherwise one mistake per
  /// three letters, rounded, is accepted, and at least one. Ties go to the first candidate. No candidate is near to a
  /// word of more than 64 scalars, because the time is proportional to its length, which clients choose.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    guard word.unicodeScalars.prefix(wordLimit + 1).count <= wordLimit else { return nil }
    let limit = max(1, (word.count + 1) / 3)
    return
      candidates
      .map { candidate in
        let isBeginning = word.count > 1 && candidate.hasPrefix(word)
        return (candidate, isBeginning ? 1 : editDistance(word, candidate))
      }
      .filter { candidate, distance in distance <= limit && distance < candidate.count }
      .min { $0.1 < $1.1 }?
      .0
  }

  /// Returns the number of characters that must be inserted, removed, replaced or swapped with
  /// their neighbor to turn one word into the other, if no position is changed twice.
  ///
  /// This is the Damerau–Levenshtein distance in its restricted form (optimal string alignment).
  /// F. Damerau, "A technique for computer detection and correction of spelling errors", 1964,
  /// <https://doi.org/10.1145/363958.363994>.
  ///
  /// - Complexity: O(*n* · *m*) in the lengths of the words.
  package static func editDistance(_ first: String, _ second: String) -> Int {
    let first = Array(first)
    let second = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, character) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var cost = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (character == other ? 0 : 1))
        if row > 0, column > 0, character == second[column - 1], first[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[second.count]
  }
}

/// Returns words as alternatives: `a`, `a or b`, `a, b or c`.
package func alternatives(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}
