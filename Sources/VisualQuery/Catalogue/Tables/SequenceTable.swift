/// SQLite's table of the last numbers that were ever given, which are never given again.
struct SequenceTable {
  let connection: CatalogueConnection

  /// The last key, place in the list of changes and segment that were ever given.
  struct LastNumbers: Sendable, Hashable {
    var key = 0
    var sequence = 0
    var segment = 0
  }

  private static let tables: [(String, any WritableKeyPath<LastNumbers, Int> & Sendable)] =
    [
      ("entities", \.key), ("changes", \.sequence), ("segments", \.segment),
    ]

  /// Returns the last numbers.
  func last() throws(CatalogueError) -> LastNumbers {
    var numbers = LastNumbers()
    for (table, path) in Self.tables {
      numbers[keyPath: path] =
        try connection.first("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(table)]) {
          $0.integer(0)
        } ?? 0
    }
    return numbers
  }

  /// Replaces the last numbers with those of another catalogue.
  func set(_ numbers: LastNumbers) throws(CatalogueError) {
    for (table, path) in Self.tables {
      try connection.statement("DELETE FROM sqlite_sequence WHERE name = ?").bind(.text(table))
        .run()
      try connection.statement("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)").bind(
        .text(table), .integer(numbers[keyPath: path])
      ).run()
    }
  }
}
