@testable import ShopModel
@testable import ShopSearch
@testable import ShopStore
import PixelMatch
import TestSupport
import Testing
@testable import ShopScale
import VisualQuery

/// The data that a shard may send, and the part of it that is kept. Nothing here requires a server.
@Suite struct ShardQuestionTests {
  private static let name = "product-1p.segment"
  private static let segment: SignatureSegment = {
    var writer = SegmentWriter()
    var generator = SeededGenerator(seed: 4)
    for row in 0..<60 {
      let width = Int.random(in: 60...90, using: &generator)
      let scene = SyntheticPicture.scene(width: width, height: 70, seed: UInt64(row))
      writer.append(Signature(scene), key: UInt32(row))
    }
    return try! SignatureSegment(bytes: writer.encoded())
  }()

  private static let allLists: [(word: UInt32, bytes: [UInt8])] = {
    var lists: [(word: UInt32, bytes: [UInt8])] = []
    segment.forEachList(ofRows: { _ in true }) { lists.append(($0, $1)) }
    return lists
  }()

  /// The parts of all lists that a shard has. No word here has more than 64 rows, the low six bits.
  private static func lists(
    of shard: PostgresShard, _ count: Int
  ) -> [(word: UInt32, bytes: [UInt8])] {
    allLists.compactMap { list in
      let own = stride(from: 0, to: list.bytes.count, by: 8)
        .filter { shard.has(Int(list.bytes[$0] & 63), of: count) }
      return own.isEmpty
        ? nil : (list.word, own.flatMap { list.bytes[$0..<$0 + 8] })
    }
  }

  private static func shard(_ number: Int) -> PostgresShard {
    PostgresShard(number: number, location: nil)
  }

  private static func row(_ values: PostgresValue...) -> PostgresRow {
    PostgresRow(columns: values.map(\.encoded))
  }

  private static let seals = StoredSeals(of: name)

  private static func listSeal(_ bytes: [UInt8], _ word: UInt32) -> PostgresValue {
    .integer(Int(bitPattern: UInt(seals.seal(ofList: bytes, word: word))))
  }

  private static func signatureSeal(_ bytes: [UInt8], _ row: Int) -> PostgresValue {
    .integer(Int(bitPattern: UInt(seals.seal(ofSignature: bytes, row: row))))
  }

  /// The record of a shard that has all that it should.
  private static func record(_ number: Int, of count: Int) -> PostedRecord.State {
    var words = StoredWords(of: segment)
    for list in lists(of: shard(number), count) { words.insert(list.word) }
    return .sealed(PostedRecord(words: words, listsSeal: 0, rows: 0, signaturesSeal: 0))
  }

  private static func question(
    _ number: Int, of count: Int, record: PostedRecord.State? = nil
  ) -> ListQuestion {
    let words = lists(of: shard(0), 1).map(\.word)
    return ListQuestion(
      [name: WordQuestion(words: words, bounds: PostingBounds(of: segment))],
      shard: shard(number), of: count,
      records: [name: record ?? self.record(number, of: count)])
  }

  private static func rows(of number: Int, _ count: Int) -> [PostgresRow] {
    let own = (0..<segment.count).count { shard(number).has($0, of: count) }
    return [row(.int32(0), .null, .integer(own), .null, .null)]
      + lists(of: shard(number), count).map {
        row(
          .int32(0), .int32(Int32($0.word)), .null, .bytes($0.bytes),
          listSeal($0.bytes, $0.word))
      }
  }

  // MARK: Posting lists

  /// Would break if lists that are as they should be were taken for damaged ones.
  @Test(arguments: [1, 3, 61]) func `sound lists are kept`(count: Int) throws {
    var kept: [UInt32: Int] = [:]
    for number in 0..<count {
      var question = Self.question(number, of: count)
      for row in Self.rows(of: number, count) { try question.take(row) }
      question.finish()
      #expect(question.damaged == nil)
      #expect(question.rowCounts[Self.name] == (0..<60).count { $0 % count == number })
      for list in question.lists[Self.name] ?? [] {
        kept[list.word, default: 0] += list.bytes.count
      }
    }
    let expected = Self.lists(of: Self.shard(0), 1)
    #expect(kept == Dictionary(uniqueKeysWithValues: expected.map { ($0.word, $0.bytes.count) }))
  }

  /// Would break if a damaged row of a shard were passed over without a word, were searched, or took sound
  /// rows with it.
  @Test func `damaged lists are left out and counted`() throws {
    let all = Self.rows(of: 1, 3)
    let bounds = PostingBounds(of: Self.segment)
    let word = try #require(Self.lists(of: Self.shard(1), 3).first?.word)
    let other = PostgresValue.int32(Int32(word))
    func list(_ bytes: [UInt8]) -> PostgresRow {
      Self.row(.int32(0), other, .null, .bytes(bytes), Self.listSeal(bytes, word))
    }
    func posting(_ row: UInt64) -> [UInt8] { (0..<8).map { UInt8(row >> (8 * $0) & 255) } }
    let cases: [(row: PostgresRow, reason: String)] = [
      (list([]), "0 bytes"), (list([1, 2, 3]), "3 bytes"), (list(posting(1) + [0]), "9 bytes"),
      (list(posting(0)), "row 0"), (list(posting(63)), "row 63"),
      (list([UInt8](repeating: 0, count: bounds.byteLimit + 8)), "postings of at most"),
      (Self.row(.int32(0), other, .null, .null, .null), "too long"),
      (Self.row(.int32(0), .int32(-1), .null, .bytes(posting(1)), .null), "was not asked for"),
      (
        Self.row(.int32(0), .integer(1 << 40), .null, .bytes(posting(1)), .null),
        "was not asked for"
      ),
      (
        Self.row(.int32(7), other, .null, .bytes(posting(1)), .null),
        "segment that was not asked for"
      ),
      (
        Self.row(.int32(-1), other, .null, .bytes(posting(1)), .null),
        "segment that was not asked for"
      ),
    ]
    for (row, reason) in cases {
      var question = Self.question(1, of: 3)
      for (index, sound) in all.enumerated() { try question.take(index == 1 ? row : sound) }
      #expect(question.damaged?.count == 1, "\(reason)")
      #expect(question.damaged?.example.contains(reason) == true, "\(question.damaged as Any)")
      #expect(question.lists[Self.name]?.count == all.count - 2, "\(reason)")
    }
  }

  /// Would break if a list that is lost, cut or that of another word were taken for what the shard has: each of them
  /// can be a list.
  @Test func `lists that are not what was written are left out and counted`() throws {
    let own = Self.lists(of: Self.shard(1), 3)
    let long = try #require(own.first { $0.bytes.count >= 16 })
    let other = try #require(own.first { $0.word != long.word })
    func row(_ bytes: [UInt8], _ seal: PostgresValue) -> PostgresRow {
      Self.row(.int32(0), .int32(Int32(long.word)), .null, .bytes(bytes), seal)
    }
    let right = Self.listSeal(long.bytes, long.word)
    let cases: [(row: PostgresRow?, reason: String)] = [
      (nil, "has no list of word \(long.word)"),
      (row(Array(long.bytes.dropLast(8)), right), "does not have its seal"),
      (row(other.bytes, Self.listSeal(other.bytes, other.word)), "does not have its seal"),
      (row(long.bytes, .null), "does not have its seal"),
    ]
    let number = try #require(own.firstIndex { $0.word == long.word }) + 1
    for (row, reason) in cases {
      var question = Self.question(1, of: 3)
      for (index, sound) in Self.rows(of: 1, 3).enumerated() {
        if index != number { try question.take(sound) } else if let row { try question.take(row) }
      }
      question.finish()
      #expect(question.damaged?.count == 1, "\(reason)")
      #expect(question.damaged?.example.contains(reason) == true, "\(question.damaged as Any)")
    }
    var damaged = Self.question(1, of: 3, record: .damaged)
    for row in Self.rows(of: 1, 3) { try damaged.take(row) }
    damaged.finish()
    #expect(damaged.damaged?.count == 1)
  }

  /// Would break if the lists that an earlier version wrote could not be searched any more.
  @Test func `lists without seals are taken as they are`() throws {
    var question = Self.question(1, of: 3, record: .unsealed)
    #expect(question.queries[0].contains("null::bigint seal"))
    for row in Self.rows(of: 1, 3) {
      try question.take(PostgresRow(columns: row.columns.dropLast() + [nil]))
    }
    question.finish()
    #expect(question.damaged == nil)
    #expect(question.lists[Self.name]?.count == Self.lists(of: Self.shard(1), 3).count)
    #expect(Self.question(1, of: 3).queries[0].contains("posts, seal from vq.post"))
  }

  /// Would break if one signature could stand for all.
  @Test func `the signature of another row is left out and counted`() throws {
    var question = SignatureQuestion(
      [Self.name: [1, 3]], shard: Self.shard(1), of: 2,
      records: [Self.name: Self.record(1, of: 2)])
    let bytes = Self.segment.signature(at: 1).encoded
    for row in [1, 3] {
      try question.take(
        Self.row(.int32(0), .integer(row), .bytes(bytes), Self.signatureSeal(bytes, 1)))
    }
    question.finish()
    #expect(question.signatures[Self.name]?.keys.sorted() == [1])
    #expect(question.damaged?.count == 1)
  }

  /// Would break if a wrong number of rows let an answer look complete, or overflowed.
  @Test(arguments: [-1, 0, 19, 21, 60, .max, .min])
  func `a wrong number of rows is left out`(count: Int) throws {
    var question = Self.question(1, of: 3)
    try question.take(Self.row(.int32(0), .null, .integer(count), .null, .null))
    #expect(question.damaged?.count == 1 && question.rowCounts.isEmpty)
    try question.take(Self.row(.int32(0), .null, .integer(20), .null, .null))
    try question.take(Self.row(.int32(0), .null, .integer(20), .null, .null))
    #expect(question.damaged?.count == 2 && question.rowCounts == [Self.name: 20])
  }

  /// Would break if a shard that sends rows without an end were read to the end of the memory.
  @Test func `more rows than were asked for end the answer`() throws {
    var question = Self.question(0, of: 1)
    let rows = Self.rows(of: 0, 1)
    let bytes = rows.reduce(0) { $0 + $1.bytes(3).count }
    for row in rows { try question.take(row) }
    let error = #expect(throws: CatalogueError.self) { try question.take(rows[1]) }
    #expect(error?.code == .io && error?.message.contains("more rows") == true)
    #expect((question.lists[Self.name] ?? []).reduce(0) { $0 + $1.bytes.count } == bytes)
  }

  @Test(arguments: [0, 1, 3, 6]) func `rows of other columns end the answer`(count: Int) {
    var lists = Self.question(0, of: 1)
    var signatures = SignatureQuestion(
      [Self.name: [1]], shard: Self.shard(0), of: 1, records: [:])
    let row = PostgresRow(columns: [[UInt8]?](repeating: [0], count: count))
    #expect(throws: CatalogueError.self) { try lists.take(row) }
    #expect(throws: CatalogueError.self) { try signatures.take(row) }
  }

  /// Would break if any row could trap, or if more were kept than was asked for.
  @Test(arguments: 0..<60 as Range<UInt64>) func `random rows are read or left out`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var lists = Self.question(1, of: 3)
    var signatures = SignatureQuestion(
      [Self.name: Array(0..<60)], shard: Self.shard(1), of: 3, records: [:])
    let sound = Self.rows(of: 1, 3)
    for _ in 0..<200 {
      var columns = sound.randomElement(using: &generator)!.columns
      if Bool.random(using: &generator) { columns.removeLast() }
      for index in columns.indices where Int.random(in: 0..<3, using: &generator) == 0 {
        columns[index] =
          Bool.random(using: &generator)
          ? nil
          : (0..<Int.random(in: 0...24, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
      }
      let row = PostgresRow(columns: columns)
      _ = try? lists.take(row)
      _ = try? signatures.take(row)
    }
    signatures.finish()
    for list in lists.lists[Self.name] ?? [] {
      #expect(
        PostingBounds(of: Self.segment).fault(of: list.bytes, word: list.word) { $0 % 3 == 1 }
          == nil)
    }
    #expect(signatures.signatures.isEmpty && (signatures.damaged?.count ?? 0) >= 20)
  }

  // MARK: Signatures

  /// Would break if a signature that cannot be read, or that the shard lacks, vanished from the candidates
  /// without a word.
  @Test func `damaged signatures are left out and counted`() throws {
    let sound = Self.segment.signature(at: 4).encoded
    var otherVersion = sound
    otherVersion[0] &+= 1
    let cases: [(value: PostgresValue?, reason: String)] = [
      (.bytes([]), "0"), (.bytes([9]), "1"), (.bytes(Array(sound.dropLast())), "bytes"),
      (.bytes(sound + [0]), "bytes"), (.bytes(otherVersion), "version"), (.null, "too long"),
      (.bytes(Array(sound.prefix(2)) + [255] + sound.dropFirst(3)), "255 of 100"),
      (nil, "no signature of row 4"),
    ]
    for (value, reason) in cases {
      var question = SignatureQuestion(
        [Self.name: [1, 3, 4]], shard: Self.shard(0), of: 2,
        records: [Self.name: Self.record(0, of: 2)])
      if let value {
        let seal = Self.signatureSeal(value.encoded ?? [], 4)
        try question.take(Self.row(.int32(0), .integer(4), value, seal))
      }
      question.finish()
      #expect(question.signatures.isEmpty && question.damaged?.count == 1, "\(reason)")
      #expect(question.damaged?.example.contains(reason) == true, "\(question.damaged as Any)")
    }
  }

  @Test func `sound signatures are kept, and others not`() throws {
    var question = SignatureQuestion(
      [Self.name: [1, 3, 4], "store-2p.segment": [5]], shard: Self.shard(1), of: 2,
      records: [Self.name: Self.record(1, of: 2)])
    for row in [1, 3, 4] {
      let bytes = Self.segment.signature(at: row).encoded
      try question.take(
        Self.row(.int32(0), .integer(row), .bytes(bytes), Self.signatureSeal(bytes, row)))
    }
    question.finish()
    #expect(question.signatures[Self.name]?.keys.sorted() == [1, 3])
    #expect(question.signatures[Self.name]?[3] == Self.segment.signature(at: 3))
    // Row 4 is another shard's, and row 5 of the other segment has not come.
    #expect(question.damaged?.count == 2)
  }

  /// Would break if a value that is too long were read before it is known to be.
  @Test func `the server is asked to leave out what is too long`() {
    let limit = PostingBounds(of: Self.segment).byteLimit
    #expect(Self.question(0, of: 1).queries[0].contains("case when length(posts) <= \(limit) "))
    func question(_ number: Int, _ count: Int) -> SignatureQuestion {
      SignatureQuestion([Self.name: [1]], shard: Self.shard(number), of: count, records: [:])
    }
    let signatures = question(0, 1)
    #expect(signatures.queries[0].contains("case when length(bytes) <= 3672 "))
    #expect(question(1, 3).queries.count == 1)
    #expect(question(2, 3).queries.isEmpty)
  }

  // MARK: Vectors

  private static func vectorQuestion(count: Int = 8) throws -> VectorQuestion {
    VectorQuestion(
      try ImageEmbedding(model: "m", vector: [1, -2]), [name: 60], count: count, shard: shard(1),
      of: 3)
  }

  private static func found(_ row: Int, _ distance: Double) -> PostgresRow {
    Self.row(.int32(0), .integer(row), .integer(Int(bitPattern: UInt(distance.bitPattern))))
  }

  /// Would break if a row of another shard or segment were believed, or a damaged one took sound rows with it.
  @Test func `neighbors that were not asked for are left out and counted`() throws {
    let cases = [
      Self.found(2, 0.5), Self.found(61, 0.5), Self.found(-2, 0.5), Self.found(.max, 0.5),
      Self.found(4, .nan), Self.found(4, .infinity), Self.found(1, 0.5),
      Self.row(.int32(1), .integer(4), .integer(0)), Self.row(.int32(0), .integer(4), .null),
    ]
    for row in cases {
      var question = try Self.vectorQuestion()
      try question.take(Self.found(1, 0.25))
      try question.take(row)
      question.finish()
      #expect(question.damaged?.count == 1, "\(row)")
      #expect(question.rows == [Self.name: [StoredNeighbors.Row(row: 1, distance: 0.25)]])
    }
  }

  /// Would break if a shard could send rows without an end.
  @Test func `more neighbors than were asked for end the answer`() throws {
    var question = try Self.vectorQuestion(count: 2)
    for row in [1, 4] { try question.take(Self.found(row, 0.5)) }
    #expect(throws: CatalogueError.self) { try question.take(Self.found(7, 0.5)) }
  }

  /// Would break if a number were rounded, a vector were not filled up, or its name could end the text of the statement.
  @Test func `vectors are sent as halves`() throws {
    let embedding = try ImageEmbedding(model: "m", vector: (0..<255).map { Float($0 - 127) })
    let bytes = PostgresVectors.binary(embedding)
    #expect(bytes.count == 4 + 2 * 512 && bytes.prefix(4).elementsEqual([2, 0, 0, 0]))
    for (index, component) in embedding.components.enumerated() {
      let bits = UInt16(bytes[4 + 2 * index]) << 8 | UInt16(bytes[5 + 2 * index])
      #expect(ImageEmbedding.number(ofHalf: bits) == Float(component))
    }
    #expect(bytes[(4 + 2 * 255)...].allSatisfy { $0 == 0 })
    let text = PostgresVectors.text(embedding)
    #expect(
      text.hasPrefix("[-127,-126,")
        && text.hasSuffix(",127" + String(repeating: ",0", count: 257) + "]"))
    #expect(try Self.vectorQuestion().queries.count == 1)
  }
}
