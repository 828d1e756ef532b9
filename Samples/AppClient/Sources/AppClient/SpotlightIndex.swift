import AppIntents
import CoreSpotlight
import Foundation
import VisualQueryClient

/// The shop in Spotlight's index, kept in step with the service. The index stores the state with each batch.
struct SpotlightIndex: Sendable {
  let client: ShopClient
  /// The name of the app's index.
  var name = "shop"

  /// Brings the index up to date. An app calls it when it starts, and in a background task.
  func update() async throws {
    let index = CSSearchableIndex(name: name)
    let stored: Data? = try? await index.fetchLastClientState()
    _ = try await client.updateCopy(from: stored.flatMap { CopyState($0) }) { batch in
      index.beginBatch()
      if batch.beginsAnew {
        try await index.deleteAppEntities(ofType: ProductEntity.self)
        try await index.deleteAppEntities(ofType: StoreEntity.self)
      }
      try await index.deleteAppEntities(
        identifiedBy: batch.removals.filter { $0.type == .product }.map(\.id),
        ofType: ProductEntity.self)
      try await index.deleteAppEntities(
        identifiedBy: batch.removals.filter { $0.type == .store }.map(\.id),
        ofType: StoreEntity.self)
      try await index.indexAppEntities(
        batch.upserts.filter { $0.type == .product }.map(ProductEntity.init))
      try await index.indexAppEntities(
        batch.upserts.filter { $0.type == .store }.map(StoreEntity.init))
      try await index.endBatch(withClientState: batch.state.data)
    }
  }
}
