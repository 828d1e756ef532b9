#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import PixelMatch
import VisualQuery

/// Statements about answers.
struct FeedbackHandlers: Handlers {
  let shop: ShopContext

  /// The longer side of an image that is kept.
  private static let keptSide = 1024

  /// Keeps a statement. A form may have the question's image, to be kept.
  func keepFeedback(
    _ request: HTTPRequest, _ form: MatchForm
  ) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let (json, picture) = try Self.parts(of: request.body, form)
    let matcher = matcher(try catalogue.newest(), request)
    let content = try await statement(RequestFields(json: json), matcher)
    var image: [UInt8]?
    if let picture { image = try await kept(picture, of: content.query, matcher) }
    let key = shop.key(of: request.info.head)
    let added: (statement: FeedbackStatement, isNew: Bool)
    do {
      let kept = image
      added = try await withTaskExecutorPreference(changePool) { @concurrent in
        try KeptFeedback(directory: self.catalogue.directory).add(
          content, state: key?.role == .write ? .active : .pending, author: key?.name,
          time: Int(Date.now.timeIntervalSince1970), image: kept)
      }
    } catch let error as FeedbackError {
      throw Problem(error)
    } catch let error as CatalogueError {
      throw shop.problem(ofChange: error, request)
    }
    return HTTPResponse(
      status: added.isNew ? 201 : 200,
      ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: JSONBody.encoded(StatementDocument(added.statement)))
  }

  /// Returns the statement and the image of a body.
  private static func parts(
    of body: [UInt8], _ form: MatchForm
  ) throws -> (json: [UInt8], picture: [UInt8]?) {
    guard case .multipart(let boundary) = form else { return (body, nil) }
    let parts = try FormParts(body, boundary, names: ["feedback", "image"])
    guard let json = try parts.content("feedback", limit: BodyLimits.question) else {
      throw Problem(
        .invalidField, "the form has no part 'feedback' with the statement as JSON",
        field: "feedback")
    }
    return (json, try parts.content("image"))
  }

  /// Reads a statement about entities that exist.
  private func statement(
    _ given: RequestFields, _ matcher: Matcher
  ) async throws -> FeedbackStatement.Content {
    var fields = given
    guard let token = try fields.text("query", limit: MatchResponse.continuationLimit) else {
      throw fields.problem("query", "the continuation of the answer that this is about")
    }
    let chosen = try fields.text("chosen", limit: 264)
    let rejected =
      try fields.words(
        "rejected", limit: FeedbackStatement.Content.rejectedLimit, length: 264) ?? []
    try fields.finish()
    let query = try matcher.feedbackQuery(ofContinuation: token)
    func id(_ name: String, _ field: String) throws(Problem) -> EntityID {
      guard let id = EntityID(name) else {
        throw fields.problem(field, "an id such as product:mug-red")
      }
      return id
    }
    let chosenID = try chosen.map { try id($0, "chosen") }
    let rejectedIDs = try rejected.map { try id($0, "rejected") }
    let named = rejectedIDs + (chosenID.map { [$0] } ?? [])
    let known = try await EntityLookup(catalogue: matcher.catalogue, pool: pool).entities(
      for: named)
    if let unknown = named.first(where: { id in !known.contains { $0.id == id } }) {
      throw Problem(
        .invalidFeedback, "there is no entity '\(unknown.description.excerpt)'",
        field: unknown == chosenID ? "chosen" : "rejected")
    }
    do {
      return try FeedbackStatement.Content(query: query, chosen: chosenID, rejected: rejectedIDs)
    } catch {
      throw Problem(error)
    }
  }

  /// Returns the image of a question as it is kept: small, without anything else of its file. It is decoded once, within
  /// the longest time that a question may take.
  private func kept(
    _ picture: [UInt8], of query: FeedbackQuery, _ matcher: Matcher
  ) async throws -> [UInt8] {
    // Accepts every image with which a question may be asked.
    let decoder = ImageDecoder(
      limits: settings.decodeLimits, keepsTruncated: true, keepsDamaged: true,
      formats: settings.formats)
    do {
      let content = try await matcher.content(
        decoding: picture, decoder: decoder, timeout: settings.deadlines.maximum)
      guard let pixels = content.pixelBuffer else {
        throw Problem(
          .timedOut,
          "the image was not decoded within \(Milliseconds.text(settings.deadlines.maximum)) ms; "
            + "send a smaller one, or try again", field: "image", retryAfter: 1)
      }
      guard try await matcher.isQuestion(query, of: content) else {
        throw Problem(
          .invalidFeedback, "the image is not the one that was searched with", field: "image")
      }
      return try decoder.jpeg(of: pixels, longerSide: Self.keptSide, quality: 85)
    } catch let error as DecodeError {
      throw Problem(error, of: picture, limits: settings.decodeLimits)
    }
  }

  // MARK: The shop's view

  func listFeedback(_ request: HTTPRequest) throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 50
    let number = try fields.integer("before", in: 1...Int.max) ?? .max
    let name = try fields.text("entity", limit: 264)
    try fields.finish()
    let id = name.flatMap { EntityID($0) }
    guard (id == nil) == (name == nil) else {
      throw fields.problem("entity", "an id such as product:mug-red")
    }
    let found =
      try keptFeedback()?.statements(before: number, about: id, limit: limit + 1) ?? []
    let page = found.prefix(limit)
    return untagged(
      StatementListDocument(
        feedback: page.map(StatementDocument.init),
        next: found.count > limit ? page.last?.number : nil))
  }

  func feedbackQueries(_ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let queries = try keptFeedback()?.statements().reversed().compactMap {
      FeedbackEvaluationQuery($0, image: nil)
    }
    let lines = (queries ?? []).flatMap { JSONBody.encoded($0) + [UInt8(ascii: "\n")] }
    return HTTPResponse(
      status: 200, ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
      body: lines)
  }

  func removeStatement(_ number: Int, _ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    return try change(number, request) { kept throws(CatalogueError) in try kept.remove(number) }
  }

  func acceptStatement(_ number: Int, _ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    return try change(number, request) { kept throws(CatalogueError) in try kept.accept(number) }
  }

  /// - Parameter body: Returns whether there is a statement of this number.
  private func change(
    _ number: Int, _ request: HTTPRequest,
    _ body: (KeptFeedback) throws(CatalogueError) -> Bool
  ) throws -> HTTPResponse {
    do throws(CatalogueError) {
      if let kept = try keptFeedback(), try body(kept) {
        return HTTPResponse(status: 204, ["Cache-Control": "no-store"])
      }
    } catch {
      throw shop.problem(ofChange: error, request)
    }
    throw Problem(.unknownStatement, "there is no statement \(number)", field: "number")
  }

  /// The statements, or `nil` if nobody has said anything.
  private func keptFeedback() throws(CatalogueError) -> KeptFeedback? {
    try KeptFeedback(existingIn: catalogue.directory)
  }
}

extension Problem {
  init(_ error: FeedbackError) {
    switch error.code {
    case .nothingSaid, .contradiction: self.init(.invalidFeedback, error.message)
    case .tooMuch: self.init(.invalidFeedback, error.message, field: "image")
    case .full: self.init(.feedbackFull, error.message, retryAfter: 3600)
    }
  }
}

/// A list of statements, the newest first.
struct StatementListDocument: Sendable, Encodable {
  let feedback: [StatementDocument]
  /// The number before which the list goes on, or `nil` at its end.
  let next: Int?

  private enum CodingKeys: CodingKey { case feedback, next }

  /// Encodes every key, with `null` for an absent number.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(feedback, forKey: .feedback)
    try container.encode(next, forKey: .next)
  }
}
