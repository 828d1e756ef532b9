internal import PixelMatch

/// The row of `vq.posted` about a segment: what the shard must have of it.
struct PostedRecord: Sendable {
  /// The words of which there are lists.
  let words: StoredWords
  /// The exclusive or of the seals of all lists.
  let listsSeal: UInt64
  /// The number of signatures, and the exclusive or of their seals.
  let rows: Int
  let signaturesSeal: UInt64

  /// The state of a record on a shard.
  enum State: Sendable {
    /// The lists and signatures were written with seals.
    case sealed(PostedRecord)
    /// An earlier version wrote them: damage is only noticed if they cannot be lists and signatures.
    case unsealed
    /// The record itself is damaged.
    case damaged

    /// True if each list and each signature has a seal.
    var hasSeals: Bool { if case .unsealed = self { false } else { true } }

    /// Returns whether there must be a list of a word.
    func mustHave(_ word: UInt32) -> Bool {
      if case .sealed(let record) = self { record.words.contains(word) } else { false }
    }
  }

  /// The columns of ``query(of:)``.
  private enum Column: Int, PostgresColumns {
    case name, rows, lists, listsSeal, signaturesSeal, words, seal
  }

  /// The values of the columns that are written once the lists and signatures are.
  func values(_ name: String) -> [PostgresValue] {
    [
      .integer(words.count), .integer(Int(bitPattern: UInt(listsSeal))),
      .integer(Int(bitPattern: UInt(signaturesSeal))), .bytes(words.encoded),
      .integer(Int(bitPattern: UInt(seal(name)))),
    ]
  }

  /// The statement that sets ``values(_:)`` of the segment of a number, which is the last parameter.
  static let update = """
    update vq.posted set lists = $1, lists_seal = $2, signatures_seal = $3, words = $4, seal = $5 where id = $6
    """

  private func seal(_ name: String) -> UInt64 {
    var bytes: [UInt8] = []
    for number in [UInt64(rows), UInt64(words.count), listsSeal, signaturesSeal] {
      for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
    }
    return StoredSeals(of: name).seal(ofRecord: bytes + words.encoded)
  }

  /// Reads the records of some segments; those that the shard does not know are left out.
  static func states(
    of names: [String], _ connection: PostgresConnection
  ) throws(CatalogueError) -> [String: State] {
    guard try PostgresSchema.check(connection) >= PostgresSchema.sealsVersion else {
      return Dictionary(uniqueKeysWithValues: names.map { ($0, State.unsealed) })
    }
    var states: [String: State] = [:]
    for name in names {
      let row = try connection.run(
        """
        select name, rows, lists, lists_seal, signatures_seal,
          case when length(words) <= \(StoredWords.mostEncodedByteCount) then words end, seal
        from vq.posted where name = $1
        """, [.text(name)]
      ).first
      if let row { states[name] = state(row) }
    }
    return states
  }

  private static func state(_ row: PostgresRow) -> State {
    let sealed = [Column.lists, .listsSeal, .signaturesSeal, .words, .seal]
    if sealed.allSatisfy({ row.isNull($0) }) { return .unsealed }
    guard let words = StoredWords(encoded: row.bytes(Column.words)) else { return .damaged }
    func number(_ column: Column) -> UInt64 { UInt64(bitPattern: Int64(row.integer(column))) }
    let record = PostedRecord(
      words: words, listsSeal: number(.listsSeal), rows: row.integer(Column.rows),
      signaturesSeal: number(.signaturesSeal))
    let isSound =
      row.integer(Column.lists) == words.count && record.rows >= 0
      && number(.seal) == record.seal(row.text(Column.name))
    return isSound ? .sealed(record) : .damaged
  }

  /// Returns whether a shard has all that its record says.
  ///
  /// - Complexity: O(lists and signatures of the segment), on the shard.
  static func isComplete(
    _ name: String, _ id: Int, _ connection: PostgresConnection
  ) throws(CatalogueError) -> Bool {
    guard case .sealed(let record) = try states(of: [name], connection)[name] else { return false }
    for (table, count, seal) in [
      ("post", record.words.count, record.listsSeal),
      ("signature", record.rows, record.signaturesSeal),
    ] {
      let row = try connection.run(
        """
        select count(*), count(seal), coalesce(bit_xor(seal), 0) from vq.\(table) where segment = $1
        """, [.integer(id)]
      ).first
      guard let row, row.integer(0) == count, row.integer(1) == count,
        UInt64(bitPattern: Int64(row.integer(2))) == seal
      else { return false }
    }
    return true
  }
}
