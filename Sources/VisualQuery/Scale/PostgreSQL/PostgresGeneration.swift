/// A generation in PostgreSQL.
package struct PostgresGeneration: Sendable, Hashable {
  let number: Int
  /// The random name of the generation: a number is given again if a standby that was behind is
  /// promoted, a token is not.
  let token: String
  let products: Int
  let stores: Int
  let images: Int
  let numbers: SequenceTable.LastNumbers

  /// Returns the newest generation, or `nil` if there is none.
  static func newest(_ connection: PostgresConnection) throws(CatalogueError) -> PostgresGeneration?
  {
    try connection.run(
      """
      select \(Column.list)
      from vq.generation order by id desc limit 1
      """
    ).first.map { row in
      PostgresGeneration(
        number: row.integer(Column.id), token: row.text(Column.token),
        products: row.integer(Column.products), stores: row.integer(Column.stores),
        images: row.integer(Column.images),
        numbers: SequenceTable.LastNumbers(
          key: row.integer(Column.lastKey), sequence: row.integer(Column.lastSequence),
          segment: row.integer(Column.lastSegment)))
    }
  }
  private enum Column: Int, PostgresColumns {
    case id, token, products, stores, images, lastKey, lastSequence, lastSegment
  }

  /// Returns the token of a new generation or change: 32 random hexadecimal digits.
  static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in
      String(UInt8.random(in: 0..<16, using: &generator), radix: 16)
    }.joined()
  }
}
