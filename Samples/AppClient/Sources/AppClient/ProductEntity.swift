import AppIntents
import CoreSpotlight
import CoreTransferable
import Foundation
import VisualQueryClient

/// A product of the shop.
struct ProductEntity: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Product"
  static let defaultQuery = ProductQuery()

  let id: String
  let entity: Entity
  @Property(title: "Name") var name: String
  @Property(title: "Brand") var brand: String?
  @Property(title: "Price") var price: Double?

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
    brand = entity.product?.brand
    price = entity.product?.price.flatMap { Double($0.amount) }
  }
}

extension ProductEntity: Transferable {
  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation { (product: ProductEntity) in product.entity.plainText }
  }
}

/// All the ways in which the system asks for products.
struct ProductQuery: EntityStringQuery, EnumerableEntityQuery, EntityPropertyQuery {
  typealias ComparatorMappingType = PropertyQuestion.Comparator

  @Dependency var shop: ShopSearch

  func entities(for identifiers: [String]) async throws -> [ProductEntity] {
    try await shop.entities(.product, identifiers).map(ProductEntity.init)
  }

  func suggestedEntities() async throws -> [ProductEntity] {
    try await shop.client.suggestedEntities(type: .product).map(ProductEntity.init)
  }

  func entities(matching string: String) async throws -> [ProductEntity] {
    try await shop.client.entities(matching: string, type: .product).map(ProductEntity.init)
  }

  /// For small shops: the system keeps all that this gives. A larger shop leaves the conformance out and has its
  /// products in Spotlight (``SpotlightIndex``).
  func allEntities() async throws -> [ProductEntity] {
    var products: [ProductEntity] = []
    for try await page in shop.client.allEntities(type: .product) {
      products += page.map(ProductEntity.init)
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
      Property(\ProductEntity.$price) {
        LessThanOrEqualToComparator { (price: Double) in
          PropertyQuestion.Comparator("price", .lessThanOrEqualTo, "\(price)")
        }
        GreaterThanOrEqualToComparator { (price: Double) in
          PropertyQuestion.Comparator("price", .greaterThanOrEqualTo, "\(price)")
        }
      }
    }
  }

  static var sortingOptions: SortingOptions {
    SortingOptions {
      SortableBy(\ProductEntity.$name)
      SortableBy(\ProductEntity.$price)
    }
  }

  func entities(
    matching comparators: [PropertyQuestion.Comparator], mode: EntityQueryComparatorMode,
    sortedBy: [EntityQuerySort<ProductEntity>], limit: Int?
  ) async throws -> [ProductEntity] {
    let sorts = sortedBy.map { sort in
      PropertyQuestion.Sort(
        sort.by == \ProductEntity.$price ? "price" : "title", ascending: sort.order == .ascending)
    }
    let question = PropertyQuestion(
      type: .product, comparators: comparators, matchesAny: mode == .or, sortedBy: sorts,
      limit: limit)
    return try await shop.client.entities(question).map(ProductEntity.init)
  }
}
