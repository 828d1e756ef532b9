@_exported public import AppleFoundation
public import CoreSpotlight
public import Synchronization
public import UniformTypeIdentifiers

// MARK: Values

/// The types that parameters and properties may have; not documented, but named in the declarations of
/// <https://developer.apple.com/documentation/appintents/intentparameter>.
public protocol _IntentValue {
  /// The type of the values; an entity's is the entity itself.
  associatedtype ValueType = Self
  /// The type without its optional.
  associatedtype UnwrappedType = Self
}

extension String: _IntentValue {}
extension Int: _IntentValue {}
extension Double: _IntentValue {}
extension Bool: _IntentValue {}
extension URL: _IntentValue {}
extension Optional: _IntentValue where Wrapped: _IntentValue {
  /// <https://developer.apple.com/documentation/swift/optional>
  public typealias ValueType = Wrapped.ValueType
  /// <https://developer.apple.com/documentation/swift/optional>
  public typealias UnwrappedType = Wrapped
}
extension Array: _IntentValue where Element: _IntentValue {
  /// <https://developer.apple.com/documentation/swift/array>
  public typealias ValueType = Element.ValueType
}

/// <https://developer.apple.com/documentation/appintents/intentcurrencyamount>: not `Comparable`.
public struct IntentCurrencyAmount: Sendable, _IntentValue {
  /// <https://developer.apple.com/documentation/appintents/intentcurrencyamount/amount>
  public let amount: Decimal
  /// <https://developer.apple.com/documentation/appintents/intentcurrencyamount/currencycode>
  public let currencyCode: String

  /// <https://developer.apple.com/documentation/appintents/intentcurrencyamount/init(amount:currencycode:)>
  public init(amount: Decimal, currencyCode: String) {
    (self.amount, self.currencyCode) = (amount, currencyCode)
  }
}

/// <https://developer.apple.com/documentation/appintents/intentfile>
public struct IntentFile: Sendable, _IntentValue {
  /// <https://developer.apple.com/documentation/appintents/intentfile/data>
  public let data: Data
  /// <https://developer.apple.com/documentation/appintents/intentfile/filename>
  public let filename: String

  /// <https://developer.apple.com/documentation/appintents/intentfile/init(data:filename:type:)>
  public init(data: Data, filename: String, type: UTType? = nil) {
    (self.data, self.filename) = (data, filename)
  }
}

/// <https://developer.apple.com/documentation/appintents/appunionvalue>: what `@UnionValue` makes of an enumeration.
public protocol AppUnionValue: _IntentValue, Sendable {}

/// <https://developer.apple.com/documentation/appintents/persistentlyidentifiable>
public protocol PersistentlyIdentifiable {
  /// <https://developer.apple.com/documentation/appintents/persistentlyidentifiable/persistentidentifier>
  static var persistentIdentifier: String { get }
}

extension PersistentlyIdentifiable {
  /// The name of the type.
  public static var persistentIdentifier: String { "\(Self.self)" }
}

// MARK: Display

/// <https://developer.apple.com/documentation/appintents/typedisplayrepresentation>
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Sendable, Hashable {
  /// <https://developer.apple.com/documentation/appintents/typedisplayrepresentation/name>
  public var name: LocalizedStringResource

  /// <https://developer.apple.com/documentation/appintents/typedisplayrepresentation/init(stringliteral:)>
  public init(stringLiteral value: String) { name = LocalizedStringResource(stringLiteral: value) }
}

/// <https://developer.apple.com/documentation/appintents/displayrepresentation>
public struct DisplayRepresentation: ExpressibleByStringInterpolation, Sendable {
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.struct>
  public struct Image: Sendable {
    /// Stand-in only: the address.
    public let url: URL?
    /// Stand-in only: the bytes.
    public let data: Data?

    /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.struct/init(url:istemplate:displaystyle:)>
    public init(url: URL, isTemplate: Bool? = nil) { (self.url, data) = (url, nil) }

    /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.struct/init(data:istemplate:displaystyle:)>
    public init(data: Data, isTemplate: Bool? = nil) { (url, self.data) = (nil, data) }
  }

  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/title>
  public var title: LocalizedStringResource
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/subtitle>
  public var subtitle: LocalizedStringResource?
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/image-swift.property>
  public var image: Image?
  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/synonyms>
  public var synonyms: [LocalizedStringResource]

  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/init(stringliteral:)>
  public init(stringLiteral value: String) {
    self.init(title: LocalizedStringResource(stringLiteral: value))
  }

  /// <https://developer.apple.com/documentation/appintents/displayrepresentation/init(title:subtitle:image:synonyms:)>
  public init(
    title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil, image: Image? = nil,
    synonyms: [LocalizedStringResource] = []
  ) {
    (self.title, self.subtitle, self.image, self.synonyms) = (title, subtitle, image, synonyms)
  }
}

/// <https://developer.apple.com/documentation/appintents/typedisplayrepresentable>
public protocol TypeDisplayRepresentable {
  /// <https://developer.apple.com/documentation/appintents/typedisplayrepresentable/typedisplayrepresentation>
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
}

/// <https://developer.apple.com/documentation/appintents/instancedisplayrepresentable>
public protocol InstanceDisplayRepresentable {
  /// <https://developer.apple.com/documentation/appintents/instancedisplayrepresentable/displayrepresentation>
  var displayRepresentation: DisplayRepresentation { get }
}

/// <https://developer.apple.com/documentation/appintents/displayrepresentable>
public protocol DisplayRepresentable: TypeDisplayRepresentable, InstanceDisplayRepresentable {}

// MARK: Entities

/// <https://developer.apple.com/documentation/appintents/entityidentifierconvertible>
public protocol EntityIdentifierConvertible: Hashable {}

extension String: EntityIdentifierConvertible {}
extension Int: EntityIdentifierConvertible {}
extension UUID: EntityIdentifierConvertible {}

/// <https://developer.apple.com/documentation/appintents/appvalue>
public protocol AppValue: PersistentlyIdentifiable, Sendable, TypeDisplayRepresentable,
  _IntentValue
{}

/// <https://developer.apple.com/documentation/appintents/appentity>
public protocol AppEntity: AppValue, DisplayRepresentable, Identifiable,
  CustomLocalizedStringResourceConvertible
where Self == Self.ValueType, Self.ID: EntityIdentifierConvertible, Self.ID: Sendable {
  /// <https://developer.apple.com/documentation/appintents/appentity/defaultquery-swift.associatedtype>
  associatedtype DefaultQuery: EntityQuery where Self == DefaultQuery.Entity
  /// <https://developer.apple.com/documentation/appintents/appentity/defaultquery-swift.type.property>
  static var defaultQuery: DefaultQuery { get }
}

extension AppEntity {
  /// The title.
  public var localizedStringResource: LocalizedStringResource { displayRepresentation.title }

  /// <https://developer.apple.com/documentation/appintents/appentity/property>
  public typealias Property<Value> = EntityProperty<Value>
  where Value: _IntentValue, Value: Sendable
}

/// <https://developer.apple.com/documentation/appintents/appenum>
public protocol AppEnum: AppValue, CaseIterable, Hashable, RawRepresentable
where RawValue: LosslessStringConvertible {
  /// <https://developer.apple.com/documentation/appintents/casedisplayrepresentable/casedisplayrepresentations>
  static var caseDisplayRepresentations: [Self: DisplayRepresentation] { get }
}

/// <https://developer.apple.com/documentation/appintents/entityproperty>
///
/// A class without an initializer that takes a wrapped value: a property has no default value.
@propertyWrapper public final class EntityProperty<Value>: @unchecked Sendable
where Value: _IntentValue, Value: Sendable {
  private let value = Mutex<Value?>(nil)
  /// Stand-in only: the title.
  public let title: LocalizedStringResource

  /// <https://developer.apple.com/documentation/appintents/entityproperty/wrappedvalue>
  public var wrappedValue: Value {
    get { value.withLock { $0! } }
    set { value.withLock { $0 = newValue } }
  }

  /// <https://developer.apple.com/documentation/appintents/entityproperty/projectedvalue>
  public var projectedValue: EntityProperty<Value> { self }

  /// <https://developer.apple.com/documentation/appintents/entityproperty/init(title:)>
  public init(title: LocalizedStringResource) { self.title = title }

  /// <https://developer.apple.com/documentation/appintents/entityproperty/init(title:indexingkey:)>
  public init(
    title: LocalizedStringResource, indexingKey: PartialKeyPath<CSSearchableItemAttributeSet>
  ) { self.title = title }
}

/// <https://developer.apple.com/documentation/appintents/indexedentity>
public protocol IndexedEntity: AppEntity {
  /// <https://developer.apple.com/documentation/appintents/indexedentity/attributeset>
  var attributeSet: CSSearchableItemAttributeSet { get }
  /// <https://developer.apple.com/documentation/appintents/indexedentity/defaultattributeset>
  var defaultAttributeSet: CSSearchableItemAttributeSet { get }
}

extension IndexedEntity {
  /// The texts of the representation.
  public var defaultAttributeSet: CSSearchableItemAttributeSet {
    let set = CSSearchableItemAttributeSet()
    set.displayName = displayRepresentation.title.key
    return set
  }

  /// <https://developer.apple.com/documentation/appintents/indexedentity/attributeset>
  public var attributeSet: CSSearchableItemAttributeSet { defaultAttributeSet }
}

extension CSSearchableIndex {
  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/indexappentities(_:priority:)>
  public func indexAppEntities<Entity: IndexedEntity>(
    _ appEntities: [Entity], priority: Int = 0
  ) async throws {
    for entity in appEntities {
      let (name, attributes) = ("\(Entity.self)/\(entity.id)", entity.attributeSet)
      stored.entries[name] = attributes.displayName ?? ""
      if attributes.thumbnailData != nil { stored.illustrated.insert(name) }
    }
  }

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/deleteappentities(identifiedby:oftype:)>
  public func deleteAppEntities<Entity: IndexedEntity>(
    identifiedBy identifiers: [Entity.ID], ofType entityType: Entity.Type
  ) async throws {
    for id in identifiers { stored.entries["\(Entity.self)/\(id)"] = nil }
  }

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/deleteappentities(oftype:)>
  public func deleteAppEntities<Entity: IndexedEntity>(
    ofType entityType: Entity.Type
  ) async throws {
    stored.entries = stored.entries.filter { !$0.key.hasPrefix("\(Entity.self)/") }
  }
}

/// <https://developer.apple.com/documentation/appintents/uniqueappentity>
public protocol UniqueAppEntity: AppEntity where DefaultQuery: UniqueAppEntityQuery {}

/// <https://developer.apple.com/documentation/appintents/customurlrepresentationparameterconvertible>
public protocol CustomURLRepresentationParameterConvertible {
  /// <https://developer.apple.com/documentation/appintents/customurlrepresentationparameterconvertible/urlrepresentationparameter>
  var urlRepresentationParameter: String { get }
}

/// <https://developer.apple.com/documentation/appintents/urlrepresentableentity>
public protocol URLRepresentableEntity: AppEntity, CustomURLRepresentationParameterConvertible {
  /// <https://developer.apple.com/documentation/appintents/urlrepresentableentity/urlrepresentation-swift.type.property>
  static var urlRepresentation: URLRepresentation { get }
}

extension URLRepresentableEntity {
  /// <https://developer.apple.com/documentation/appintents/urlrepresentableentity/urlrepresentation-swift.typealias>
  public typealias URLRepresentation = EntityURLRepresentation<Self>
  /// The address.
  public var urlRepresentationParameter: String {
    Self.urlRepresentation.text.replacing("${id}", with: "\(id)")
  }
}

/// <https://developer.apple.com/documentation/appintents/entityurlrepresentation>
public struct EntityURLRepresentation<Entity>: ExpressibleByStringInterpolation, Sendable
where Entity: AppEntity {
  let text: String

  /// The parts of an address that are not text.
  public enum Token: Sendable {
    /// The id of the entity.
    case id
  }

  /// A text without parts of the entity.
  public init(stringLiteral value: String) { text = value }

  /// A text with parts of the entity.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// <https://developer.apple.com/documentation/appintents/entityurlrepresentation/stringinterpolation>
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// <https://developer.apple.com/documentation/appintents/entityurlrepresentation/stringinterpolation/appendinterpolation(_:)>
    public mutating func appendInterpolation(_ token: Token) { text += "${\(token)}" }
  }
}

/// <https://developer.apple.com/documentation/appintents/entityidentifier>
public struct EntityIdentifier: Hashable, Sendable {
  /// <https://developer.apple.com/documentation/appintents/entityidentifier/identifier>
  public let identifier: String

  /// <https://developer.apple.com/documentation/appintents/entityidentifier/init(for:)>
  public init<Entity: AppEntity>(for entity: Entity) { identifier = "\(Entity.self)/\(entity.id)" }
}

extension NSUserActivity {
  /// <https://developer.apple.com/documentation/foundation/nsuseractivity/appentityidentifier>
  public var appEntityIdentifier: EntityIdentifier? {
    get { persistentIdentifier.flatMap { _ in nil } }
    set { persistentIdentifier = newValue?.identifier }
  }
}

// MARK: Queries

/// <https://developer.apple.com/documentation/appintents/resultscollection>
public protocol ResultsCollection {
  /// <https://developer.apple.com/documentation/appintents/resultscollection/result>
  associatedtype Result: _IntentValue
}

extension Array: ResultsCollection where Element: _IntentValue {
  /// <https://developer.apple.com/documentation/appintents/resultscollection/result>
  public typealias Result = Element
}

/// <https://developer.apple.com/documentation/appintents/dynamicoptionsprovider>
public protocol DynamicOptionsProvider: _SupportsAppDependencies, Sendable {
  /// <https://developer.apple.com/documentation/appintents/dynamicoptionsprovider/result>
  associatedtype Result: ResultsCollection
  /// <https://developer.apple.com/documentation/appintents/dynamicoptionsprovider/results()>
  func results() async throws -> Result
}

/// A type that may have an `@Dependency`; not documented, but named in the declarations of
/// <https://developer.apple.com/documentation/appintents/intentvaluequery>.
public protocol _SupportsAppDependencies {}

extension _SupportsAppDependencies {
  /// <https://developer.apple.com/documentation/appintents/appdependency>
  public typealias Dependency<Value> = AppDependency<Value> where Value: Sendable
}

/// <https://developer.apple.com/documentation/appintents/entityquery>
public protocol EntityQuery: DynamicOptionsProvider, PersistentlyIdentifiable, Sendable {
  /// <https://developer.apple.com/documentation/appintents/entityquery/entity>
  associatedtype Entity: AppEntity
  /// <https://developer.apple.com/documentation/appintents/entityquery/result>
  associatedtype Result: ResultsCollection = [Entity]
  /// <https://developer.apple.com/documentation/appintents/entityquery/init()>
  init()
  /// <https://developer.apple.com/documentation/appintents/entityquery/entities(for:)>
  func entities(for identifiers: [Entity.ID]) async throws -> [Entity]
  /// <https://developer.apple.com/documentation/appintents/entityquery/suggestedentities()>
  func suggestedEntities() async throws -> Result
}

extension EntityQuery {
  /// <https://developer.apple.com/documentation/appintents/dynamicoptionsprovider/results()>
  public func results() async throws -> Result { try await suggestedEntities() }
}

/// <https://developer.apple.com/documentation/appintents/entitystringquery>
public protocol EntityStringQuery: EntityQuery {
  /// <https://developer.apple.com/documentation/appintents/entitystringquery/entities(matching:)>
  func entities(matching string: String) async throws -> Result
}

/// <https://developer.apple.com/documentation/appintents/enumerableentityquery>
public protocol EnumerableEntityQuery: EntityQuery {
  /// <https://developer.apple.com/documentation/appintents/enumerableentityquery/allentities()>
  func allEntities() async throws -> Result
}

/// <https://developer.apple.com/documentation/appintents/indexedentityquery>: iOS 27, macOS 27.
public protocol IndexedEntityQuery: EntityQuery where Entity: IndexedEntity {
  /// <https://developer.apple.com/documentation/appintents/indexedentityquery/reindexentities(for:indexdescription:)>
  func reindexEntities(
    for identifiers: [Entity.ID], indexDescription: CSSearchableIndexDescription
  ) async throws
  /// <https://developer.apple.com/documentation/appintents/indexedentityquery/reindexallentities(indexdescription:)>
  func reindexAllEntities(indexDescription: CSSearchableIndexDescription) async throws
}

/// <https://developer.apple.com/documentation/appintents/uniqueappentityquery>
public protocol UniqueAppEntityQuery: EnumerableEntityQuery where Entity: UniqueAppEntity {
  /// <https://developer.apple.com/documentation/appintents/uniqueappentityquery/unique>
  associatedtype Unique where Entity == Unique
  /// <https://developer.apple.com/documentation/appintents/uniqueappentityquery/uniqueentity()>
  func uniqueEntity() async throws -> Unique
}

extension UniqueAppEntityQuery where Result == [Entity] {
  /// The only one, if it is asked for.
  public func entities(for identifiers: [Entity.ID]) async throws -> [Entity] {
    let entity = try await uniqueEntity()
    return identifiers.contains(entity.id) ? [entity] : []
  }
  /// The only one.
  public func suggestedEntities() async throws -> [Entity] { [try await uniqueEntity()] }
  /// The only one.
  public func allEntities() async throws -> [Entity] { [try await uniqueEntity()] }
}

/// <https://developer.apple.com/documentation/appintents/entityquerycomparatormode>
public enum EntityQueryComparatorMode: Sendable {
  /// <https://developer.apple.com/documentation/appintents/entityquerycomparatormode/and>
  case and
  /// <https://developer.apple.com/documentation/appintents/entityquerycomparatormode/or>
  case or
}

/// <https://developer.apple.com/documentation/appintents/entityquerysort>: not `Sendable`.
public struct EntityQuerySort<Entity> where Entity: AppEntity {
  /// <https://developer.apple.com/documentation/appintents/entityquerysort/ordering>
  public enum Ordering: Hashable, Sendable {
    /// <https://developer.apple.com/documentation/appintents/entityquerysort/ordering/ascending>
    case ascending
    /// <https://developer.apple.com/documentation/appintents/entityquerysort/ordering/descending>
    case descending
  }

  /// <https://developer.apple.com/documentation/appintents/entityquerysort/by>
  public let by: PartialKeyPath<Entity>
  /// <https://developer.apple.com/documentation/appintents/entityquerysort/order>
  public let order: Ordering

  /// Stand-in only: Apple's type has no initializer.
  public init(standInBy by: PartialKeyPath<Entity>, order: Ordering) {
    (self.by, self.order) = (by, order)
  }
}

/// <https://developer.apple.com/documentation/appintents/entitypropertyquery>
public protocol EntityPropertyQuery: EntityQuery {
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/comparatormappingtype>
  associatedtype ComparatorMappingType
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/properties>
  static var properties: EntityQueryProperties<Entity, ComparatorMappingType> { get }
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/sortingoptions-swift.type.property>
  static var sortingOptions: EntityQuerySortingOptions<Entity> { get }
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/entities(matching:mode:sortedby:limit:)>
  func entities(
    matching comparators: [ComparatorMappingType], mode: EntityQueryComparatorMode,
    sortedBy: [EntityQuerySort<Entity>], limit: Int?
  ) async throws -> Result
}

extension EntityPropertyQuery {
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/queryproperties>
  public typealias QueryProperties = EntityQueryProperties<Entity, ComparatorMappingType>
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/sortingoptions-swift.typealias>
  public typealias SortingOptions = EntityQuerySortingOptions<Entity>
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/property>
  public typealias Property<Value> = EntityQueryProperty<Entity, Value, ComparatorMappingType>
  where Value: _IntentValue, Value: Sendable
  /// <https://developer.apple.com/documentation/appintents/entitypropertyquery/sortableby>
  public typealias SortableBy = EntityQuerySortableByProperty<Entity>
}

/// <https://developer.apple.com/documentation/appintents/entityqueryproperties>: not `Sendable`.
public struct EntityQueryProperties<Entity, ComparatorMappingType> where Entity: AppEntity {
  /// <https://developer.apple.com/documentation/appintents/entityqueryproperties/init(properties:)>
  public init(
    @StandInListBuilder properties: () -> [any StandInQueryProperty]
  ) {}
}

/// Stand-in only: what the builder of ``EntityQueryProperties`` takes.
public protocol StandInQueryProperty {}

/// <https://developer.apple.com/documentation/appintents/entityqueryproperty>
public final class EntityQueryProperty<Entity, Value, ComparatorMappingType>: StandInQueryProperty
where Entity: AppEntity, Value: _IntentValue, Value: Sendable {
  /// <https://developer.apple.com/documentation/appintents/entityqueryproperty/init(_:entityprovider:)>
  public init(
    _ keyPath: KeyPath<Entity, EntityProperty<Value>>,
    @EntityQueryComparatorsBuilder<Value, ComparatorMappingType> _ comparators: () ->
      [EntityQueryComparator<
        Value, ComparatorMappingType
      >]
  ) {}
}

/// Stand-in only: lists of properties and of sort keys.
@resultBuilder public enum StandInListBuilder {
  /// A list.
  public static func buildBlock<Element>(_ elements: Element...) -> [Element] { elements }
}

/// <https://developer.apple.com/documentation/appintents/entityquerycomparatorsbuilder>
@resultBuilder public enum EntityQueryComparatorsBuilder<Value, ComparatorMappingType>
where Value: _IntentValue, Value: Sendable {
  /// <https://developer.apple.com/documentation/appintents/entityquerycomparatorsbuilder/buildexpression(_:)>
  public static func buildExpression(
    _ element: EntityQueryComparator<Value, ComparatorMappingType>
  ) -> EntityQueryComparator<Value, ComparatorMappingType> { element }

  /// A list.
  public static func buildBlock(
    _ elements: EntityQueryComparator<Value, ComparatorMappingType>...
  ) -> [EntityQueryComparator<Value, ComparatorMappingType>] { elements }
}

/// <https://developer.apple.com/documentation/appintents/entityquerycomparator>
public class EntityQueryComparator<PropertyType, ComparatorMappingType>
where PropertyType: _IntentValue, PropertyType: Sendable {
  init() {}
}

/// <https://developer.apple.com/documentation/appintents/equaltocomparator>
public final class EqualToComparator<PropertyType, ComparatorMappingType>:
  EntityQueryComparator<PropertyType, ComparatorMappingType>
where PropertyType: _IntentValue, PropertyType: Sendable {
  /// <https://developer.apple.com/documentation/appintents/equaltocomparator/init(mappingtransform:)>
  public init(mappingTransform: @escaping (PropertyType) -> ComparatorMappingType) {}
}

/// <https://developer.apple.com/documentation/appintents/containscomparator>
public final class ContainsComparator<PropertyType, ComparatorMappingType>:
  EntityQueryComparator<PropertyType, ComparatorMappingType>
where PropertyType: _IntentValue, PropertyType: Sendable {
  /// <https://developer.apple.com/documentation/appintents/containscomparator/init(mappingtransform:)>
  public init(mappingTransform: @escaping (PropertyType) -> ComparatorMappingType)
  where PropertyType == String {}
}

/// <https://developer.apple.com/documentation/appintents/lessthanorequaltocomparator>
public final class LessThanOrEqualToComparator<PropertyType, ComparatorMappingType>:
  EntityQueryComparator<PropertyType, ComparatorMappingType>
where PropertyType: _IntentValue, PropertyType: Sendable, PropertyType.UnwrappedType: Comparable {
  /// <https://developer.apple.com/documentation/appintents/lessthanorequaltocomparator/init(mappingtransform:)>
  public init(mappingTransform: @escaping (PropertyType.UnwrappedType) -> ComparatorMappingType) {}
}

/// <https://developer.apple.com/documentation/appintents/greaterthanorequaltocomparator>
public final class GreaterThanOrEqualToComparator<PropertyType, ComparatorMappingType>:
  EntityQueryComparator<PropertyType, ComparatorMappingType>
where PropertyType: _IntentValue, PropertyType: Sendable, PropertyType.UnwrappedType: Comparable {
  /// <https://developer.apple.com/documentation/appintents/greaterthanorequaltocomparator/init(mappingtransform:)>
  public init(mappingTransform: @escaping (PropertyType.UnwrappedType) -> ComparatorMappingType) {}
}

/// <https://developer.apple.com/documentation/appintents/entityquerysortablebyproperty>
public final class EntityQuerySortableByProperty<Entity> where Entity: AppEntity {
  /// <https://developer.apple.com/documentation/appintents/entityquerysortablebyproperty/init(_:entityprovider:)>
  public init<Value>(_ keyPath: KeyPath<Entity, EntityProperty<Value>>)
  where Value: _IntentValue, Value: Sendable {}
}

/// <https://developer.apple.com/documentation/appintents/entityquerysortingoptions>: not `Sendable`.
public struct EntityQuerySortingOptions<Entity> where Entity: AppEntity {
  /// <https://developer.apple.com/documentation/appintents/entityquerysortingoptions/init(content:)>
  public init(
    @StandInListBuilder content: () -> [EntityQuerySortableByProperty<Entity>]
  ) {}
}

/// <https://developer.apple.com/documentation/appintents/intentvaluequery>
///
/// One app has one query for each input: Xcode's step for the metadata of intents refuses a second one, and so does
/// `check-intents`.
public protocol IntentValueQuery: PersistentlyIdentifiable, _SupportsAppDependencies, Sendable {
  /// <https://developer.apple.com/documentation/appintents/intentvaluequery/input>
  associatedtype Input: _IntentValue
  /// <https://developer.apple.com/documentation/appintents/intentvaluequery/resultvalue>
  associatedtype ResultValue where ResultValue == Result.Result
  /// <https://developer.apple.com/documentation/appintents/intentvaluequery/result>
  associatedtype Result: ResultsCollection
  /// <https://developer.apple.com/documentation/appintents/intentvaluequery/init()>
  init()
  /// <https://developer.apple.com/documentation/appintents/intentvaluequery/values(for:)>
  func values(for input: Input) async throws -> Result
}

// MARK: Intents

/// <https://developer.apple.com/documentation/appintents/intentresult>
public protocol IntentResult: Sendable {}

/// Stand-in only: what `.result()` gives.
public struct StandInResult: IntentResult {}

extension IntentResult where Self == StandInResult {
  /// <https://developer.apple.com/documentation/appintents/intentresult/result()>
  public static func result() -> StandInResult { StandInResult() }
}

/// <https://developer.apple.com/documentation/appintents/returnsvalue>
public protocol ReturnsValue<Value>: IntentResult {
  /// <https://developer.apple.com/documentation/appintents/returnsvalue/value-swift.associatedtype>
  associatedtype Value: _IntentValue, Sendable
  /// <https://developer.apple.com/documentation/appintents/intentresult/value-swift.property>
  var value: Value? { get }
}

/// Stand-in only: what `.result(value:)` gives.
public struct StandInValueResult<Value: _IntentValue & Sendable>: ReturnsValue {
  /// The value.
  public let value: Value?
}

extension IntentResult {
  /// <https://developer.apple.com/documentation/appintents/intentresult/result(value:)>
  public static func result<Value>(value: Value) -> StandInValueResult<Value>
  where Self == StandInValueResult<Value> { StandInValueResult(value: value) }
}

/// <https://developer.apple.com/documentation/appintents/intentdescription>
public struct IntentDescription: ExpressibleByStringInterpolation, Sendable {
  /// <https://developer.apple.com/documentation/appintents/intentdescription/init(stringliteral:)>
  public init(stringLiteral value: String) {}
}

/// <https://developer.apple.com/documentation/appintents/parametersummary>
public protocol ParameterSummary: Sendable {
  /// Stand-in only: the words, with `${name}` for parameters.
  var standInText: String { get }
}

/// <https://developer.apple.com/documentation/appintents/intentparametersummary>
public struct IntentParameterSummary<Intent>: ParameterSummary where Intent: AppIntent {
  /// Stand-in only: the words.
  public let standInText: String

  /// <https://developer.apple.com/documentation/appintents/intentparametersummary/init(_:table:_:)>
  public init(
    _ summary: ParameterSummaryString<Intent>, table: String? = nil,
    @ParameterKeyPathsBuilder<Intent> _ parameters: () -> [PartialKeyPath<Intent>] = { [] }
  ) { standInText = summary.text }
}

/// <https://developer.apple.com/documentation/appintents/parameterkeypathsbuilder>
@resultBuilder public enum ParameterKeyPathsBuilder<Intent> where Intent: AppIntent {
  /// <https://developer.apple.com/documentation/appintents/parameterkeypathsbuilder/buildexpression(_:)>
  public static func buildExpression(_ path: PartialKeyPath<Intent>) -> PartialKeyPath<Intent> {
    path
  }
  /// A list.
  public static func buildBlock(_ paths: PartialKeyPath<Intent>...) -> [PartialKeyPath<Intent>] {
    paths
  }
}

/// <https://developer.apple.com/documentation/appintents/parametersummarystring>
public struct ParameterSummaryString<Intent>: ExpressibleByStringInterpolation, Sendable
where Intent: AppIntent {
  let text: String

  /// <https://developer.apple.com/documentation/appintents/parametersummarystring/init(stringliteral:)>
  public init(stringLiteral value: String) { text = value }

  /// <https://developer.apple.com/documentation/appintents/parametersummarystring/init(stringinterpolation:)>
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// <https://developer.apple.com/documentation/appintents/parametersummarystring/stringinterpolation>
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// A parameter.
    public mutating func appendInterpolation<Value>(
      _ parameter: KeyPath<Intent, IntentParameter<Value>>
    ) { text += "${parameter}" }
  }
}

/// <https://developer.apple.com/documentation/appintents/intentdonationidentifier>
public struct IntentDonationIdentifier: Hashable, Sendable {}

/// <https://developer.apple.com/documentation/appintents/intentdonationmanager>
public struct IntentDonationManager: Sendable {
  /// <https://developer.apple.com/documentation/appintents/intentdonationmanager/shared>
  public static let shared = IntentDonationManager()
  private static let count = Mutex(0)

  /// Stand-in only: the number of donations.
  public static var standInCount: Int { count.withLock { $0 } }

  /// <https://developer.apple.com/documentation/appintents/intentdonationmanager/donate(intent:)>
  @discardableResult public func donate(
    intent: some AppIntent
  ) async throws -> IntentDonationIdentifier {
    Self.count.withLock { $0 += 1 }
    return IntentDonationIdentifier()
  }
}

/// <https://developer.apple.com/documentation/appintents/intentmodes>
public struct IntentModes: OptionSet, Sendable {
  /// <https://developer.apple.com/documentation/appintents/intentmodes/foregroundmode>
  public enum ForegroundMode: Sendable {
    /// <https://developer.apple.com/documentation/appintents/intentmodes/foregroundmode/immediate>
    case immediate
    /// <https://developer.apple.com/documentation/appintents/intentmodes/foregroundmode/dynamic>
    case dynamic
  }

  /// <https://developer.apple.com/documentation/swift/optionset>
  public let rawValue: Int

  /// <https://developer.apple.com/documentation/swift/optionset>
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// <https://developer.apple.com/documentation/appintents/intentmodes/background>
  public static let background = IntentModes(rawValue: 1)

  /// <https://developer.apple.com/documentation/appintents/intentmodes/foreground(_:)>
  public static func foreground(_ mode: ForegroundMode) -> IntentModes { IntentModes(rawValue: 2) }
}

/// <https://developer.apple.com/documentation/appintents/appintent>
public protocol AppIntent: PersistentlyIdentifiable, _SupportsAppDependencies, Sendable {
  /// <https://developer.apple.com/documentation/appintents/appintent/performresult>
  associatedtype PerformResult: IntentResult
  /// <https://developer.apple.com/documentation/appintents/appintent/summarycontent>
  associatedtype SummaryContent: ParameterSummary
  /// <https://developer.apple.com/documentation/appintents/appintent/parametersummary>
  static var parameterSummary: SummaryContent { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/title>
  static var title: LocalizedStringResource { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/description>
  static var description: IntentDescription? { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/supportedmodes>
  static var supportedModes: IntentModes { get }
  /// <https://developer.apple.com/documentation/appintents/appintent/init()>
  init()
  /// <https://developer.apple.com/documentation/appintents/appintent/perform()>
  func perform() async throws -> PerformResult
}

extension AppIntent {
  /// <https://developer.apple.com/documentation/appintents/appintent/summary>
  public typealias Summary = IntentParameterSummary<Self>
  /// <https://developer.apple.com/documentation/appintents/appintent/parametersummary>
  public static var parameterSummary: some ParameterSummary { Summary("") }
  /// <https://developer.apple.com/documentation/appintents/appintent/description>
  public static var description: IntentDescription? { nil }
  /// <https://developer.apple.com/documentation/appintents/appintent/supportedmodes>
  public static var supportedModes: IntentModes { .background }
  /// <https://developer.apple.com/documentation/appintents/appintent/parameter>
  public typealias Parameter<Value> = IntentParameter<Value>
  where Value: _IntentValue, Value: Sendable
}

/// <https://developer.apple.com/documentation/appintents/systemintent>
public protocol SystemIntent: AppIntent {}

/// <https://developer.apple.com/documentation/appintents/openintent>
public protocol OpenIntent: SystemIntent {
  /// <https://developer.apple.com/documentation/appintents/openintent/value>
  associatedtype Value: AppValue
  /// <https://developer.apple.com/documentation/appintents/openintent/target>
  var target: Value { get set }
}

/// <https://developer.apple.com/documentation/appintents/targetcontentprovidingintent>: not on macOS.
public protocol TargetContentProvidingIntent: AppIntent {
  /// <https://developer.apple.com/documentation/appintents/targetcontentprovidingintent/contentidentifier>
  var contentIdentifier: String { get }
}

/// <https://developer.apple.com/documentation/appintents/intentparameter>
///
/// A class without an initializer that takes a wrapped value.
@propertyWrapper public final class IntentParameter<Value>: @unchecked Sendable
where Value: _IntentValue, Value: Sendable {
  private let value = Mutex<Value?>(nil)

  /// <https://developer.apple.com/documentation/appintents/intentparameter/wrappedvalue>
  public var wrappedValue: Value {
    get { value.withLock { $0! } }
    set { value.withLock { $0 = newValue } }
  }

  /// <https://developer.apple.com/documentation/appintents/intentparameter/projectedvalue>
  public var projectedValue: IntentParameter<Value> { self }

  /// <https://developer.apple.com/documentation/appintents/intentparameter/init(title:description:)>
  public init(title: LocalizedStringResource, description: LocalizedStringResource? = nil) {}

  /// <https://developer.apple.com/documentation/appintents/intentparameter/init(title:description:requestvaluedialog:inputconnectionbehavior:optionsprovider:)>
  public init<Provider>(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    optionsProvider: Provider
  ) where Provider: DynamicOptionsProvider, Provider.Result.Result.ValueType == Value.ValueType {}

  /// <https://developer.apple.com/documentation/appintents/intentparameter/init(title:description:supportedcontenttypes:requestvaluedialog:inputconnectionbehavior:)>
  public init(
    title: LocalizedStringResource, description: LocalizedStringResource? = nil,
    supportedContentTypes: [UTType], inputConnectionBehavior: InputConnectionBehavior = .default
  ) where Value.ValueType == IntentFile {}
}

/// <https://developer.apple.com/documentation/appintents/inputconnectionbehavior>
public enum InputConnectionBehavior: Sendable {
  /// <https://developer.apple.com/documentation/appintents/inputconnectionbehavior/default>
  case `default`
  /// <https://developer.apple.com/documentation/appintents/inputconnectionbehavior/connecttopreviousintentresult>
  case connectToPreviousIntentResult
}

// MARK: Dependencies

/// <https://developer.apple.com/documentation/appintents/appdependencymanager>
public final class AppDependencyManager: Sendable {
  /// <https://developer.apple.com/documentation/appintents/appdependencymanager/shared>
  public static let shared = AppDependencyManager()
  private let makers = Mutex<[String: @Sendable () -> any Sendable]>([:])

  /// <https://developer.apple.com/documentation/appintents/appdependencymanager/add(key:dependency:)>
  public func add<Dependency: Sendable>(
    key: String? = nil, dependency: @autoclosure @escaping @Sendable () -> Dependency
  ) {
    makers.withLock { $0[key ?? "\(Dependency.self)"] = dependency }
  }

  func resolve<Dependency: Sendable>(_ key: String?) -> Dependency {
    let maker = makers.withLock { $0[key ?? "\(Dependency.self)"] }
    guard let value = maker?() as? Dependency else {
      preconditionFailure("no dependency of the type \(Dependency.self) was added")
    }
    return value
  }
}

/// <https://developer.apple.com/documentation/appintents/appdependency>
@propertyWrapper public final class AppDependency<Value>: Sendable where Value: Sendable {
  private let key: String?

  /// <https://developer.apple.com/documentation/appintents/appdependency/init(key:manager:)>
  public init(key: String? = nil) { self.key = key }

  /// <https://developer.apple.com/documentation/appintents/appdependency/wrappedvalue>
  public var wrappedValue: Value { AppDependencyManager.shared.resolve(key) }
}

// MARK: App Shortcuts

/// <https://developer.apple.com/documentation/appintents/appshortcutsprovider>
public protocol AppShortcutsProvider: Sendable {
  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/appshortcuts>
  @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/negativephrases>
  static var negativePhrases: NegativeAppShortcutPhrases { get }
}

extension AppShortcutsProvider {
  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/negativephrases>
  public static var negativePhrases: NegativeAppShortcutPhrases {
    NegativeAppShortcutPhrases(phrases: [])
  }

  /// <https://developer.apple.com/documentation/appintents/appshortcutsprovider/updateappshortcutparameters()>
  public static func updateAppShortcutParameters() {
    standInUpdateCount.withLock { $0 += 1 }
  }
}

/// Stand-in only: how often the system was told the values of phrases.
public let standInUpdateCount = Mutex(0)

/// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrases>
public struct NegativeAppShortcutPhrases: Sendable {
  /// Stand-in only: the phrases.
  public let standInPhrases: [String]

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrases/init(phrases:)>
  public init(phrases: [NegativeAppShortcutPhrase]) { standInPhrases = phrases.map(\.text) }
}

/// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase>
public struct NegativeAppShortcutPhrase: ExpressibleByStringInterpolation, Sendable {
  let text: String

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase>
  public init(stringLiteral value: String) { text = value }

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase>
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// <https://developer.apple.com/documentation/appintents/negativeappshortcutphrase/stringinterpolation>
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// The name of the app.
    public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {
      text += "${\(token)}"
    }
  }
}

/// <https://developer.apple.com/documentation/appintents/appshortcutsbuilder>
@resultBuilder public enum AppShortcutsBuilder {
  /// <https://developer.apple.com/documentation/appintents/appshortcutsbuilder/buildblock(_:)>
  public static func buildBlock(_ elements: AppShortcut...) -> [AppShortcut] { elements }
}

/// <https://developer.apple.com/documentation/appintents/appshortcut>: at most ten in an app.
public struct AppShortcut: Sendable {
  /// Stand-in only: the phrases, with `${applicationName}` for the name of the app.
  public let phrases: [String]

  /// <https://developer.apple.com/documentation/appintents/appshortcut/init(intent:phrases:shorttitle:systemimagename:)>
  public init<Intent>(
    intent: Intent, phrases: [AppShortcutPhrase<Intent>], shortTitle: LocalizedStringResource,
    systemImageName: String
  ) where Intent: AppIntent {
    self.phrases = phrases.map(\.text)
  }
}

/// <https://developer.apple.com/documentation/appintents/appshortcutphrasetoken>
public enum AppShortcutPhraseToken: Sendable {
  /// <https://developer.apple.com/documentation/appintents/appshortcutphrasetoken/applicationname>
  case applicationName
}

/// <https://developer.apple.com/documentation/appintents/appshortcutphrase>
public struct AppShortcutPhrase<Intent>: ExpressibleByStringInterpolation, Sendable
where Intent: AppIntent {
  let text: String

  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/init(stringliteral:)>
  public init(stringLiteral value: String) { text = value }

  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/init(stringinterpolation:)>
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/stringinterpolation>
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// <https://developer.apple.com/documentation/swift/stringinterpolationprotocol>
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/stringinterpolation/appendinterpolation(_:)>
    public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {
      text += "${\(token)}"
    }

    /// <https://developer.apple.com/documentation/appintents/appshortcutphrase/stringinterpolation/appendinterpolation(_:)>
    public mutating func appendInterpolation<Value>(
      _ parameter: KeyPath<Intent, IntentParameter<Value>>
    ) {
      text += "${target}"
    }
  }
}
