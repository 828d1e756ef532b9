import VisualQuery

/// The Swift source of an app's entities, with a shop's own public fields.
struct AppIntentsSource: Sendable {
  /// A public field of a type.
  struct Field: Sendable, Hashable {
    /// The kind of its values.
    enum Kind: Sendable, Hashable {
      case text
      case number
      /// One of a few texts.
      case choice([String])
    }

    let name: String
    let kind: Kind

    /// The most values of a choice.
    static let choiceLimit = 24

    /// Tells the kind of a field by the values that entities have; `nil` if none has one.
    ///
    /// Few texts that several entities share are a choice.
    init?(_ facet: Facet) {
      guard facet.entityCount > 0 else { return nil }
      name = facet.property
      var texts: [String] = []
      for value in facet.values { if case .text(let text) = value.value { texts.append(text) } }
      if texts.isEmpty {
        kind = .number
      } else if texts.count == facet.valueCount, texts.count <= Self.choiceLimit,
        texts.count * 2 <= facet.entityCount
      {
        kind = .choice(texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
      } else {
        kind = .text
      }
    }
  }

  /// A field with its names in Swift.
  private struct Property {
    let field: Field
    let name: String
    let type: String
    let title: String
  }

  let generation: Int
  let fields: [EntityType: [Field]]
  /// The templates of links, by type.
  let links: [EntityType: String]
  /// The types of which the system may keep all entities.
  let enumerated: Set<EntityType>

  /// The most entities of a type that the system is given all of.
  static let enumerationLimit = 1000

  /// The source, formatted as `swift format` does in its default shape.
  var text: String {
    """
    // Made by 'vq codegen app-intents' of generation \(generation). It replaces ProductEntity.swift and StoreEntity.swift of
    // Samples/AppClient; make it again when the shop's public fields change.
    import AppIntents
    import CoreSpotlight
    import CoreTransferable
    import Foundation
    import VisualQueryClient

    \(EntityType.allCases.map(source).joined(separator: "\n"))
    """
  }

  /// A property that all shops have.
  private struct Standard {
    let declaration: String
    let name: String
    let value: String
  }

  private static let standard: [EntityType: [Standard]] = [
    .product: [
      Standard(
        declaration: "@Property(title: \"Brand\") var brand: String?", name: "brand",
        value: "entity.product?.brand"),
      Standard(
        declaration: "@Property(title: \"Price\") var price: IntentCurrencyAmount?", name: "price",
        value: "entity.product?.price?.money"),
      Standard(
        declaration: "@Property(title: \"Amount\") var amount: Double?", name: "amount",
        value: "entity.product?.price.flatMap { Double($0.amount) }"),
      Standard(
        declaration: "@Property(title: \"Availability\") var availability: ProductAvailability?",
        name: "availability",
        value: """
          entity.product?.availability.flatMap {
                ProductAvailability(rawValue: $0.rawValue)
              }
          """),
    ],
    .store: [
      Standard(
        declaration:
          "@Property(title: \"Address\", indexingKey: \\.fullyFormattedAddress) var address: String?",
        name: "address", value: "entity.store?.address")
    ],
  ]

  /// The marks of every declaration: the names of App Intents that it uses are those of iOS 26.
  private static let available = "@available(iOS 26, macOS 26, *)"

  private static let availability = """
    /// The availability of a product. One of a newer service is absent.
    \(available)
    nonisolated enum ProductAvailability: String, AppEnum {
      case inStock, outOfStock, preOrder, backOrder, discontinued

      static let typeDisplayRepresentation: TypeDisplayRepresentation = "Availability"
      static let caseDisplayRepresentations: [ProductAvailability: DisplayRepresentation] = [
        .inStock: "In stock", .outOfStock: "Out of stock", .preOrder: "For pre-order",
        .backOrder: "On back order", .discontinued: "No longer sold",
      ]
    }


    """

  private func properties(of type: EntityType) -> [Property] {
    let fields = fields[type] ?? []
    let taken = Set(
      [
        "id", "entity", "image", "name", "details", "link", "displayRepresentation",
        "attributeSet", "defaultAttributeSet",
      ] + (Self.standard[type] ?? []).map(\.name))
    let names = SwiftName.distinct(
      fields.map { SwiftName.lower($0.name, fallback: "field") }, besides: taken)
    return zip(fields, names).map { field, name in
      let swiftType: String =
        switch field.kind {
        case .text: "String"
        case .number: "Double"
        case .choice: Self.prefix(type) + SwiftName.upper(name, fallback: "Field")
        }
      let title = field.name.prefix(1).uppercased() + field.name.dropFirst()
      return Property(field: field, name: name, type: swiftType, title: title)
    }
  }

  private static func prefix(_ type: EntityType) -> String {
    switch type {
    case .product: "Product"
    case .store: "Store"
    }
  }

  private func source(of type: EntityType) -> String {
    let properties = properties(of: type)
    let enumerations = properties.compactMap(Self.enumeration).map { $0 + "\n" }.joined()
    let standard = type == .product ? Self.availability : ""
    return standard + enumerations + Self.entity(type, properties) + "\n" + urlRepresentation(type)
      + query(type, properties)
  }

  private static func enumeration(_ property: Property) -> String? {
    guard case .choice(let values) = property.field.kind else { return nil }
    let names = SwiftName.distinct(
      values.map { SwiftName.lower($0, fallback: "value") }, besides: ["typeDisplayRepresentation"])
    let cases = zip(names, values).map { "  case \($0) = \(SwiftName.literal($1))" }
    let titles = zip(names, values).map { "    .\($0): \(SwiftName.literal($1))," }
    return """
      /// The values of \(SwiftName.literal(property.field.name)).
      \(available)
      nonisolated enum \(property.type): String, AppEnum {
      \(cases.joined(separator: "\n"))

        static let typeDisplayRepresentation: TypeDisplayRepresentation = \(SwiftName.literal(property.title))
        static let caseDisplayRepresentations: [\(property.type): DisplayRepresentation] = [
      \(titles.joined(separator: "\n"))
        ]
      }

      """
  }

  private static func entity(_ type: EntityType, _ properties: [Property]) -> String {
    let prefix = prefix(type)
    let standard = standard[type] ?? []
    let declarations =
      standard.map { "  \($0.declaration)" }
      + properties.map {
        "  @Property(title: \(SwiftName.literal($0.title))) var \($0.name): \($0.type)?"
      }
    let values =
      standard.map { "    \($0.name) = \($0.value)" }
      + properties.map { property in
        let field =
          "entity.\(type.rawValue)?.extra?[\(SwiftName.literal(property.field.name))]"
        return switch property.field.kind {
        case .text: "    \(property.name) = \(field)?.text"
        case .number: "    \(property.name) = \(field)?.number"
        case .choice:
          "    \(property.name) = \(field)?.text.flatMap { \(property.type)(rawValue: $0) }"
        }
      }
    return """
      /// A \(type.rawValue) of the shop.
      \(available)
      struct \(prefix)Entity: IndexedEntity {
        static let typeDisplayRepresentation: TypeDisplayRepresentation = "\(prefix)"
        static let defaultQuery = \(prefix)Query()

        let id: String
        let entity: Entity
        /// The file of the card's image.
        let image: Data?
        @Property(title: "Name", indexingKey: \\.title) var name: String
        @Property(title: "Description", indexingKey: \\.contentDescription) var details: String?
      \(declarations.joined(separator: "\n"))
        #if !APP_INTENTS_STAND_IN
          @ComputedProperty(title: "Link", indexingKey: \\.contentURL)
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
      \(values.joined(separator: "\n"))
        }
      }

      \(available)
      nonisolated extension \(prefix)Entity: Transferable {
        static var transferRepresentation: some TransferRepresentation {
          ProxyRepresentation { (value: \(prefix)Entity) in value.entity.plainText }
        }
      }

      """
  }

  /// Returns the link of an entity, if the shop's template consists of an address and the id.
  private func urlRepresentation(_ type: EntityType) -> String {
    guard let parts = links[type]?.split(separator: "{id}", omittingEmptySubsequences: false),
      parts.count == 2, !parts.joined().contains("{"), parts[0].hasPrefix("https://")
    else { return "" }
    func inner(_ text: Substring) -> Substring {
      SwiftName.literal(String(text)).dropFirst().dropLast()
    }
    return """
      \(Self.available)
      nonisolated extension \(Self.prefix(type))Entity: URLRepresentableEntity {
        static var urlRepresentation: URLRepresentation { "\(inner(parts[0]))\\(.id)\(inner(parts[1]))" }
      }


      """
  }

  /// Returns the conformance by which the system is given all entities, and its function; none for a type of many, which Spotlight has.
  private func enumeration(_ type: EntityType) -> (conformance: String, function: String) {
    guard enumerated.contains(type) else { return ("", "") }
    let (prefix, values) = (Self.prefix(type), "\(type.rawValue)s")
    return (
      "EnumerableEntityQuery, ",
      """

        /// For at most \(Self.enumerationLimit): the system keeps all that this gives.
        func allEntities() async throws -> [\(prefix)Entity] {
          var \(values): [\(prefix)Entity] = []
          for try await page in shop.client.allEntities(type: .\(type.rawValue)) {
            \(values) += page.map { \(prefix)Entity($0) }
          }
          return \(values)
        }

      """
    )
  }

  private func query(_ type: EntityType, _ properties: [Property]) -> String {
    let prefix = Self.prefix(type)
    let comparators = properties.map { Self.comparator(prefix, $0) }
    let (conformance, allEntities) = enumeration(type)
    let price = """
            Property(\\ProductEntity.$amount) {
              LessThanOrEqualToComparator { (value: Double) in
                PropertyQuestion.Comparator("price", .lessThanOrEqualTo, "\\(value)")
              }
              GreaterThanOrEqualToComparator { (value: Double) in
                PropertyQuestion.Comparator("price", .greaterThanOrEqualTo, "\\(value)")
              }
            }
            Property(\\ProductEntity.$availability) {
              EqualToComparator { (value: ProductAvailability?) in
                PropertyQuestion.Comparator("availability", .equalTo, value?.rawValue ?? "")
              }
            }
      """
    let address = """
            Property(\\StoreEntity.$address) {
              EqualToComparator { (value: String?) in
                PropertyQuestion.Comparator("address", .equalTo, value ?? "")
              }
            }
      """
    let standard =
      switch type {
      case .product: price
      case .store: address
      }
    let all = [standard] + comparators
    let sortable = type == .product ? "\n      SortableBy(\\ProductEntity.$amount)" : ""
    let sortName =
      type == .product ? "sort.by == \\ProductEntity.$amount ? \"price\" : \"title\"" : "\"title\""
    return """
      /// All the ways in which the system asks for a \(type.rawValue).
      \(Self.available)
      nonisolated struct \(prefix)Query: EntityStringQuery, \(conformance)EntityPropertyQuery {
        typealias ComparatorMappingType = PropertyQuestion.Comparator

        @Dependency var shop: ShopSearch

        func entities(for identifiers: [String]) async throws -> [\(prefix)Entity] {
          try await shop.illustrated(
            shop.entities(.\(type.rawValue), identifiers), \(prefix)Entity.init)
        }

        func suggestedEntities() async throws -> [\(prefix)Entity] {
          try await shop.illustrated(
            shop.suggestedEntities(.\(type.rawValue)), \(prefix)Entity.init)
        }

        func entities(matching string: String) async throws -> [\(prefix)Entity] {
          try await shop.illustrated(
            shop.entities(matching: string, .\(type.rawValue)), \(prefix)Entity.init)
        }
      \(allEntities)
        static var properties: QueryProperties {
          QueryProperties {
            Property(\\\(prefix)Entity.$name) {
              EqualToComparator { (value: String) in
                PropertyQuestion.Comparator("title", .equalTo, value)
              }
              ContainsComparator { (value: String) in
                PropertyQuestion.Comparator("title", .contains, value)
              }
            }
      \(all.joined(separator: "\n"))
          }
        }

        static var sortingOptions: SortingOptions {
          SortingOptions {
            SortableBy(\\\(prefix)Entity.$name)\(sortable)
          }
        }

        func entities(
          matching comparators: [PropertyQuestion.Comparator], mode: EntityQueryComparatorMode,
          sortedBy: [EntityQuerySort<\(prefix)Entity>], limit: Int?
        ) async throws -> [\(prefix)Entity] {
          let sorts = sortedBy.map { sort in
            PropertyQuestion.Sort(
              \(sortName), ascending: sort.order == .ascending)
          }
          let question = PropertyQuestion(
            type: .\(type.rawValue), comparators: comparators, matchesAny: mode == .or, sortedBy: sorts,
            limit: limit)
          return try await shop.client.entities(question).map { \(prefix)Entity($0) }
        }
      }

      """
  }

  private static func comparator(_ prefix: String, _ property: Property) -> String {
    let name = property.name.filter { $0 != "`" }
    let field = SwiftName.literal(property.field.name)
    switch property.field.kind {
    case .number:
      return """
              Property(\\\(prefix)Entity.$\(name)) {
                LessThanOrEqualToComparator { (value: Double) in
                  PropertyQuestion.Comparator(\(field), .lessThanOrEqualTo, "\\(value)")
                }
                GreaterThanOrEqualToComparator { (value: Double) in
                  PropertyQuestion.Comparator(\(field), .greaterThanOrEqualTo, "\\(value)")
                }
              }
        """
    case .text, .choice:
      let text = property.field.kind == .text ? "value ?? \"\"" : "value?.rawValue ?? \"\""
      return """
              Property(\\\(prefix)Entity.$\(name)) {
                EqualToComparator { (value: \(property.type)?) in
                  PropertyQuestion.Comparator(\(field), .equalTo, \(text))
                }
              }
        """
    }
  }
}
