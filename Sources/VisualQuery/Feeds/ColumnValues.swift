/// Recognizes the columns of a table that no list has, by their names and the values of the first rows together.
enum ColumnValues {
  private static let imageWords = FeedData.wordSet("images")
  private static let otherImageWords = FeedData.wordSet("other images")

  /// Adds the targets of columns of images and of colors, and takes that of a column of states of a country away.
  static func add(to targets: inout [FeedTarget?], _ header: TableHeader, _ rows: [[String]]) {
    for (column, name) in header.normalized.enumerated()
    where targets[column] == .visibility && name == "state" {
      let values = rows.map { $0[column].trimmed }.filter { !$0.isEmpty }
      // `NE` is Nebraska beside `HH`, and a word for no in some languages.
      let hasCode = values.contains { $0.count == 2 && $0.allSatisfy(\.isLetter) }
      let isOfShop = values.contains {
        $0.count > 2 && (FeedText.isHidden($0) || FeedText.flag($0) == true)
      }
      if hasCode, !isOfShop { targets[column] = nil }
    }
    for (column, name) in header.columns.enumerated()
    where targets[column] == nil && isImageName(name) {
      // A column with a known name has another address of an image that a recognized column names already.
      if ColumnVocabulary.targets(of: [name])[0] != nil { continue }
      let values = rows.map { $0[column].trimmed }.filter(FeedText.isValue)
      let addresses = values.count { FeedFindings.isImage($0) || $0.hasPrefix("http") }
      guard !values.isEmpty, addresses * 10 >= values.count * 9 else { continue }
      targets[column] = targets.contains(.image) ? .images : .image
    }
    if targets.contains(.attribute("color")) { return }
    for column in header.columns.indices where targets[column] == nil {
      let values = Set(rows.map { $0[column].trimmed }.filter { !$0.isEmpty })
      if values.count > 1, FeedText.areColors(values) {
        targets[column] = .attribute("color")
        return
      }
    }
  }

  /// Returns whether a name has a word for images in it, and none for small ones or for those of something else.
  private static func isImageName(_ name: String) -> Bool {
    let name = FeedData.plain(name)
    return imageWords.contains(where: name.contains)
      && !otherImageWords.contains(where: name.contains)
  }
}
