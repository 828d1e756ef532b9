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
      select id, token, products, stores, images, last_key, last_sequence, last_segment
      from vq.generation order by id desc limit 1
      """
    ).first.map { row in
      PostgresGeneration(
        number: row.integer(0), token: row.text(1), products: row.integer(2),
        stores: row.integer(3), images: row.integer(4),
        numbers: SequenceTable.LastNumbers(
          key: row.integer(5), sequence: row.integer(6), segment: row.integer(7)))
    }
  }
}

extension CatalogueDatabase {
  /// Returns 32 random hexadecimal digits.
  static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in
      String(UInt8.random(in: 0..<16, using: &generator), radix: 16)
    }.joined()
  }
}
