/// Keys of entities by property, label, type and text, read in parts of bounded length.
extension CatalogueDatabase {
  /// Returns the number under which the values of a property are stored, or `nil` if no entity ever had
  /// it.
  func propertyNumber(_ name: String) throws(CatalogueError) -> Int? {
    try connection.first("SELECT number FROM propertyNames WHERE name = ?", [.text(name)]) {
      $0.integer(0)
    }
  }

  /// Returns the first names under which properties of entities are stored, in their order. A name keeps its number, also if
  /// the last entity with the property is removed, since a rollback expects that.
  ///
  /// - Complexity: O(number of names · log *n*).
  func propertyNames(limit: Int) throws(CatalogueError) -> [String] {
    try connection.rows(
      """
      SELECT name FROM propertyNames
      WHERE name > '' AND EXISTS (SELECT 1 FROM properties WHERE property = number)
      ORDER BY name LIMIT ?
      """, [.integer(limit)]
    ) { $0.text(0) }
  }

  /// Returns the names under which properties are stored and that have one of some texts, if the case of ASCII letters, blanks,
  /// hyphens, underscores, points and slashes are ignored.
  ///
  /// - Complexity: O(number of names).
  func propertyNames(containingAnyOf parts: [String]) throws(CatalogueError) -> [String] {
    let plain = #" -_./:"#.reduce("name") { "replace(\($0), '\($1)', '')" }
    let tests = parts.map { _ in "\(plain) LIKE ?" }.joined(separator: " OR ")
    return try connection.rows(
      "SELECT name FROM propertyNames WHERE name > '' AND (\(tests)) ORDER BY name",
      parts.map { .text("%\($0)%") }
    ) { $0.text(0) }
  }

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
      """,
      [.integer(property), .integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
        + test.values
    ) { row in keys.insert(UInt32(clamping: row.integer(0))) }
  }

  /// Inserts the keys in a range that have a normalized label.
  ///
  /// - Complexity: O(log *n* + number of keys).
  func insertKeys(
    withLabel label: String, in range: Range<UInt32>, into keys: inout KeySet
  ) throws(CatalogueError) {
    let types = EntityType.allCases.map { SQLiteValue.text($0.rawValue) }
    let marks = types.map { _ in "?" }.joined(separator: ", ")
    // With the types, the condition is a search of the whole primary key.
    try connection.forEachRow(
      "SELECT entity FROM labels WHERE label = ? AND type IN (\(marks)) AND entity >= ? AND entity < ?",
      [.text(label)] + types
        + [.integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
    ) { row in keys.insert(UInt32(clamping: row.integer(0))) }
  }

  /// Returns the values of a property in a range of keys, with the first value of each list.
  ///
  /// - Parameter bound: The last value that can be in the result, with the sort order, or `nil` for
  ///   no bound.
  func values(
    ofProperty property: Int, in range: Range<UInt32>,
    upTo bound: (value: SortValue, order: EntitySort.Order)? = nil
  ) throws(CatalogueError) -> [UInt32: SortValue] {
    let test = bound.map { $0.order == .ascending ? " AND value <= ?" : " AND value >= ?" } ?? ""
    var values: [UInt32: SortValue] = [:]
    try connection.forEachRow(
      """
      SELECT entity, value FROM properties
      WHERE property = ? AND entity >= ? AND entity < ? AND place = 0\(test)
      """,
      [.integer(property), .integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
        + (bound.map { [$0.value.sqlValue] } ?? [])
    ) { row in values[UInt32(clamping: row.integer(0))] = SortValue(row.value(1)) }
    return values
  }

  /// Calls `body` with every value of a property in a range of keys, in the order of the keys.
  func forEachValue(
    ofProperty property: Int, in range: Range<UInt32>, _ body: (UInt32, SQLiteValue) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow(
      "SELECT entity, value FROM properties WHERE property = ? AND entity >= ? AND entity < ?",
      [.integer(property), .integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
    ) { row in body(UInt32(clamping: row.integer(0)), row.value(1)) }
  }

  /// Returns the keys in a range whose value of a property is one of some texts once blanks and hyphens are left out, with
  /// that text.
  ///
  /// - Complexity: O(number of values of the property in the range).
  func keys(
    withProperty property: Int, amongDigits texts: [String], in range: Range<UInt32>
  ) throws(CatalogueError) -> [(key: UInt32, digits: String)] {
    let marks = texts.map { _ in "?" }.joined(separator: ", ")
    return try connection.rows(
      """
      SELECT entity, replace(replace(CAST(value AS TEXT), '-', ''), ' ', '') AS digits FROM properties
      WHERE property = ? AND entity >= ? AND entity < ? AND digits IN (\(marks))
      """,
      [.integer(property), .integer(Int(range.lowerBound)), .integer(Int(range.upperBound))]
        + texts.map(SQLiteValue.text)
    ) { (UInt32(clamping: $0.integer(0)), $0.text(1)) }
  }

  /// Returns the first keys of a type after a key.
  func keys(
    of type: EntityType, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    try connection.rows(
      "SELECT key FROM entities WHERE type = ? AND key > ? ORDER BY key LIMIT ?",
      [.text(type.rawValue), .integer(Int(key)), .integer(limit)]
    ) { UInt32(clamping: $0.integer(0)) }
  }

  /// Returns the first keys of a type after a key, in ascending order, that have a normalized
  /// label.
  func keys(
    withLabel label: String, type: EntityType, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [UInt32] {
    try connection.rows(
      """
      SELECT entity FROM labels WHERE label = ? AND type = ? AND entity > ?
      ORDER BY entity LIMIT ?
      """, [.text(label), .text(type.rawValue), .integer(Int(key)), .integer(limit)]
    ) { UInt32(clamping: $0.integer(0)) }
  }

  /// Returns the first entities of a type after an id, in the order of their ids.
  func ids(
    of type: EntityType, after id: String, limit: Int
  ) throws(CatalogueError) -> [(key: UInt32, id: EntityID)] {
    try connection.rows(
      "SELECT key, id FROM entities WHERE type = ? AND id > ? ORDER BY id LIMIT ?",
      [.text(type.rawValue), .text(id), .integer(limit)]
    ) { (UInt32(clamping: $0.integer(0)), EntityID(type: type, value: $0.text(1))) }
  }

  /// Returns the first keys of a type after a key that have a suggestion rank, with the group of
  /// each key that has one.
  func suggestions(
    of type: EntityType, rank: Int, after key: UInt32, limit: Int
  ) throws(CatalogueError) -> [(key: UInt32, group: String?)] {
    try connection.rows(
      """
      SELECT key, value FROM entities LEFT JOIN properties
        ON property = (SELECT number FROM propertyNames WHERE name = 'group')
          AND entity = key AND place = 0
      WHERE type = ? AND rank = ? AND key > ? ORDER BY key LIMIT ?
      """, [.text(type.rawValue), .integer(rank), .integer(Int(key)), .integer(limit)]
    ) { (UInt32(clamping: $0.integer(0)), $0.isNull(1) ? nil : $0.text(1)) }
  }

  /// Returns the groups of some keys, without those that have none.
  func groups(ofKeys keys: [UInt32]) throws(CatalogueError) -> [UInt32: String] {
    guard let property = try propertyNumber("group") else { return [:] }
    var groups: [UInt32: String] = [:]
    for key in keys {
      groups[key] = try connection.first(
        "SELECT value FROM properties WHERE property = ? AND entity = ? AND place = 0",
        [.integer(property), .integer(Int(key))]
      ) { $0.text(0) }
    }
    return groups
  }

  /// Returns the first keys of a group, in ascending order.
  ///
  /// - Complexity: O(`limit` · log *n*) with the index that a writer makes; O(*n*) in a catalogue that
  ///   was last written without it.
  func keys(ofGroup group: String, limit: Int) throws(CatalogueError) -> [UInt32] {
    guard let property = try propertyNumber("group") else { return [] }
    // The number is a part of the text, so that the partial index is used.
    return try connection.rows(
      """
      SELECT entity FROM properties WHERE property = \(property) AND value = ? AND place = 0
      ORDER BY entity LIMIT ?
      """, [.text(group), .integer(limit)]
    ) { UInt32(clamping: $0.integer(0)) }
  }

  /// An entity that matches a text, with its score: lower is better.
  typealias TextHit = (key: UInt32, score: Double)

  /// A restriction to one type. SQLite collects the keys of the type that it names.
  enum TypeRestriction: Sendable {
    case only(EntityType)
    case without(EntityType)

    fileprivate var sql: String {
      switch self {
      case .only: " AND +rowid IN (SELECT key FROM entities WHERE type = ?)"
      case .without: " AND +rowid NOT IN (SELECT key FROM entities WHERE type = ?)"
      }
    }

    fileprivate var type: EntityType {
      switch self {
      case .only(let type), .without(let type): type
      }
    }
  }

  /// Returns the first entities, by key, that contain a form of each word, the first form of the last
  /// word also as a prefix. The score is BM25 with the highest weight for the title and the lowest for the
  /// description.
  func hits(
    ofWords words: [[String]], _ restriction: TypeRestriction?, limit: Int
  ) throws(CatalogueError) -> [TextHit] {
    // Folded words contain no quotes.
    let query = words.enumerated().map { number, forms in
      let terms = forms.enumerated().map { form, word in
        "\"\(word)\"" + (form == 0 && number == words.count - 1 ? "*" : "")
      }
      return terms.count == 1 ? terms[0] : "(" + terms.joined(separator: " OR ") + ")"
    }
    return try connection.rows(
      """
      SELECT rowid, bm25(entityText, 10, 4, 4, 4, 6, 1) FROM entityText
      WHERE entityText MATCH ?\(restriction?.sql ?? "") LIMIT ?
      """,
      [.text(query.joined(separator: " AND "))]
        + (restriction.map { [.text($0.type.rawValue)] } ?? []) + [.integer(limit)]
    ) { (UInt32(clamping: $0.integer(0)), $0.number(1)) }
  }
}
