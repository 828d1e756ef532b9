/// The tables `propertyNames` and `properties`: the values of each property, in the order of the entities' keys.
package final class PropertyIndex {
  private let connection: CatalogueConnection
  /// The numbers of the properties that were written since the last rollback, by name in UTF-8.
  private var numbers: [[UInt8]: Int] = [:]

  init(connection: CatalogueConnection) { self.connection = connection }

  /// Forgets what was written, which a rollback or other contents have changed.
  func forget() { numbers = [:] }

  // MARK: Names

  /// Returns the number under which the values of a property are stored, or `nil` if no entity ever had
  /// it.
  package func number(of name: String) throws(CatalogueError) -> Int? {
    try connection.first("SELECT number FROM propertyNames WHERE name = ?", [.text(name)]) {
      $0.onlyInteger
    }
  }

  /// Returns the first names under which properties of entities are stored, in their order. A name keeps its number, also if
  /// the last entity with the property is removed, since a rollback expects that.
  ///
  /// - Complexity: O(number of names · log *n*).
  func names(limit: Int) throws(CatalogueError) -> [String] {
    try connection.rows(
      """
      SELECT name FROM propertyNames
      WHERE name > '' AND EXISTS (SELECT 1 FROM properties WHERE property = number)
      ORDER BY name LIMIT ?
      """, [.integer(limit)]
    ) { $0.onlyText }
  }

  /// Returns the names under which properties are stored and that have one of some texts, if the case of ASCII letters, blanks,
  /// hyphens, underscores, points and slashes are ignored.
  ///
  /// - Complexity: O(number of names).
  package func names(containingAnyOf parts: [String]) throws(CatalogueError) -> [String] {
    let plain = #" -_./:"#.reduce("name") { "replace(\($0), '\($1)', '')" }
    let tests = parts.map { _ in "\(plain) LIKE ?" }.joined(separator: " OR ")
    return try connection.rows(
      "SELECT name FROM propertyNames WHERE name > '' AND (\(tests)) ORDER BY name",
      parts.map { .text("%\($0)%") }
    ) { $0.onlyText }
  }

  // MARK: Values

  private enum KeyAndValue: Int, SQLiteColumns { case entity, value }

  /// Inserts the keys in a range whose values of a property pass a test.
  ///
  /// - Complexity: O(number of values of the property in the range).
  func insertKeys(
    passing test: (sql: String, values: [SQLiteValue]), property: Int, in range: Range<UInt32>,
    into keys: inout KeySet
  ) throws(CatalogueError) {
    try connection.forEachRow(
      """
      SELECT entity FROM properties
      WHERE property = ? AND entity >= ? AND entity < ? AND (\(test.sql))
      """, Self.place(property, range) + test.values
    ) { row in keys.insert(UInt32(clamping: row.onlyInteger)) }
  }

  /// Returns the values of a property in a range of keys, with the first value of each list.
  ///
  /// - Parameter bound: The last value that can be in the result, with the sort order, or `nil` for
  ///   no bound.
  func values(
    of property: Int, in range: Range<UInt32>,
    upTo bound: (value: SortValue, order: EntitySort.Order)? = nil
  ) throws(CatalogueError) -> [UInt32: SortValue] {
    let test = bound.map { $0.order == .ascending ? " AND value <= ?" : " AND value >= ?" } ?? ""
    var values: [UInt32: SortValue] = [:]
    try connection.forEachRow(
      Self.firstValues + test,
      Self.place(property, range) + (bound.map { [$0.value.sqlValue] } ?? [])
    ) { row in
      values[UInt32(clamping: row.integer(KeyAndValue.entity))] = SortValue(
        row.value(KeyAndValue.value))
    }
    return values
  }

  private static let firstValues = """
    SELECT \(KeyAndValue.list) FROM properties
    WHERE property = ? AND entity >= ? AND entity < ? AND place = 0
    """

  /// Returns the values of a property for keys in ascending order.
  func values(of property: Int, keys: [UInt32]) throws(CatalogueError) -> [UInt32: SortValue] {
    guard let first = keys.first, let last = keys.last else { return [:] }
    // Reads all rows between the first and the last key if that is cheaper: a lookup costs about
    // ten times as much as reading the next row.
    if keys.count > (Int(last) - Int(first)) / 10 {
      return try values(of: property, in: first..<last + 1)
    }
    var values: [UInt32: SortValue] = [:]
    for key in keys {
      values[key] = try self.values(of: property, in: key..<key + 1)[key]
    }
    return values
  }

  /// Returns the ids of entities for keys in ascending order, whose rows here are shorter than those of `entities`.
  func identities(of keys: [UInt32]) throws(CatalogueError) -> [UInt32: EntityID] {
    guard let type = try number(of: "type"), let id = try number(of: "id") else { return [:] }
    let (types, ids) = (try values(of: type, keys: keys), try values(of: id, keys: keys))
    var identities: [UInt32: EntityID] = [:]
    for key in keys {
      guard case .text(let type)? = types[key], case .text(let id)? = ids[key],
        let type = EntityType(rawValue: type)
      else { continue }
      identities[key] = EntityID(type: type, value: id)
    }
    return identities
  }

  /// Calls `body` with every value of a property in a range of keys, in the order of the keys.
  func forEachValue(
    of property: Int, in range: Range<UInt32>, _ body: (UInt32, SQLiteValue) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      "SELECT \(KeyAndValue.list) FROM properties WHERE property = ? AND entity >= ? AND entity < ?",
      Self.place(property, range)
    ) { row in
      body(UInt32(clamping: row.integer(KeyAndValue.entity)), row.value(KeyAndValue.value))
    }
  }

  private enum KeyAndDigits: Int, SQLiteColumns {
    case entity, digits

    static let list = "entity, replace(replace(CAST(value AS TEXT), '-', ''), ' ', '') AS digits"
  }

  /// Returns the keys in a range whose value of a property is one of some texts once blanks and hyphens are left out, with
  /// that text.
  ///
  /// - Complexity: O(number of values of the property in the range).
  func keys(
    with property: Int, amongDigits texts: [String], in range: Range<UInt32>
  ) throws(CatalogueError) -> [(key: UInt32, digits: String)] {
    let marks = texts.map { _ in "?" }.joined(separator: ", ")
    return try connection.rows(
      """
      SELECT \(KeyAndDigits.list) FROM properties
      WHERE property = ? AND entity >= ? AND entity < ? AND digits IN (\(marks))
      """, Self.place(property, range) + texts.map(SQLiteValue.text)
    ) { row in
      (UInt32(clamping: row.integer(KeyAndDigits.entity)), row.text(KeyAndDigits.digits))
    }
  }

  private static func place(_ property: Int, _ range: Range<UInt32>) -> [SQLiteValue] {
    [.integer(property), .integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
  }

  /// Returns whether an entity of a type has a property.
  func hasValue(of property: Int, _ type: EntityType) throws(CatalogueError) -> Bool {
    try connection.first(
      """
      SELECT 1 FROM entities WHERE type = ?
        AND EXISTS (SELECT 1 FROM properties WHERE property = ? AND entity = key) LIMIT 1
      """, [.text(type.rawValue), .integer(property)]
    ) { _ in true } ?? false
  }

  // MARK: Groups

  /// Returns the groups of some keys, without those that have none.
  package func groups(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: String] {
    try texts(of: "group", ofKeys: keys)
  }

  /// Returns the first values of a property that some keys have, without those that have none.
  package func texts(
    of name: String, ofKeys keys: [UInt32]
  ) throws(CatalogueError) -> [UInt32: String] {
    guard let property = try number(of: name) else { return [:] }
    var texts: [UInt32: String] = [:]
    for key in keys {
      texts[key] = try connection.first(
        "SELECT value FROM properties WHERE property = ? AND entity = ? AND place = 0",
        [.integer(property), .integer(Int(key))]
      ) { $0.onlyText }
    }
    return texts
  }

  /// Returns the first keys of a group, in ascending order.
  ///
  /// - Complexity: O(`limit` · log *n*) with the index that a writer makes; O(*n*) in a catalogue that
  ///   was last written without it.
  package func keys(ofGroup group: String, limit: Int) throws(CatalogueError) -> [UInt32] {
    guard let property = try number(of: "group") else { return [] }
    // The number is written into the SQL, because SQLite uses a partial index only if its
    // condition is a constant.
    return try connection.rows(
      """
      SELECT entity FROM properties WHERE property = \(property) AND value = ? AND place = 0
      ORDER BY entity LIMIT ?
      """, [.text(group), .integer(limit)]
    ) { UInt32(clamping: $0.onlyInteger) }
  }

  // MARK: Writing

  /// Adds the properties of an entity.
  func insert(_ value: EntityValue, key: Int) throws(CatalogueError) {
    for property in value.storedProperties {
      try connection.statement("INSERT INTO properties VALUES(?, ?, ?, ?, ?)").bind(
        .integer(try writtenNumber(of: property.name)), .integer(key), .integer(property.index),
        property.value, property.folded.map(SQLiteValue.text) ?? .null
      ).run()
    }
  }

  /// The number of names of properties up to which all names are tried when an entity is removed. If there are more,
  /// only those that the entity has are looked up.
  private static let fewNames = 256

  /// Removes the properties of an entity.
  ///
  /// - Parameter json: The stored form of the entity, from which they came.
  func remove(key: Int, json: String) throws(CatalogueError) {
    let last = try connection.first("SELECT max(number) FROM propertyNames", []) { $0.onlyInteger }
    guard last ?? 0 > Self.fewNames, let value = EntityTable.readableEntity(json) else {
      try connection.statement(
        """
        DELETE FROM properties
        WHERE property IN (SELECT number FROM propertyNames) AND entity = ?
        """
      ).bind(.integer(key)).run()
      return
    }
    for name in Set(value.storedProperties.map(\.name)) {
      try connection.statement("DELETE FROM properties WHERE property = ? AND entity = ?")
        .bind(.integer(try writtenNumber(of: name)), .integer(key)).run()
    }
  }

  /// Returns the number of a property, and assigns one at its first use.
  private func writtenNumber(of name: String) throws(CatalogueError) -> Int {
    let bytes = Array(name.utf8)
    if let number = numbers[bytes] { return number }
    try connection.statement("INSERT OR IGNORE INTO propertyNames(name) VALUES(?)")
      .bind(.text(name)).run()
    guard let number = try number(of: name) else {
      throw CatalogueError(code: .io, message: "a property was written but has no number")
    }
    numbers[bytes] = number
    if name == "group" {
      // The index that finds the members of a group. Its name includes the number, because
      // after a rollback the property may get another one.
      try connection.execute(
        """
        CREATE INDEX IF NOT EXISTS groupMembers\(number) ON properties(value)
        WHERE property = \(number)
        """)
    }
    return number
  }
}
