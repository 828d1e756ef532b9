import AppIntents
import CoreSpotlight
import CoreTransferable
import Foundation
import VisualQueryClient

/// A product of the shop.
@available(iOS 26, macOS 26, *)
struct ProductEntity: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Product"
  static let defaultQuery = ProductQuery()

  let id: String
  let entity: Entity
  /// The file of the card's image.
  let image: Data?
  @Property(title: "Name", indexingKey: \.title) var name: String
  @Property(title: "Description", indexingKey: \.contentDescription) var details: String?
  @Property(title: "Brand") var brand: String?
  @Property(title: "Price") var price: IntentCurrencyAmount?
  /// The number of the price, by which Shortcuts filters and sorts: money cannot be compared.
  @Property(title: "Amount") var amount: Double?
  @Property(title: "Availability") var availability: ProductAvailability?
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
    brand = entity.product?.brand
    price = entity.product?.price?.money
    amount = entity.product?.price.flatMap { Double($0.amount) }
    availability = entity.product?.availability.flatMap {
      ProductAvailability(rawValue: $0.rawValue)
    }
  }
}

/// The availability of a product. One of a newer service is absent.
@available(iOS 26, macOS 26, *)
nonisolated enum ProductAvailability: String, AppEnum {
  case inStock, outOfStock, preOrder, backOrder, discontinued

  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Availability"
  static let caseDisplayRepresentations: [ProductAvailability: DisplayRepresentation] = [
    .inStock: "In stock", .outOfStock: "Out of stock", .preOrder: "For pre-order",
    .backOrder: "On back order", .discontinued: "No longer sold",
  ]
}

@available(iOS 26, macOS 26, *)
nonisolated extension ProductEntity: Transferable {
  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation { (product: ProductEntity) in product.entity.plainText }
  }
}

// The link of the shop's universal links, as in `vq index --link`.
@available(iOS 26, macOS 26, *)
nonisolated extension ProductEntity: URLRepresentableEntity {
  static var urlRepresentation: URLRepresentation { "https://shop.example/p/\(.id)" }
}

/// All the ways in which the system asks for products.
@available(iOS 26, macOS 26, *)
nonisolated struct ProductQuery: EntityStringQuery, EnumerableEntityQuery, EntityPropertyQuery {
  typealias ComparatorMappingType = PropertyQuestion.Comparator

  @Dependency var shop: ShopSearch

  func entities(for identifiers: [String]) async throws -> [ProductEntity] {
    try await shop.illustrated(shop.entities(.product, identifiers), ProductEntity.init)
  }

  func suggestedEntities() async throws -> [ProductEntity] {
    try await shop.illustrated(shop.suggestedEntities(.product), ProductEntity.init)
  }

  func entities(matching string: String) async throws -> [ProductEntity] {
    try await shop.illustrated(shop.entities(matching: string, .product), ProductEntity.init)
  }

  /// For small shops: the system keeps all that this gives. A larger shop leaves the conformance out and has its
  /// products in Spotlight (``SpotlightIndex``).
  func allEntities() async throws -> [ProductEntity] {
    var products: [ProductEntity] = []
    for try await page in shop.client.allEntities(type: .product) {
      products += page.map { ProductEntity($0) }
    }
    return products
  }

  static var properties: QueryProperties {
    QueryProperties {
      Property(\ProductEntity.$name) {
        EqualToComparator { (name: String) in PropertyQuestion.Comparator("title", .equalTo, name) }
        ContainsComparator { (part: String) in
          PropertyQuestion.Comparator("title", .contains, part)
        }
      }
      Property(\ProductEntity.$amount) {
        LessThanOrEqualToComparator { (price: Double) in
          PropertyQuestion.Comparator("price", .lessThanOrEqualTo, "\(price)")
        }
        GreaterThanOrEqualToComparator { (price: Double) in
          PropertyQuestion.Comparator("price", .greaterThanOrEqualTo, "\(price)")
        }
      }
      Property(\ProductEntity.$availability) {
        EqualToComparator { (value: ProductAvailability?) in
          PropertyQuestion.Comparator("availability", .equalTo, value?.rawValue ?? "")
        }
      }
    }
  }

  static var sortingOptions: SortingOptions {
    SortingOptions {
      SortableBy(\ProductEntity.$name)
      SortableBy(\ProductEntity.$amount)
    }
  }

  func entities(
    matching comparators: [PropertyQuestion.Comparator], mode: EntityQueryComparatorMode,
    sortedBy: [EntityQuerySort<ProductEntity>], limit: Int?
  ) async throws -> [ProductEntity] {
    let sorts = sortedBy.map { sort in
      PropertyQuestion.Sort(
        sort.by == \ProductEntity.$amount ? "price" : "title", ascending: sort.order == .ascending)
    }
    let question = PropertyQuestion(
      type: .product, comparators: comparators, matchesAny: mode == .or, sortedBy: sorts,
      limit: limit)
    return try await shop.client.entities(question).map { ProductEntity($0) }
  }
}
