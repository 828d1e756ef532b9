#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The conversation that an app and the system have with a server about one image, from the tap to the end of the list.
///
/// The system may call the query of an app several times for one tap. The package for apps asks once, hence the one upload.
struct PhoneConversation: Sendable {
  /// One step.
  struct Step: Sendable {
    /// The reason for the step.
    let occasion: String
    let requests: Int
    let sent: Int
    let received: Int
    let outcome: String
  }

  /// The most pages that are asked for.
  private static let pageLimit = 20

  let client: PhoneClient
  private(set) var steps: [Step] = []

  /// Begins after the first answer.
  ///
  /// - Parameters:
  ///   - upload: The bytes of the question's image, or `nil` if it has only labels.
  ///   - document: The answer as it was received.
  init(_ client: PhoneClient, _ answer: ServedAnswer, upload: Int?, document: [UInt8]) {
    self.client = client
    let outcome =
      if !answer.values.isEmpty {
        Self.count(answer.values.count, "card")
      } else if answer.listed.isEmpty, !answer.siblings.isEmpty {
        Self.count(answer.siblings.count, "card") + " in another color"
      } else {
        Self.count(answer.listed.count, "possible card")
      }
    steps.append(
      Step(
        occasion: "the tap", requests: 1, sent: upload ?? 0,
        received: document.count, outcome: outcome))
  }

  /// Asks what follows, and blocks the calling thread.
  mutating func play(after answer: ServedAnswer) throws {
    let unsure = answer.listed.isEmpty ? answer.siblings : answer.listed
    let cards = answer.values.isEmpty ? unsure : answer.values
    try loadImages(of: cards)
    if let first = cards.first { try open(first) }
    if let token = answer.continuation { try showAll(token, shown: answer.values.count) }
    try synchronize()
  }

  private mutating func loadImages(of cards: [ServedAnswer.Value]) throws {
    let addresses = cards.compactMap { $0.display.thumbnail ?? $0.display.image }
    guard !addresses.isEmpty else { return }
    var (received, loaded) = (0, 0)
    for address in addresses {
      try Task.checkCancellation()
      guard let image = client.image(at: address) else { continue }
      received += image.count
      loaded += 1
    }
    steps.append(
      Step(
        occasion: "images of the cards", requests: addresses.count,
        sent: 0, received: received, outcome: "\(loaded) of \(addresses.count) loaded"))
  }

  private mutating func open(_ card: ServedAnswer.Value) throws {
    struct Question: Encodable { let ids: [String] }
    struct Found: Decodable {
      struct Entity: Decodable { let id: String }
      let entities: [Entity]
    }
    let question = JSONBody.encoded(Question(ids: ["\(card.type):\(card.id)"]))
    let (found, received): (Found, Int) = try client.document(
      "/v1/entities:resolve", question: question)
    steps.append(
      Step(
        occasion: "a card is tapped", requests: 1,
        sent: question.count, received: received,
        outcome: found.entities.map(\.id) == [card.id] ? "opens \(card.id)" : "not found"))
    guard let link = card.url else { return }
    let (routed, size): (Routed, Int) = try client.document("/v1/route?url=" + Self.encoded(link))
    steps.append(
      Step(
        occasion: "its link is opened", requests: 1, sent: 0,
        received: size,
        outcome: routed.entity.id == card.id ? "leads to it" : "leads to \(routed.entity.id)"))
  }

  /// The answer of `GET /v1/route`.
  private struct Routed: Decodable {
    struct Entity: Decodable { let id: String }
    let entity: Entity
  }

  private mutating func showAll(_ first: String, shown: Int) throws {
    struct Question: Encodable {
      let continuation: String
      let fromStart: Bool?
    }
    var (token, pages, sent, received, total) = (Optional(first), 0, 0, 0, 0)
    while let current = token, pages < Self.pageLimit {
      try Task.checkCancellation()
      let question = JSONBody.encoded(
        Question(continuation: current, fromStart: pages == 0 ? true : nil))
      let (page, size): (ServedAnswer, Int) = try client.document("/v1/match", question: question)
      pages += 1
      (sent, received, total) = (sent + question.count, received + size, total + page.values.count)
      token = page.hasMore ? page.continuation : nil
    }
    let pageCount = Self.count(pages, "page")
    steps.append(
      Step(
        occasion: "'More results' to the end", requests: pages,
        sent: sent, received: received,
        outcome: "\(Self.count(total, "match", "matches")) on \(pageCount)"
          + (token == nil ? "" : ", and more")))
  }

  private mutating func synchronize() throws {
    struct Changes: Decodable {
      struct Entity: Decodable {}
      let upserts: [Entity]
      let hasMore: Bool
    }
    let (changes, received): (Changes, Int) = try client.document("/v1/sync?limit=200")
    steps.append(
      Step(
        occasion: "Spotlight's index", requests: 1, sent: 0,
        received: received,
        outcome: Self.count(changes.upserts.count, "entity", "entities")
          + (changes.hasMore ? " of the first page" : "")))
  }

  /// The steps as a table, and the sums.
  func lines(on console: Console) -> [String] {
    var table = TextTable(columns: [
      .init("WHEN"), .init("REQUESTS", .right),
      .init("SENT", .right), .init("RECEIVED", .right), .init("OUTCOME", minimumWidth: 12),
    ])
    for step in steps {
      table.append([
        step.occasion, "\(step.requests)", Self.size(step.sent),
        Self.size(step.received), step.outcome,
      ])
    }
    let uploads = steps.first?.sent ?? 0 > 0 ? 1 : 0
    return table.lines(width: console.width, usesColor: console.usesColor) + [
      [
        Self.count(uploads, "upload"), Self.count(steps.reduce(0) { $0 + $1.requests }, "request"),
        Self.size(steps.reduce(0) { $0 + $1.sent }) + " sent",
        Self.size(steps.reduce(0) { $0 + $1.received }) + " received.",
      ].joined(separator: ", ")
    ]
  }

  private static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  private static func size(_ bytes: Int) -> String {
    bytes == 0 ? "–" : "\(max(1, (bytes + 500) / 1000)) kB"
  }

  /// Percent-encodes all that is not unreserved.
  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain
        ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }
}
