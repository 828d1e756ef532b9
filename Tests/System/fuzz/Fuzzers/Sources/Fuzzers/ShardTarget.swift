@testable import ShopBase
@testable import PixelMatch
@testable import ShopScale
@testable import ShopStore
import VisualQuery

/// The data that a shard of engine mode sends: a `COPY` stream of posting lists, of signatures or of the rows with the nearest vectors. The first
/// byte of an input tells which (`p`, `s`, `v`); messages follow, each behind its length in two bytes.
enum ShardTarget: FuzzTarget {
  static let name = "shard"
  static let byteLimit = 16_384

  private static let file = "product-1p.segment"
  private static let shard = PostgresShard(number: 1, location: nil)
  private static let shardCount = 2

  private static let segment: SignatureSegment = {
    var writer = SegmentWriter()
    for row in 0..<6 {
      writer.append(Signature(PictureCheck.picture(40 + row, 48)), key: UInt32(row))
    }
    return try! SignatureSegment(bytes: writer.encoded())
  }()

  private static let lists: [(word: UInt32, bytes: [UInt8])] = {
    var lists: [(word: UInt32, bytes: [UInt8])] = []
    segment.forEachList(ofRows: { shard.has($0, of: shardCount) }) { lists.append(($0, $1)) }
    return lists
  }()

  private static let words = WordQuestion(
    words: lists.map(\.word), bounds: PostingBounds(of: segment))
  private static let rows = [file: [1, 2, 3, 5]]
  private static let embedding = try! ImageEmbedding(model: "m", vector: [1, 0])
  private static let nearestCount = 4
  private static let query = QuerySignature(PictureCheck.picture(41, 48))

  static func run(_ bytes: [UInt8]) -> Bool {
    guard let kind = bytes.first else { return false }
    let messages = messages(bytes.dropFirst())
    switch kind {
    case UInt8(ascii: "p"):
      var question = ListQuestion(
        [file: words], shard: shard, of: shardCount, records: [file: .unsealed])
      read(messages, &question)
      check(question)
    case UInt8(ascii: "s"):
      var question = SignatureQuestion(
        rows, shard: shard, of: shardCount, records: [file: .unsealed])
      read(messages, &question)
      let found = question.signatures[file] ?? [:]
      precondition(found.keys.allSatisfy { [1, 3, 5].contains($0) }, "a row that nobody asked for")
      precondition(found.count + (question.damaged?.count ?? 0) >= 3, "a row is lost silently")
    case UInt8(ascii: "v"):
      var question = VectorQuestion(
        embedding, [file: segment.count], count: nearestCount, shard: shard, of: shardCount)
      read(messages, &question)
      let found = question.rows[file] ?? []
      precondition(
        found.allSatisfy { [1, 3, 5].contains($0.row) && $0.distance.isFinite },
        "a row of another shard, or without a distance")
      precondition(
        Set(found.map(\.row)).count == found.count && question.rows.count <= 1,
        "a row comes twice, or of a segment that nobody asked for")
      precondition(
        found.count + (question.damaged?.count ?? 0) <= nearestCount, "more rows than asked for")
    default: return false
    }
    return true
  }

  private static func messages(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    var (rest, messages) = (bytes, [[UInt8]]())
    while let first = rest.popFirst(), let second = rest.popFirst() {
      let length = Int(first) << 8 | Int(second)
      messages.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return messages
  }

  private static func read(_ messages: [[UInt8]], _ question: inout some ShardQuestion) {
    for (index, message) in messages.enumerated() {
      let (row, isValid) = PostgresCopyFormat.row(message, isFirst: index == 0)
      let byteCount = (row?.columns ?? []).reduce(0) { $0 + ($1?.count ?? 0) }
      precondition(byteCount <= message.count, "a row has more bytes than its message")
      guard isValid, let row else { break }
      do { try question.take(row) } catch { break }
    }
    question.finish()
  }

  private static func check(_ question: ListQuestion) {
    let found = question.lists[file] ?? []
    precondition(Set(found.map(\.word)).count == found.count, "a list comes twice")
    precondition(
      found.allSatisfy { $0.bytes.count <= words.bounds.byteLimit }, "a list is too long")
    precondition([nil, 3].contains(question.rowCounts[file]), "a wrong number of rows is believed")
    let live = LiveSegment(segment, deadRows: [2])
    let lists = PostingLists(found)
    let votes = KeypointVotes(query.keypoints, depth: .bits(1))
    for row in votes.rows(in: live, lists: lists, limit: 9) {
      precondition([1, 3, 5].contains(row.row), "a row of another shard")
    }
    for row in HashChunkVotes(query).rows(in: live, lists: lists, limit: 9) {
      precondition([1, 3, 5].contains(row.row), "a row of another shard")
    }
  }

  static func seeds() -> [[UInt8]] {
    let count: [PostgresValue] = [.int32(0), .null, .integer(3), .null]
    let posts = lists.prefix(40).map {
      [PostgresValue.int32(0), .int32(Int32($0.word)), .null, .bytes($0.bytes)]
    }
    let signatures = [1, 3, 5].map {
      [PostgresValue.int32(0), .integer($0), .bytes(segment.signature(at: $0).encoded)]
    }
    // The last one is of another shard.
    let nearest = [(5, 0.25), (1, 0.5), (2, 0.75)].map { row, distance in
      [
        PostgresValue.int32(0), .integer(row),
        .integer(Int(Int64(bitPattern: (distance as Double).bitPattern))),
      ]
    }
    return [
      stream("p", [count] + posts), stream("s", signatures), stream("v", nearest),
      stream("p", []), stream("s", []), stream("v", []),
    ]
  }

  private static func stream(_ kind: Character, _ rows: [[PostgresValue]]) -> [UInt8] {
    var bytes = [kind.asciiValue!]
    for (index, row) in (rows + [[]]).enumerated() {
      var message = index == 0 ? PostgresCopyFormat.header : []
      if row.isEmpty {
        message += PostgresCopyFormat.trailer
      } else {
        PostgresCopyFormat.append(row, to: &message)
      }
      bytes += PostgresValue.bigEndian(UInt64(message.count), count: 2) + message
    }
    return bytes
  }

  static let dictionary: [[UInt8]] = [
    PostgresCopyFormat.header, PostgresCopyFormat.trailer, [0xFF, 0xFF, 0xFF, 0xFF],
    [0, 0, 0, 8], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0, 4], [0, 3],
  ]
}
