/// SQLite's table of the last numbers that were ever given, which are never given again.
package struct SequenceTable {
  let connection: CatalogueConnection

  /// The last key, place in the list of changes and segment that were ever given.
  package struct LastNumbers: Sendable, Hashable {
    package var key = 0
    package var sequence = 0
    package var segment = 0

    package init(key: Int = 0, sequence: Int = 0, segment: Int = 0) {
      self.key = key
      self.sequence = sequence
      self.segment = segment
    }
  }

  private static let tables: [(String, any WritableKeyPath<LastNumbers, Int> & Sendable)] =
    [
      ("entities", \.key), ("changes", \.sequence), ("segments", \.segment),
    ]

  /// Returns the last numbers.
  package func last() throws(CatalogueError) -> LastNumbers {
    var numbers = LastNumbers()
    for (table, path) in Self.tables {
      numbers[keyPath: path] =
        try connection.first("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(table)]) {
          $0.onlyInteger
        } ?? 0
    }
    return numbers
  }

  /// Replaces the last numbers with those of another catalogue.
  package func set(_ numbers: LastNumbers) throws(CatalogueError) {
    for (table, path) in Self.tables {
      try connection.statement("DELETE FROM sqlite_sequence WHERE name = ?").bind(.text(table))
        .run()
      try connection.statement("INSERT INTO sqlite_sequence(name, seq) VALUES(?, ?)").bind(
        .text(table), .integer(numbers[keyPath: path])
      ).run()
    }
  }
}
