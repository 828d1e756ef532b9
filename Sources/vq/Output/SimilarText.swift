/// The words for entities of the same kind as what an image shows.
enum SimilarText {
  /// The mark that is shown in place of a rank.
  static let mark = "~"
  /// The line above the list.
  static let heading = "Similar"
}
