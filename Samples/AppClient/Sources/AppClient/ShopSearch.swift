import AppIntents
import CoreVideo
import Foundation
import VisualIntelligence
import VisualQueryClient

/// The shop as the app's intents and queries ask it. The app adds one to its dependencies at launch
/// (``AppSetup/addDependencies(_:copy:)``).
final class ShopSearch: Sendable {
  let client: ShopClient
  private let encoder = ImageEncoder()
  /// The file with the copy of the shop for answers without a connection.
  private let copy: URL?

  init(_ configuration: ServiceConfiguration, copy: URL? = nil) {
    client = ShopClient(configuration)
    self.copy = copy
  }

  /// Returns what the shop has of a scene, best first.
  ///
  /// Without a connection, only the labels are searched for, in the copy on the device.
  func matches(for content: SemanticContentDescriptor) async throws -> MatchedScene {
    // The closure is needed: a function's result is not declared as sent.
    let jpeg = content.pixelBuffer.flatMap { buffer in
      buffer.withUnsafeBuffer { encoder.jpeg(of: $0, longSide: client.configuration.longSide) }
    }
    try Task.checkCancellation()
    do {
      let answer = try await client.match(
        MatchQuestion(image: jpeg.map { .file($0) }, labels: content.labels))
      return MatchedScene(
        entities: answer.values.map(\.entity), possible: answer.possible.map(\.entity),
        continuation: answer.hasMore ? answer.continuation : nil, isFromService: true)
    } catch let error as ClientError where error.isTemporary {
      guard let copy else { throw error }
      let entities = EntityCopy(contentsOf: copy).entities(withLabels: content.labels, limit: 8)
      return MatchedScene(entities: entities, continuation: nil, isFromService: false)
    }
  }

  /// Returns the next page of matches, without the image.
  func moreMatches(continuing token: String) async throws -> MatchedScene {
    let answer = try await client.moreResults(continuing: token)
    return MatchedScene(
      entities: answer.values.map(\.entity), possible: answer.possible.map(\.entity),
      continuation: answer.hasMore ? answer.continuation : nil, isFromService: true)
  }

  /// Returns the entities of some ids, from the copy on the device if there is no connection.
  func entities(_ type: EntityType, _ ids: [String]) async throws -> [Entity] {
    let ids = ids.map { EntityID(type, $0) }
    do {
      return try await client.entities(for: ids).entities
    } catch let error as ClientError where error.isTemporary {
      guard let copy else { throw error }
      return EntityCopy(contentsOf: copy).entities(for: ids)
    }
  }

  /// Brings the copy of the shop up to date. An app calls it when it starts, and in a background task.
  func updateCopy() async throws {
    guard let copy else { return }
    var stored = EntityCopy(contentsOf: copy)
    _ = try await client.updateCopy(from: stored.copyState) { stored.apply($0) }
    try stored.write(to: copy)
  }
}

/// The matches of a scene.
struct MatchedScene: Sendable {
  let entities: [Entity]
  /// The possible matches if none is sure: at most one of them is right. They are shown apart from `entities`.
  var possible: [Entity] = []
  /// The token of the next page, or `nil` if there is none.
  let continuation: String?
  /// True if the service has seen the image; otherwise only the labels were compared.
  let isFromService: Bool
}
