import Foundation
import PixelMatch
import VisualQuery

/// The state of a server: a catalogue that is indexed while it runs, and threads for the queries.
final class ShopSearch: Sendable {
  private let current: CurrentCatalogue
  private let pool = WorkerPool()
  private let decoder = ImageDecoder(limits: DecodeLimits(byteLimit: 10_000_000))

  init(directory: String) throws {
    current = try CurrentCatalogue(directory: directory)
  }

  /// One question, as an app sends it.
  struct Question: Decodable, Sendable {
    var image: [UInt8]?
    var labels: [String]?
    var continuation: String?
    var locale: String?
  }

  /// The answer as JSON, `vq.match/1`. Cancel the task when the client hangs up: the query stops
  /// within milliseconds.
  func answer(to question: Question) async throws -> Data {
    let clock = ContinuousClock()
    let start = clock.now
    let labels = question.labels ?? []
    let catalogue = try current.catalogue()
    let matcher = Matcher(catalogue: catalogue, pool: pool)
    let response: MatchResponse
    if let continuation = question.continuation {
      response = try await matcher.values(continuing: continuation)
    } else {
      let content =
        if let image = question.image {
          try await matcher.content(decoding: image, labels: labels, decoder: decoder)
        } else {
          SemanticContent(labels: labels)
        }
      response = try await matcher.values(
        for: content, options: MatchOptions(date: Date(), locale: question.locale))
    }
    // The public fields only: no purchase prices, no paths.
    let projection = try await EntityLookup(catalogue: catalogue, pool: pool)
      .publicProjection(of: response.entityIDs)
    let document = MatchDocument(
      response, query: "request", elapsed: clock.now - start, projection: projection)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(document)
  }

  /// The entities of some ids, for an app's `EntityQuery`.
  func entities(for ids: [EntityID]) async throws -> [EntityValue] {
    try await EntityLookup(catalogue: try current.catalogue(), pool: pool).entities(for: ids)
  }
}
