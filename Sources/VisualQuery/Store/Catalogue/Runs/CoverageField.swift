/// A part of entities whose coverage each run compares with that of the run before: what an index can answer depends on it.
public enum CoverageField: String, Sendable, Hashable, CaseIterable, Codable {
  /// The entities themselves.
  case entities
  /// The names of images.
  case image
  /// Images that can be found.
  case signature
  case price
  case availability
  /// A link of its own, without those of templates.
  case link
  case group
  case color
  /// The location of a store.
  case place
  /// A subtitle, a description, or the lines that are printed on the thing.
  case text

  /// Returns the fields that entities of a type can have.
  package static func all(of type: EntityType) -> [CoverageField] {
    switch type {
    case .product: allCases.filter { $0 != .place }
    case .store: [.entities, .image, .signature, .link, .place, .text]
    }
  }
}

/// A set of fields, as small as a number.
package struct CoverageFields: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package init(_ field: CoverageField) {
    rawValue = 1 << (CoverageField.allCases.firstIndex(of: field) ?? 0)
  }

  package init(_ fields: some Sequence<CoverageField>) {
    self = fields.reduce(into: []) { $0.formUnion(CoverageFields($1)) }
  }

  /// The images of an entity, be it their names or that they can be found.
  package static let images = CoverageFields([.image, .signature])

  package func contains(_ field: CoverageField) -> Bool { contains(CoverageFields(field)) }

  /// The fields, in the order of their declaration.
  package var fields: [CoverageField] { CoverageField.allCases.filter(contains) }
}

extension EntityValue {
  /// The name of the attribute, or of the shop's own field, that has the color.
  private static let colorField = "color"

  /// The fields that the entity has, apart from signatures, which are not part of it.
  package var coverage: CoverageFields {
    var fields: CoverageFields = []
    func add(_ field: CoverageField, _ isPresent: Bool) {
      if isPresent { fields.formUnion(CoverageFields(field)) }
    }
    add(.entities, true)
    add(.image, !imagePaths.isEmpty)
    add(.link, url != nil)
    add(
      .text,
      text.subtitle != nil || extra[Self.descriptionField] != nil || extra[Self.textField] != nil)
    switch self {
    case .product(let product):
      add(.price, product.price != nil)
      add(.availability, product.availability != nil)
      add(.group, product.group != nil)
      add(
        .color, product.attributes[Self.colorField] != nil || extra[Self.colorField] != nil)
    case .store(let store):
      add(.place, store.geo != nil)
    }
    return fields
  }

  /// Returns the entity with the values that another one has of some fields.
  package func keeping(_ fields: CoverageFields, of old: EntityValue) -> EntityValue {
    var names: [String] = []
    if fields.contains(.text) { names += [Self.descriptionField, Self.textField] }
    if fields.contains(.color) { names.append(Self.colorField) }
    switch (self, old) {
    case (.product(var product), .product(let old)):
      product.keep(fields, of: old)
      for name in names { product.extra[name] = old.extra[name] }
      if fields.contains(.price) { product.price = old.price }
      if fields.contains(.availability) { product.availability = old.availability }
      if fields.contains(.group) { product.group = old.group }
      if fields.contains(.color) {
        product.attributes[Self.colorField] = old.attributes[Self.colorField]
      }
      return .product(product)
    case (.store(var store), .store(let old)):
      store.keep(fields, of: old)
      for name in names { store.extra[name] = old.extra[name] }
      if fields.contains(.place) { store.geo = old.geo }
      return .store(store)
    default: return self
    }
  }
}

extension EntityText {
  /// Takes the values of fields that products and stores share.
  fileprivate mutating func keep(_ fields: CoverageFields, of old: some EntityText) {
    if fields.contains(.image) || fields.contains(.signature) { images = old.images }
    if fields.contains(.link) { url = old.url }
    if fields.contains(.text) { subtitle = old.subtitle }
  }
}
