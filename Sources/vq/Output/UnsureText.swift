/// The words about what an image may show though it is not sure.
enum UnsureText {
  /// The mark that is shown in place of a rank.
  static let mark = "?"

  /// The line above the list, as a part of a sentence.
  static func heading(_ count: Int) -> String {
    count == 1 ? "not sure, but probably this" : "not sure, one of these"
  }

  /// The line above the list as a title.
  static func title(_ count: Int) -> String {
    let heading = heading(count)
    return heading.prefix(1).uppercased() + heading.dropFirst()
  }
}
