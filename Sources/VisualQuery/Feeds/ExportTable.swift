/// The table of a shop system's export: its columns with their meaning, and the options of the run.
struct ExportTable: Sendable {
  let header: TableHeader
  /// The meaning of each column, or `nil` for one that is kept unchanged or read by the format.
  let targets: [FeedTarget?]
  let context: FeedContext

  /// Makes a table.
  ///
  /// - Parameter target: Returns the meaning of a column by its normalized name.
  init(_ header: TableHeader, _ context: FeedContext, target: (String) -> FeedTarget?) {
    self.header = header
    self.context = context
    targets = header.normalized.map(target)
  }

  /// Returns the meaning of the columns for people.
  ///
  /// - Parameter isLeftOut: Returns whether a column, by its normalized name, is not a field of the entities.
  func mapping(
    _ format: FeedFormat, leavingOut isLeftOut: (String) -> Bool = { _ in false }
  ) -> FeedMapping {
    let columns = header.normalized.indices.filter { !isLeftOut(header.normalized[$0]) }
    return FeedMapping(
      format: format, columns.map { header.columns[$0] }, columns.map { targets[$0] })
  }

  /// Returns the product codes of a row, by the names of their columns.
  func codes(in fields: [String]) -> [(name: String, text: String)] {
    fields.indices.filter {
      targets[$0] == nil && !fields[$0].isEmpty && ProductCode.isField(header.columns[$0])
    }.map { (header.columns[$0], fields[$0]) }
  }

  /// Returns the first field of a row that is not empty, of some columns by their normalized names.
  func text(_ names: String..., in fields: [String]) -> String? {
    for name in names {
      if let column = header.index(name), !fields[column].isEmpty { return fields[column] }
    }
    return nil
  }
}
