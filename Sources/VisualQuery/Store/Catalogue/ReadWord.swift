/// A word that was read in the image of a question, compared with an entity.
package struct ReadWord: Sendable, Hashable, Codable {
  /// The word, in lower case without diacritics, as it was read: one letter may be wrong.
  package let text: String
  /// A Boolean value that indicates whether the entity has the word: in its title, its brand or the text of its images. If not, others do, and
  /// it counts against this one.
  package let agrees: Bool
  /// The corners of the line with the word in the direction of reading, each `[x, y]` in shares of the image; empty if its place is not
  /// known.
  package let corners: [[Double]]

  /// Makes a word.
  package init(text: String, agrees: Bool, corners: [[Double]]) {
    self.text = text
    self.agrees = agrees
    self.corners = corners
  }
}
