/// The tables `entityText` and `wordParts`: the texts of entities by their words, and the words that a mistyped one may mean.
package final class TextIndex {
  private let connection: CatalogueConnection
  /// Words that were stored since the last rollback.
  private var knownWords: Set<String> = []

  init(connection: CatalogueConnection) { self.connection = connection }

  /// Forgets what was written, which a rollback or other contents have changed.
  func forget() { knownWords = [] }

  // MARK: Texts

  /// An entity that matches a text, with its score: lower is better.
  typealias Hit = (key: UInt32, score: Double)

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

  /// The texts of entities that words are looked for in.
  package enum Texts: Sendable {
    /// Titles, subtitles, brands and other names.
    case names
    /// All but descriptions, which are fields of the shop's own.
    case allButDescription
    /// All texts.
    case all

    fileprivate var restriction: String {
      switch self {
      case .names: "{title subtitle brand names} : "
      case .allButDescription: "- description : "
      case .all: ""
      }
    }
  }

  private enum Found: Int, SQLiteColumns {
    case key, score

    static let list = "rowid, bm25(entityText, 10, 4, 4, 4, 6, 1)"
  }

  /// Returns the first entities, by key, that contain a form of each word, the first form of the last
  /// word also as a prefix. The score is BM25 with the highest weight for the title and the lowest for the
  /// description.
  ///
  func hits(
    ofWords words: [[String]], in texts: Texts, _ restriction: TypeRestriction?, limit: Int
  ) throws(CatalogueError) -> [Hit] {
    // Folded words contain no quotes.
    let query = words.enumerated().map { number, forms in
      let terms = forms.enumerated().map { form, word in
        "\"\(word)\"" + (form == 0 && number == words.count - 1 ? "*" : "")
      }
      return terms.count == 1 ? terms[0] : "(" + terms.joined(separator: " OR ") + ")"
    }
    return try connection.rows(
      """
      SELECT \(Found.list) FROM entityText
      WHERE entityText MATCH ?\(restriction?.sql ?? "") LIMIT ?
      """,
      [
        .text("\(texts.restriction)(\(query.joined(separator: " AND ")))")
      ]
        + (restriction.map { [.text($0.type.rawValue)] } ?? []) + [.integer(limit)]
    ) { (UInt32(clamping: $0.integer(Found.key)), $0.number(Found.score)) }
  }

  private enum Name: Int, SQLiteColumns { case rowid, title, brand }

  /// Calls `body` with the folded title and brand of each entity.
  func forEachName(
    _ body: (_ key: UInt32, _ title: String, _ brand: String) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow("SELECT \(Name.list) FROM entityText", isScan: true) { row in
      body(UInt32(clamping: row.integer(Name.rowid)), row.text(Name.title), row.text(Name.brand))
    }
  }

  /// Adds the texts of an entity.
  func insert(_ value: EntityValue, key: Int) throws(CatalogueError) {
    var brand = ""
    if case .product(let product) = value { brand = product.brand ?? "" }
    let display = value.displayRepresentation
    let texts = [
      display.title, display.subtitle ?? "", value.labels.joined(separator: " "), brand,
      Self.otherNames(of: value),
    ].map(LabelText.folded)
    let description = LabelText.folded(value.longDescription ?? "")
    try connection.statement(
      """
      INSERT INTO entityText(rowid, title, subtitle, labels, brand, names, description)
      VALUES(?, ?, ?, ?, ?, ?, ?)
      """
    ).bind([.integer(key)] + (texts + [description]).map(SQLiteValue.text)).run()
    // Words of the description are left out: typing mistakes are corrected only to words of the
    // other texts.
    try insertWords(of: texts)
  }

  /// Returns the synonyms of an entity and its texts in other languages.
  private static func otherNames(of value: EntityValue) -> String {
    let languages = value.text.localized.sorted { $0.key < $1.key }.map(\.value)
    let names =
      value.text.synonyms
      + languages.flatMap { [$0.title, $0.subtitle].compactMap(\.self) + $0.synonyms }
    return names.joined(separator: " ")
  }

  /// Removes the texts of an entity.
  func remove(key: Int) throws(CatalogueError) {
    try connection.statement("DELETE FROM entityText WHERE rowid = ?").bind(.integer(key)).run()
  }

  // MARK: Words

  /// The most words that are compared with a mistyped one for each of its parts.
  private static let comparedLimit = 500
  /// The most words that are taken for one that is mistyped.
  private static let nearLimit = 8
  /// The most words that are remembered as stored.
  private static let knownWordLimit = 1_000_000

  /// Stores the words of some texts, by which mistyped ones are found.
  ///
  /// A word stays when its last entity is removed: it then finds nothing.
  private func insertWords(of texts: [String]) throws(CatalogueError) {
    for word in texts.flatMap(LabelText.searchedWords) where !knownWords.contains(word) {
      if knownWords.count < Self.knownWordLimit { knownWords.insert(word) }
      try insertWord(word)
    }
  }

  /// Stores a word.
  package func insertWord(_ word: String) throws(CatalogueError) {
    for part in WordParts.parts(of: word) {
      try connection.statement("INSERT OR IGNORE INTO wordParts VALUES(?, ?, ?, ?)").bind(
        .integer(part.length), .integer(part.place), .text(part.text), .text(word)
      ).run()
    }
  }

  /// Calls `body` with each stored word.
  package func forEachWord(
    _ body: (String) throws(CatalogueError) -> Void
  ) throws(CatalogueError) {
    try connection.forEachRow("SELECT DISTINCT word FROM wordParts WHERE place = 0") {
      row throws(CatalogueError) in try body(row.onlyText)
    }
  }

  /// Returns whether an entity has, or once had, a word.
  func hasWord(_ word: String) throws(CatalogueError) -> Bool {
    guard let part = WordParts.parts(of: word).first else { return false }
    return try connection.first(
      "SELECT 1 FROM wordParts WHERE length = ? AND place = ? AND part = ? AND word = ?",
      [.integer(part.length), .integer(part.place), .text(part.text), .text(word)]
    ) { _ in true } ?? false
  }

  /// Returns the words of entities that a mistyped word may mean, the nearest first, without itself.
  func words(near typed: String) throws(CatalogueError) -> [String] {
    var found: Set<String> = []
    for part in WordParts.candidates(for: typed) {
      try connection.forEachRow(
        "SELECT word FROM wordParts WHERE length = ? AND place = ? AND part = ? LIMIT ?",
        [
          .integer(part.length), .integer(part.place), .text(part.text),
          .integer(Self.comparedLimit),
        ]
      ) { row in found.insert(row.onlyText) }
    }
    let limit = WordParts.mistakes(in: typed)
    let near = found.map { (distance: Suggestion.editDistance(typed, $0), word: $0) }
      .filter { (1...limit).contains($0.distance) }
      .sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }
    return near.prefix(Self.nearLimit).map(\.word)
  }
}
