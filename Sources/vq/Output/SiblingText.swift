/// The words for entities that show the same thing as an image in another color.
enum SiblingText {
  /// The mark that is shown in place of a rank.
  static let mark = "="
  /// The line above the list.
  static let heading = "The same thing in another color"
}
