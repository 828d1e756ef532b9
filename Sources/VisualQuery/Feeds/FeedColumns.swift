/// The columns of a table, with what they would become: a mapping to start from.
public struct FeedColumns: Sendable {
  /// The columns of the table.
  public let names: [String]
  /// The assignments that are recognized by the names, in the order of the columns.
  public let assignments: [(target: String, column: String)]

  /// Reads the header of a table.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`, also if the file is not a table.
  public init(path: String) throws(CatalogueError) {
    var records = try RecordReader(path: path)
    guard case .table(let header) = try FeedHead(of: &records) else {
      throw CatalogueError(
        code: .unreadableInput,
        message: "'\(path)' is not a table; a mapping names the columns of a table")
    }
    names = header.columns.map(\.trimmed)
    let targets = ColumnVocabulary.targets(of: header.columns)
    assignments = zip(names, targets).compactMap { name, target in
      guard let target else { return nil }
      let known = FeedTarget.named.filter { $0.value == target }.keys.min { $0.count < $1.count }
      return known.map { ($0, name) }
    }
  }

  /// The value of `--map` with the recognized columns, and placeholders for `id` and `title` if
  /// they are not recognized. A comma in the name of a column is left out, which does not matter to
  /// how it is found.
  public var mapping: String {
    var parts = assignments.map { "\($0.target)=\($0.column.replacing(",", with: " "))" }
    for required in ["title", "id"] where !assignments.contains(where: { $0.target == required }) {
      parts.insert("\(required)=COLUMN", at: 0)
    }
    return parts.joined(separator: ",")
  }
}
