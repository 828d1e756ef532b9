import AppIntents
import Foundation

/// A store of the shop.
struct StoreEntity: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Store"
  static let defaultQuery = StoreQuery()

  let id: String
  @Property(title: "Name") var name: String = ""
  let subtitle: String?
  let url: URL?
  let image: URL?

  var displayRepresentation: DisplayRepresentation {
    DisplayRepresentation(
      title: "\(name)", subtitle: subtitle.map { "\($0)" },
      image: image.map { DisplayRepresentation.Image(url: $0) })
  }

  init(_ entity: ShopEntity) {
    id = entity.id
    subtitle = entity.display.subtitle
    url = entity.url
    image = entity.display.image
    name = entity.display.title
  }

  init(_ value: MatchAnswer.Value) {
    id = value.id
    subtitle = value.display.subtitle
    url = value.url
    image = value.display.image
    name = value.display.title
  }
}

/// How the system asks for stores.
struct StoreQuery: EntityQuery, EntityStringQuery {
  typealias Entity = StoreEntity

  func entities(for identifiers: [String]) async throws -> [StoreEntity] {
    try await ShopService.shared.entities("store", ids: identifiers).map(StoreEntity.init)
  }

  func suggestedEntities() async throws -> [StoreEntity] {
    try await ShopService.shared.suggestedEntities("store").map(StoreEntity.init)
  }

  func entities(matching string: String) async throws -> [StoreEntity] {
    try await ShopService.shared.entities("store", matching: string).map(StoreEntity.init)
  }
}
