import AppIntents
import Foundation
import VisualQueryClient

/// The shop as a whole, of which there is one.
@available(iOS 26, macOS 26, *)
struct ShopSettingsEntity: UniqueAppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Shop"
  static let defaultQuery = ShopSettingsQuery()

  let id: String
  @Property(title: "Name") var name: String
  @Property(title: "Products") var products: Int
  @Property(title: "Stores") var stores: Int
  @Property(title: "Visual search") var visualSearch: Bool

  var displayRepresentation: DisplayRepresentation { "\(name)" }

  init(_ settings: ShopSettings) {
    id = settings.id
    name = settings.name ?? ""
    products = settings.products
    stores = settings.stores
    visualSearch = settings.visualSearch
  }
}

/// The query with which the system asks for the shop.
@available(iOS 26, macOS 26, *)
nonisolated struct ShopSettingsQuery: UniqueAppEntityQuery {
  @Dependency var shop: ShopSearch

  func uniqueEntity() async throws -> ShopSettingsEntity {
    ShopSettingsEntity(try await shop.client.settings())
  }
}
