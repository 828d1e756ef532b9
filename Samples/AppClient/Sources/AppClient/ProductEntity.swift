import AppIntents
import Foundation

/// A product of the shop.
struct ProductEntity: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Product"
  static let defaultQuery = ProductQuery()

  let id: String
  @Property(title: "Name") var name: String = ""
  @Property(title: "Brand") var brand: String = ""
  @Property(title: "Price") var price: Double = 0
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
    brand = entity.product?.brand ?? ""
    price = entity.product?.price.flatMap { Double($0.amount) } ?? 0
  }

  init(_ value: MatchAnswer.Value) {
    id = value.id
    subtitle = value.display.subtitle
    url = value.url
    image = value.display.image
    name = value.display.title
  }
}

/// All the ways in which the system asks for products.
struct ProductQuery: EntityQuery, EntityStringQuery, EnumerableEntityQuery, EntityPropertyQuery {
  typealias Entity = ProductEntity
  typealias ComparatorMappingType = PropertyQuestion.Comparator

  func entities(for identifiers: [String]) async throws -> [ProductEntity] {
    try await ShopService.shared.entities("product", ids: identifiers).map(ProductEntity.init)
  }

  func suggestedEntities() async throws -> [ProductEntity] {
    try await ShopService.shared.suggestedEntities("product").map(ProductEntity.init)
  }

  func entities(matching string: String) async throws -> [ProductEntity] {
    try await ShopService.shared.entities("product", matching: string).map(ProductEntity.init)
  }

  /// Meant for small shops: the system keeps what this gives.
  func allEntities() async throws -> [ProductEntity] {
    try await entities(matching: [], mode: .and, sortedBy: [], limit: 1000)
  }

  static let properties = QueryProperties {
    Property(\.$name) {
      EqualToComparator { comparator("title", "equalTo", $0) }
      ContainsComparator { comparator("title", "contains", $0) }
    }
    Property(\.$brand) {
      EqualToComparator { comparator("brand", "equalTo", $0) }
    }
    Property(\.$price) {
      LessThanOrEqualToComparator { (price: Double) in
        comparator("price", "lessThanOrEqualTo", "\(price)")
      }
      GreaterThanOrEqualToComparator { (price: Double) in
        comparator("price", "greaterThanOrEqualTo", "\(price)")
      }
    }
  }

  static let sortingOptions = SortingOptions {
    SortableBy(\.$name)
    SortableBy(\.$price)
  }

  func entities(
    matching comparators: [PropertyQuestion.Comparator], mode: EntityQueryComparatorMode,
    sortedBy: [EntityQuerySort<ProductEntity>], limit: Int?
  ) async throws -> [ProductEntity] {
    let sorts = sortedBy.map { sort in
      PropertyQuestion.Sort(
        property: sort.by == \ProductEntity.$price ? "price" : "title",
        order: sort.order == .ascending ? "ascending" : "descending")
    }
    let question = PropertyQuestion(
      type: "product", comparators: comparators, mode: mode == .and ? "and" : "or",
      sortedBy: sorts, limit: limit)
    return try await ShopService.shared.entities(question).map(ProductEntity.init)
  }

  private static func comparator(
    _ property: String, _ comparison: String, _ value: String
  ) -> PropertyQuestion.Comparator {
    PropertyQuestion.Comparator(property: property, comparison: comparison, value: value)
  }
}
