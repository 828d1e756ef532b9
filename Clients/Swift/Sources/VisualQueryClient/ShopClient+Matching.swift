internal import Foundation

extension ShopClient {
  /// Returns the entities that are probably meant, best first.
  ///
  /// An empty list is an answer, too; ``MatchAnswer/emptyReason`` says why.
  public func match(_ question: MatchQuestion) async throws -> MatchAnswer {
    let fields = question.fields(searchTime: configuration.searchTime)
    guard let file = try await file(of: question.image) else {
      return try await post("match", fields)
    }
    let form = MultipartForm([
      MultipartForm.Part(name: "image", type: "application/octet-stream", content: file),
      MultipartForm.Part(
        name: "request", type: "application/json", content: try JSONEncoder().encode(fields)),
    ])
    return try await post("match", form.body, type: form.contentType)
  }

  /// Returns the next page of a search, without its image.
  ///
  /// - Parameters:
  ///   - continuation: ``MatchAnswer/continuation`` of the page before.
  ///   - limit: The most matches of this page, or `nil` for the limit of the first one.
  ///   - facets: The properties whose values are counted among all matches.
  ///   - facetPrefix: The beginning of these values.
  ///   - facetLimit: The most values of a property.
  ///   - fromStart: True to begin again with the first match.
  ///   - refresh: True to search again in the newest generation, and to leave out what was shown.
  ///   - conditions: Further conditions such as `price<20`, by which the search is narrowed: its list begins anew with the matches
  ///     that meet them.
  /// - Throws: ``ClientError`` with the code `expired` if the search must begin anew.
  public func moreResults(
    continuing continuation: String, limit: Int? = nil, facets: [String] = [],
    facetPrefix: String? = nil, facetLimit: Int? = nil, fromStart: Bool = false,
    refresh: Bool = false, conditions: [String] = []
  ) async throws -> MatchAnswer {
    try await post(
      "match",
      ContinuationFields(
        continuation: continuation, limit: limit, facets: facets.isEmpty ? nil : facets,
        facetPrefix: facetPrefix, facetLimit: facetLimit, fromStart: fromStart ? true : nil,
        refresh: refresh ? true : nil, where: conditions.isEmpty ? nil : conditions,
        deadlineMs: configuration.searchTime.map { max(1, Int($0 / .milliseconds(1))) }))
  }

  /// Returns all pages of a search. The image is uploaded with the first one only.
  public func pages(of question: MatchQuestion) -> MatchPages {
    MatchPages(client: self, question: question)
  }

  /// The image file to upload, at most ``ServiceConfiguration/longSide`` pixels long if the app prepares it.
  private func file(of image: QueryImage?) async throws -> Data? {
    switch image {
    case .file(let data):
      guard let prepare = configuration.prepareImage else { return data }
      return try await prepare(data)
    case .pixels(let pixels): return pixels.scaled(toLongSide: configuration.longSide).png
    case .signature, nil: return nil
    }
  }
}

/// The fields of `POST /v1/match` that go on with a search.
struct ContinuationFields: Encodable {
  let continuation: String
  var limit: Int?
  var facets: [String]?
  var facetPrefix: String?
  var facetLimit: Int?
  var fromStart: Bool?
  var refresh: Bool?
  var `where`: [String]?
  var deadlineMs: Int?
}

/// The pages of a search.
public struct MatchPages: AsyncSequence, Sendable {
  let client: ShopClient
  let question: MatchQuestion

  /// Makes an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

  /// An iterator over the pages.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Next {
      case first
      case continuing(String)
      case end
    }

    private let pages: MatchPages
    private var next = Next.first

    init(pages: MatchPages) { self.pages = pages }

    /// Returns the next page, or `nil` after the last one.
    public mutating func next() async throws -> MatchAnswer? {
      let page: MatchAnswer
      switch next {
      case .first: page = try await pages.client.match(pages.question)
      case .continuing(let token): page = try await pages.client.moreResults(continuing: token)
      case .end: return nil
      }
      next = page.hasMore ? page.continuation.map { .continuing($0) } ?? .end : .end
      return page
    }
  }
}

/// A body of `multipart/form-data` (RFC 7578).
struct MultipartForm {
  struct Part {
    let name: String
    let type: String
    let content: Data
  }

  let body: Data
  let contentType: String

  init(_ parts: [Part]) {
    let boundary = "vq-" + UUID().uuidString
    var body = Data()
    for part in parts {
      body.append(
        contentsOf: """
          --\(boundary)\r
          Content-Disposition: form-data; name="\(part.name)"\r
          Content-Type: \(part.type)\r
          \r

          """.utf8)
      body.append(part.content)
      body.append(contentsOf: "\r\n".utf8)
    }
    body.append(contentsOf: "--\(boundary)--\r\n".utf8)
    self.body = body
    contentType = "multipart/form-data; boundary=\(boundary)"
  }
}
