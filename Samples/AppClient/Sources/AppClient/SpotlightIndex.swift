import AppIntents
import CoreSpotlight
import Foundation
import VisualQueryClient

/// The shop in Spotlight's index, kept in step with the service. The index stores the state with each batch.
@available(iOS 26, macOS 26, *)
nonisolated struct SpotlightIndex: Sendable {
  let client: ShopClient
  /// The name of the app's index.
  var name = "shop"

  /// The time for the images of a batch. Entities whose image is late have none until they change.
  private static let imageTime = Duration.seconds(30)

  /// Brings the index up to date.
  ///
  /// - Parameter anew: True if the system has lost the index.
  func update(anew: Bool = false) async throws {
    let index = CSSearchableIndex(name: name)
    let stored: Data? = anew ? nil : try? await index.fetchLastClientState()
    let thumbnails = ThumbnailLoader(client: client, byteLimit: 0)
    _ = try await client.updateCopy(from: stored.flatMap { CopyState($0) }) { batch in
      let images = await thumbnails.images(
        of: batch.upserts, size: .small, within: Self.imageTime)
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
      try await index.indexAppEntities(Self.products(batch.upserts, images))
      try await index.indexAppEntities(Self.stores(batch.upserts, images))
      try await index.endBatch(withClientState: batch.state.data)
    }
  }

  /// Indexes some entities again.
  func update(_ entities: [Entity]) async throws {
    let images = await ThumbnailLoader(client: client, byteLimit: 0).images(
      of: entities, size: .small, within: Self.imageTime)
    let index = CSSearchableIndex(name: name)
    try await index.indexAppEntities(Self.products(entities, images))
    try await index.indexAppEntities(Self.stores(entities, images))
  }

  private static func products(
    _ entities: [Entity], _ images: [EntityID: Data]
  ) -> [ProductEntity] {
    entities.filter { $0.type == .product }.map {
      ProductEntity($0, image: images[$0.entityID])
    }
  }

  private static func stores(
    _ entities: [Entity], _ images: [EntityID: Data]
  ) -> [StoreEntity] {
    entities.filter { $0.type == .store }.map { StoreEntity($0, image: images[$0.entityID]) }
  }
}

// The system asks for its index again. The protocol is in the SDKs of iOS 27 and macOS 27.
#if compiler(>=6.4) || APP_INTENTS_STAND_IN
  @available(iOS 27, macOS 27, *)
  nonisolated extension ProductQuery: IndexedEntityQuery {
    func reindexEntities(
      for identifiers: [String], indexDescription: CSSearchableIndexDescription
    ) async throws {
      try await SpotlightIndex(client: shop.client).update(shop.entities(.product, identifiers))
    }

    func reindexAllEntities(indexDescription: CSSearchableIndexDescription) async throws {
      try await SpotlightIndex(client: shop.client).update(anew: true)
    }
  }

  @available(iOS 27, macOS 27, *)
  nonisolated extension StoreQuery: IndexedEntityQuery {
    func reindexEntities(
      for identifiers: [String], indexDescription: CSSearchableIndexDescription
    ) async throws {
      try await SpotlightIndex(client: shop.client).update(shop.entities(.store, identifiers))
    }

    /// The products' query indexes the stores, too.
    func reindexAllEntities(indexDescription: CSSearchableIndexDescription) async throws {}
  }
#endif
