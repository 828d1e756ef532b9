import AppIntents
import CoreSpotlight
import CoreTransferable
import Foundation
import VisualQueryClient

/// A store of the shop.
@available(iOS 26, macOS 26, *)
struct StoreEntity: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Store"
  static let defaultQuery = StoreQuery()

  let id: String
  let entity: Entity
  /// The file of the card's image.
  let image: Data?
  @Property(title: "Name", indexingKey: \.title) var name: String
  @Property(title: "Description", indexingKey: \.contentDescription) var details: String?
  @Property(title: "Address", indexingKey: \.fullyFormattedAddress) var address: String?
  #if !APP_INTENTS_STAND_IN
    @ComputedProperty(title: "Link", indexingKey: \.contentURL)
  #endif
  var link: URL? { entity.url }

  var displayRepresentation: DisplayRepresentation { entity.representation(image: image) }

  var attributeSet: CSSearchableItemAttributeSet {
    let attributes = defaultAttributeSet
    entity.addAttributes(to: attributes, image: image)
    return attributes
  }

  init(_ entity: Entity, image: Data? = nil) {
    id = entity.id
    self.entity = entity
    self.image = image
    name = entity.display.title
    details = entity.display.subtitle
    address = entity.store?.address
  }
}

@available(iOS 26, macOS 26, *)
nonisolated extension StoreEntity: Transferable {
  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation { (store: StoreEntity) in store.entity.plainText }
  }
}

// The link of the shop's universal links, as in `vq index --link`.
@available(iOS 26, macOS 26, *)
nonisolated extension StoreEntity: URLRepresentableEntity {
  static var urlRepresentation: URLRepresentation { "https://shop.example/stores/\(.id)" }
}

/// All the ways in which the system asks for stores.
@available(iOS 26, macOS 26, *)
nonisolated struct StoreQuery: EntityStringQuery, EnumerableEntityQuery, EntityPropertyQuery {
  typealias ComparatorMappingType = PropertyQuestion.Comparator

  @Dependency var shop: ShopSearch

  func entities(for identifiers: [String]) async throws -> [StoreEntity] {
    try await shop.illustrated(shop.entities(.store, identifiers), StoreEntity.init)
  }

  func suggestedEntities() async throws -> [StoreEntity] {
    try await shop.illustrated(shop.suggestedEntities(.store), StoreEntity.init)
  }

  func entities(matching string: String) async throws -> [StoreEntity] {
    try await shop.illustrated(shop.entities(matching: string, .store), StoreEntity.init)
  }

  func allEntities() async throws -> [StoreEntity] {
    var stores: [StoreEntity] = []
    for try await page in shop.client.allEntities(type: .store) {
      stores += page.map { StoreEntity($0) }
    }
    return stores
  }

  static var properties: QueryProperties {
    QueryProperties {
      Property(\StoreEntity.$name) {
        EqualToComparator { (name: String) in PropertyQuestion.Comparator("title", .equalTo, name) }
        ContainsComparator { (part: String) in
          PropertyQuestion.Comparator("title", .contains, part)
        }
      }
      Property(\StoreEntity.$address) {
        EqualToComparator { (address: String?) in
          PropertyQuestion.Comparator("address", .equalTo, address ?? "")
        }
      }
    }
  }

  static var sortingOptions: SortingOptions {
    SortingOptions { SortableBy(\StoreEntity.$name) }
  }

  func entities(
    matching comparators: [PropertyQuestion.Comparator], mode: EntityQueryComparatorMode,
    sortedBy: [EntityQuerySort<StoreEntity>], limit: Int?
  ) async throws -> [StoreEntity] {
    let sorts = sortedBy.map { PropertyQuestion.Sort("title", ascending: $0.order == .ascending) }
    let question = PropertyQuestion(
      type: .store, comparators: comparators, matchesAny: mode == .or, sortedBy: sorts,
      limit: limit)
    return try await shop.client.entities(question).map { StoreEntity($0) }
  }
}
