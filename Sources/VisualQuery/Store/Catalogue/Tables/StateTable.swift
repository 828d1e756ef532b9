/// The table `state`, of one row: the generation, its counts, and what makes the catalogue itself.
package struct StateTable {
  let connection: CatalogueConnection

  /// The values that describe a generation as a whole.
  package struct State: Sendable, Hashable {
    package var generation: Int
    package var productCount: Int
    package var storeCount: Int
    package var imageCount: Int
    /// The random identity of the catalogue, in hexadecimal digits.
    package var identity: String
    /// The key that seals tokens, in hexadecimal digits.
    package var secret: String

    package init(
      generation: Int, productCount: Int, storeCount: Int, imageCount: Int, identity: String,
      secret: String
    ) {
      self.generation = generation
      self.productCount = productCount
      self.storeCount = storeCount
      self.imageCount = imageCount
      self.identity = identity
      self.secret = secret
    }
  }

  private enum Column: Int, SQLiteColumns {
    case generation, productCount, storeCount, imageCount, identity, secret
  }

  /// Returns the state of the generation.
  package func current() throws(CatalogueError) -> State {
    let state = try connection.first("SELECT \(Column.list) FROM state") { row in
      State(
        generation: row.integer(Column.generation), productCount: row.integer(Column.productCount),
        storeCount: row.integer(Column.storeCount), imageCount: row.integer(Column.imageCount),
        identity: row.text(Column.identity), secret: row.text(Column.secret))
    }
    guard let state else { throw Self.missing }
    return state
  }

  /// The error of a catalogue whose table is empty.
  static var missing: CatalogueError {
    CatalogueError(
      code: .corrupt, message: "the catalogue has no state; \(CatalogueError.remedy)")
  }

  /// The number of a generation, and its token if it comes from PostgreSQL, where a number is given
  /// again if a standby that was behind is promoted.
  struct Stamp: Sendable, Hashable {
    let generation: Int
    let token: String
  }

  /// The name of the setting with the token of the generation in PostgreSQL.
  package static let tokenName = ShopSettings.replicaPrefix + "token"

  private enum StampColumn: Int, SQLiteColumns { case generation, token }

  /// Returns the stamp of the generation, or `nil` if there is none.
  func stamp() throws(CatalogueError) -> Stamp? {
    try connection.first(
      """
      SELECT generation, (SELECT value FROM settings WHERE name = '\(Self.tokenName)') AS token FROM state
      """
    ) { row in
      Stamp(generation: row.integer(StampColumn.generation), token: row.text(StampColumn.token))
    }
  }

  // MARK: Writing

  /// The differences of the counts, so that a commit does not count all rows.
  struct CountChanges {
    var entities: [EntityType: Int] = [:]
    var images = 0
  }

  /// Adds the row of an empty catalogue.
  func insert(signatureVersion: Int) throws(CatalogueError) {
    try connection.statement(
      "INSERT INTO state VALUES(0, ?, 0, 0, 0, hex(randomblob(8)), hex(randomblob(32)))"
    ).bind(.integer(signatureVersion)).run()
  }

  /// Counts all entities and images again.
  func recount() throws(CatalogueError) {
    try connection.execute(
      """
      UPDATE state SET
        productCount = (SELECT count(*) FROM entities WHERE type = 'product'),
        storeCount = (SELECT count(*) FROM entities WHERE type = 'store'),
        imageCount = (SELECT count(*) FROM images)
      """)
  }

  /// Makes the next generation, with other counts.
  func advance(_ changes: CountChanges) throws(CatalogueError) {
    try connection.statement(
      """
      UPDATE state SET generation = generation + 1, productCount = productCount + ?,
        storeCount = storeCount + ?, imageCount = imageCount + ?
      """
    ).bind(
      .integer(changes.entities[.product] ?? 0), .integer(changes.entities[.store] ?? 0),
      .integer(changes.images)
    ).run()
  }

  /// Takes the state of another catalogue.
  package func replace(with state: State) throws(CatalogueError) {
    try connection.statement(
      """
      UPDATE state SET generation = ?, productCount = ?, storeCount = ?, imageCount = ?,
        identity = ?, secret = ?
      """
    ).bind(
      .integer(state.generation), .integer(state.productCount), .integer(state.storeCount),
      .integer(state.imageCount), .text(state.identity), .text(state.secret)
    ).run()
  }
}
