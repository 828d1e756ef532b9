#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

internal import PixelMatch

/// A search that can be continued without its image: the question and the ranked list.
///
/// The pages are those of the list. In a newer generation, entities that are gone are left out: those whose
/// key has no entity any more, or one with another id. A new search, with the signature and without what was
/// shown, runs only on request.
///
/// Its bytes, which ``SealedToken`` seals: version (1), the generation (8), the lowest confidence of the
/// list (8), the length of the question (4), the question as JSON, the length of the signature (2), the signature
/// (`QuerySignature.compactBytes`), the number of entries (1), the entries, and from version 3 on the same for
/// what is possible. If a rule of the shop moved an entity, the version is 4, and the names follow of the rules of both lists: their
/// number (1), then of each the index of the entry (1), the length of the name (2), and the name. Numbers have their highest
/// byte first.
struct Continuation: Sendable {
  /// The number of generations for which a continuation can be used. A time would make two answers to one
  /// question differ.
  static let lifetime = 100

  private static let version: UInt8 = 3
  /// The version with the names of rules.
  private static let versionWithRules: UInt8 = 4
  /// The last version without a list of what is possible. Its tokens may still be in use.
  private static let versionWithoutList: UInt8 = 2

  /// One entity of the ranked list.
  struct Entry: Sendable {
    var scored: ScoredEntity
    /// The hash of the entity's id, which tells it from a later entity with the same key.
    var idHash: UInt32
    var isShown = false
  }

  private(set) var question: ContinuedQuestion
  let signature: [UInt8]
  private(set) var generation: Int
  /// The lowest confidence of the list.
  let cutOff: Double
  var entries: [Entry]
  /// The entities that the image may show though they are not sure, with their shares as confidences.
  private(set) var possible: [Entry]

  init(
    _ labels: [String], codes: [String], texts: [QuestionText] = [], text: String = "",
    signature: QuerySignature?,
    _ options: MatchOptions,
    _ list: [RankedEntity], possible: [RankedEntity] = [], cutOff: Double, isImageLeftOut: Bool,
    in catalogue: Catalogue
  ) {
    question = ContinuedQuestion(
      labels: SemanticContent.bounded(labels), codes: codes, texts: texts, text: text,
      options: options, isImageLeftOut: isImageLeftOut)
    self.signature = signature?.compactBytes ?? []
    generation = catalogue.generation
    self.cutOff = cutOff
    func entries(_ list: [RankedEntity]) -> [Entry] {
      list.map { Entry(scored: $0.entity, idHash: Self.hash(of: $0.id)) }
    }
    self.entries = entries(list)
    self.possible = entries(possible)
  }

  /// Returns the first four bytes of the SHA-256 of an id with its type.
  static func hash(of id: EntityID) -> UInt32 {
    SHA256.hash(Array(id.description.utf8)).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Goes on in another generation: removes the entries whose entities are gone, but for those that were
  /// shown, whose ranks stay taken.
  mutating func move(to catalogue: Catalogue) throws(CatalogueError) {
    generation = catalogue.generation
    let ids = try catalogue.ids(keys: (entries + possible).map(\.scored.key))
    func isGone(_ entry: Entry) -> Bool { ids[entry.scored.key].map(Self.hash) != entry.idHash }
    entries.removeAll { !$0.isShown && isGone($0) }
    possible.removeAll(where: isGone)
  }

  /// Removes the entries of some entities, and of stores that one of them brought, but for those that were
  /// shown, whose ranks stay taken.
  mutating func removeLeft(_ ids: [EntityID], keys: Set<UInt32>) {
    if ids.isEmpty { return }
    entries.removeAll { entry in
      !entry.isShown
        && (keys.contains(entry.scored.key) || entry.scored.stocks.map(ids.contains) ?? false)
    }
    possible.removeAll { keys.contains($0.scored.key) }
  }

  /// Removes the entries that were not shown and that a condition holds for.
  mutating func removeLeft(where isLeftOut: (ScoredEntity) -> Bool) {
    entries.removeAll { !$0.isShown && isLeftOut($0.scored) }
    possible.removeAll { isLeftOut($0.scored) }
  }

  /// Keeps only the entities that meet further conditions, on whatever page, and begins with the first of them: their ranks are
  /// those of another list. A new search meets them, too.
  ///
  /// - Parameter keys: The keys of the entities that meet the conditions.
  mutating func narrow(by conditions: [EntityComparator], to keys: KeySet) {
    entries.removeAll { !keys.contains($0.scored.key) }
    possible.removeAll { !keys.contains($0.scored.key) }
    markShown { _ in false }
    for type in EntityType.allCases {
      question.options.filters[type, default: EntityFilter()].comparators += conditions
    }
  }

  /// Returns the continuation with some more entries marked as shown.
  func showing(_ indices: [Int]) -> Continuation {
    var next = self
    for index in indices { next.entries[index].isShown = true }
    return next
  }

  /// Marks the entries that were shown.
  mutating func markShown(where isShown: (ScoredEntity) -> Bool) {
    for index in entries.indices { entries[index].isShown = isShown(entries[index].scored) }
  }

  /// The options of the question; the deadline is the caller's.
  var options: MatchOptions { question.options }
}

/// A continuation that becomes a token when it is asked for: encoding and sealing cost more than most
/// answers need.
struct SealableContinuation: Sendable, Hashable {
  private let continuation: Continuation
  private let secret: [UInt8]

  init(_ continuation: Continuation, secret: [UInt8]) {
    self.continuation = continuation
    self.secret = secret
  }

  /// The keys of all entities in the list.
  var keys: [UInt32] { continuation.entries.map(\.scored.key) }

  /// The token that a client keeps, or `nil` if it is longer than what is accepted.
  var token: String? {
    guard let bytes = continuation.bytes else { return nil }
    let token = SealedToken.seal(bytes, secret: secret)
    return token.utf8.count <= MatchResponse.continuationLimit ? token : nil
  }

  static func == (a: Self, b: Self) -> Bool { a.token == b.token }
  func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

extension Continuation {
  /// The bytes of the token without its seal, or `nil` if JSON cannot hold the question.
  var bytes: [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(question) else { return nil }
    let hasRules = (entries + possible).contains { $0.scored.rule != nil }
    var bytes = [hasRules ? Self.versionWithRules : Self.version]
    bytes += bigEndianBytes(of: UInt64(generation))
    bytes += bigEndianBytes(of: cutOff.bitPattern)
    bytes += bigEndianBytes(of: UInt64(json.count)).suffix(4) + json
    bytes += bigEndianBytes(of: UInt64(signature.count)).suffix(2) + signature
    for list in [entries, possible] {
      bytes.append(UInt8(list.count))
      for entry in list { bytes += entry.bytes }
    }
    for list in hasRules ? [entries, possible] : [] { bytes += Self.ruleBytes(of: list) }
    return bytes
  }

  private static func ruleBytes(of list: [Entry]) -> [UInt8] {
    let moved = list.indices.filter { list[$0].scored.rule != nil }
    var bytes = [UInt8(moved.count)]
    for index in moved {
      let name = Array((list[index].scored.rule ?? "").utf8)
      bytes += [UInt8(index)] + bigEndianBytes(of: UInt64(name.count)).suffix(2) + name
    }
    return bytes
  }

  /// Reads the names of the rules of a list.
  private static func takeRules(_ reader: inout ByteReader, into list: inout [Entry]) -> Bool {
    guard let count = reader.number(1) else { return false }
    for _ in 0..<count {
      guard let index = reader.number(1).map(Int.init), list.indices.contains(index),
        let length = reader.number(2), let name = reader.take(Int(length))
      else { return false }
      list[index].scored.rule = String(decoding: name, as: UTF8.self)
    }
    return true
  }

  /// Opens a token.
  ///
  /// - Throws: ``MatchError`` with the code `invalidToken` or `expiredToken`.
  init(token: String, catalogue: Catalogue) throws(MatchError) {
    guard token.utf8.count <= MatchResponse.continuationLimit,
      let bytes = SealedToken.open(token, secret: catalogue.secret),
      let continuation = Continuation(bytes: bytes)
    else {
      throw MatchError(
        code: .invalidToken,
        message: "the continuation is not one of this catalogue, or was altered; search again")
    }
    self = continuation
    guard catalogue.generation - generation < Self.lifetime else {
      throw MatchError(
        code: .expiredToken,
        message: """
          the continuation is of generation \(generation), the catalogue at \(catalogue.generation); \
          it can be used for \(Self.lifetime): search again
          """)
    }
  }

  /// Reads the bytes of a token without its seal; `nil` for bytes that ``bytes`` never gives.
  init?(bytes: [UInt8]) {
    var reader = ByteReader(bytes[...])
    guard let version = reader.number(1),
      [Self.version, Self.versionWithoutList, Self.versionWithRules].contains(UInt8(version)),
      let generation = reader.number(8).flatMap(Int.init(exactly:)),
      let cutOff = reader.number(8).map(Double.init(bitPattern:)),
      let length = reader.number(4), let json = reader.take(Int(length)),
      let question = try? JSONDecoder().decode(ContinuedQuestion.self, from: Data(json)),
      let signatureLength = reader.number(2), let signature = reader.take(Int(signatureLength)),
      var entries = Self.entries(&reader),
      var possible = version == Self.versionWithoutList ? [] : Self.entries(&reader),
      version != Self.versionWithRules
        || Self.takeRules(&reader, into: &entries) && Self.takeRules(&reader, into: &possible),
      reader.isAtEnd
    else { return nil }
    self.question = question
    self.signature = Array(signature)
    self.generation = generation
    self.cutOff = cutOff
    self.entries = entries
    self.possible = possible
  }

  private static func entries(_ reader: inout ByteReader) -> [Entry]? {
    guard let count = reader.number(1) else { return nil }
    var entries: [Entry] = []
    for _ in 0..<count {
      guard let entry = Entry(&reader) else { return nil }
      entries.append(entry)
    }
    return entries
  }
}

extension Continuation.Entry {
  private static let none: UInt64 = 0xFF

  /// Key (4), hash of the id (4), whether it is shown (1), type (1), tier (1), number of the image or 255 (1), distance
  /// in meters or a NaN (8), confidence (8), length of the product that brought a store (2), its id,
  /// number of terms (1), then of each its kind (1), value (4) and weight (4).
  fileprivate var bytes: [UInt8] {
    var bytes = Array(bigEndianBytes(of: UInt64(scored.key)).suffix(4))
    bytes += bigEndianBytes(of: UInt64(idHash)).suffix(4)
    bytes.append(isShown ? 1 : 0)
    bytes.append(UInt8(EntityType.allCases.firstIndex(of: scored.type)!))
    bytes.append(UInt8(MatchTier.allCases.firstIndex(of: scored.tier)!))
    bytes.append(UInt8(clamping: scored.imagePosition ?? Int(Self.none)))
    bytes += bigEndianBytes(of: (scored.distance ?? .nan).bitPattern)
    bytes += bigEndianBytes(of: scored.confidence.bitPattern)
    let product = Array((scored.stocks?.value ?? "").utf8)
    bytes += bigEndianBytes(of: UInt64(product.count)).suffix(2) + product
    bytes.append(UInt8(scored.evidence.count))
    for term in scored.evidence {
      bytes.append(UInt8(Evidence.Kind.allCases.firstIndex(of: term.kind)!))
      bytes += bigEndianBytes(of: UInt64(Float(term.value).bitPattern)).suffix(4)
      bytes += bigEndianBytes(of: UInt64(Float(term.weight).bitPattern)).suffix(4)
    }
    return bytes
  }

  fileprivate init?(_ reader: inout ByteReader) {
    guard let key = reader.number(4), let idHash = reader.number(4), let shown = reader.number(1),
      let type = reader.element(of: EntityType.allCases),
      let tier = reader.element(of: MatchTier.allCases), let image = reader.number(1),
      let distance = reader.number(8).map(Double.init(bitPattern:)),
      let confidence = reader.number(8).map(Double.init(bitPattern:)),
      let length = reader.number(2), let product = reader.take(Int(length)),
      let count = reader.number(1)
    else { return nil }
    var evidence: [Evidence] = []
    for _ in 0..<count {
      guard let kind = reader.element(of: Evidence.Kind.allCases), let value = reader.number(4),
        let weight = reader.number(4)
      else { return nil }
      evidence.append(
        Evidence(
          kind: kind, value: Double(Float(bitPattern: UInt32(value))),
          weight: Double(Float(bitPattern: UInt32(weight)))))
    }
    let id = String(decoding: product, as: UTF8.self)
    scored = ScoredEntity(
      key: UInt32(key), type: type, evidence: evidence, confidence: confidence, tier: tier,
      imagePosition: image == Self.none ? nil : Int(image),
      stocks: id.isEmpty ? nil : EntityID(type: .product, value: id),
      distance: distance.isNaN ? nil : distance)
    self.idHash = UInt32(idHash)
    isShown = shown == 1
  }
}
