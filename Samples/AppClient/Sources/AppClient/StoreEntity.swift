import AppIntents
import CoreSpotlight
import CoreTransferable
import Foundation
import VisualQueryClient

/// A store of the shop.
struct StoreEntity: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Store"
  static let defaultQuery = StoreQuery()

  let id: String
  let entity: Entity
  @Property(title: "Name") var name: String
  @Property(title: "Address") var address: String?

  var displayRepresentation: DisplayRepresentation { entity.display.representation }

  var attributeSet: CSSearchableItemAttributeSet {
    let attributes = defaultAttributeSet
    entity.addAttributes(to: attributes)
    return attributes
  }

  init(_ entity: Entity) {
    id = entity.id
    self.entity = entity
    name = entity.display.title
    address = entity.store?.address
  }
}

extension StoreEntity: Transferable {
  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation { (store: StoreEntity) in store.entity.plainText }
  }
}

/// The query with which the system asks for stores.
struct StoreQuery: EntityStringQuery {
  @Dependency var shop: ShopSearch

  func entities(for identifiers: [String]) async throws -> [StoreEntity] {
    try await shop.entities(.store, identifiers).map(StoreEntity.init)
  }

  func suggestedEntities() async throws -> [StoreEntity] {
    try await shop.client.suggestedEntities(type: .store).map(StoreEntity.init)
  }

  func entities(matching string: String) async throws -> [StoreEntity] {
    try await shop.client.entities(matching: string, type: .store).map(StoreEntity.init)
  }
}
