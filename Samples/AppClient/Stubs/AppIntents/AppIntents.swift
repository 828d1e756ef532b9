public import Foundation

/// A text in the person's language.
public struct LocalizedStringResource: ExpressibleByStringInterpolation, Sendable {
  /// A text.
  public init(stringLiteral value: String) {}
}

/// How a type is called.
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Sendable {
  /// A name.
  public init(stringLiteral value: String) {}
}

/// How a value is shown.
public struct DisplayRepresentation: Sendable {
  /// A picture.
  public struct Image: Sendable {
    /// A picture at a URL.
    public init(url: URL) {}
  }

  /// Title, second line, picture and other names.
  public init(
    title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil, image: Image? = nil,
    synonyms: [LocalizedStringResource] = []
  ) {}
}

/// What an app has that the system can show.
public protocol AppEntity: Identifiable, Sendable where ID: Sendable & Hashable {
  /// The query that finds it.
  associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self
  /// How the type is called.
  static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
  /// What finds entities.
  static var defaultQuery: DefaultQuery { get }
  /// How the entity is shown.
  var displayRepresentation: DisplayRepresentation { get }
}

extension AppEntity {
  /// A property that the system knows.
  public typealias Property<Value: Sendable> = EntityProperty<Value>
}

/// Finds entities by id.
public protocol EntityQuery: Sendable {
  /// What it finds.
  associatedtype Entity: AppEntity
  /// Makes a query.
  init()
  /// The entities of some ids.
  func entities(for identifiers: [Entity.ID]) async throws -> [Entity]
  /// What to show before anything is asked.
  func suggestedEntities() async throws -> [Entity]
}

extension EntityQuery {
  /// Nothing.
  public func suggestedEntities() async throws -> [Entity] { [] }
}

/// Finds entities by words.
public protocol EntityStringQuery: EntityQuery {
  /// The entities that have the words.
  func entities(matching string: String) async throws -> [Entity]
}

/// Gives all entities.
public protocol EnumerableEntityQuery: EntityQuery {
  /// All of them.
  func allEntities() async throws -> [Entity]
}

/// How conditions go together.
public enum EntityQueryComparatorMode: Sendable {
  /// All hold.
  case and
  /// One holds.
  case or
}

/// An order of entities.
public struct EntityQuerySort<Entity: AppEntity>: @unchecked Sendable {
  /// Which end comes first.
  public enum Ordering: Sendable {
    /// The least.
    case ascending
    /// The greatest.
    case descending
  }
  /// What is compared.
  public let by: PartialKeyPath<Entity>
  /// Which end comes first.
  public let order: Ordering
}

/// Finds entities by their properties.
public protocol EntityPropertyQuery: EntityQuery {
  /// What a condition becomes.
  associatedtype ComparatorMappingType
  /// The conditions there are.
  typealias QueryProperties = EntityQueryProperties<Entity, ComparatorMappingType>
  /// The orders there are.
  typealias SortingOptions = EntityQuerySortingOptions<Entity>
  /// The conditions on one property.
  typealias Property = QueryProperty<Entity, ComparatorMappingType>
  /// A property that is sorted by.
  typealias SortableBy = EntityQuerySortableBy<Entity>
  /// The conditions there are.
  static var properties: QueryProperties { get }
  /// The orders there are.
  static var sortingOptions: SortingOptions { get }
  /// The entities for which conditions hold.
  func entities(
    matching comparators: [ComparatorMappingType], mode: EntityQueryComparatorMode,
    sortedBy: [EntityQuerySort<Entity>], limit: Int?
  ) async throws -> [Entity]
}

/// A property of an entity.
@propertyWrapper public struct EntityProperty<Value: Sendable>: Sendable {
  /// The value.
  public var wrappedValue: Value
  /// The property itself.
  public var projectedValue: EntityProperty<Value> { self }
  /// A value with a name.
  public init(wrappedValue: Value, title: LocalizedStringResource) {
    self.wrappedValue = wrappedValue
  }
  /// A name, the value comes later.
  public init(title: LocalizedStringResource) where Value: ExpressibleByNilLiteral {
    wrappedValue = nil
  }
}

/// A condition on a value.
public struct QueryComparator<Value, Mapping> {}

/// The value is equal.
public func EqualToComparator<Value, Mapping>(
  _ map: @escaping @Sendable (Value) -> Mapping
) -> QueryComparator<Value, Mapping> { QueryComparator() }
/// The text has a part.
public func ContainsComparator<Value, Mapping>(
  _ map: @escaping @Sendable (Value) -> Mapping
) -> QueryComparator<Value, Mapping> { QueryComparator() }
/// The value is less.
public func LessThanOrEqualToComparator<Value, Mapping>(
  _ map: @escaping @Sendable (Value) -> Mapping
) -> QueryComparator<Value, Mapping> { QueryComparator() }
/// The value is greater.
public func GreaterThanOrEqualToComparator<Value, Mapping>(
  _ map: @escaping @Sendable (Value) -> Mapping
) -> QueryComparator<Value, Mapping> { QueryComparator() }

/// The conditions on one property.
public struct QueryProperty<Entity, Mapping> {
  /// Conditions on the property at a path.
  public init<Value: Sendable>(
    _ path: KeyPath<Entity, EntityProperty<Value>>,
    @ListBuilder<QueryComparator<Value, Mapping>> _ comparators: () -> [QueryComparator<
      Value, Mapping
    >]
  ) {}
}

/// All conditions of a query.
public struct EntityQueryProperties<Entity, Mapping>: Sendable {
  /// Conditions property by property.
  public init(
    @ListBuilder<QueryProperty<Entity, Mapping>> _ properties: () -> [QueryProperty<
      Entity, Mapping
    >]
  ) {}
}

/// A property that is sorted by.
public struct EntityQuerySortableBy<Entity> {
  /// The property at a path.
  public init<Value: Sendable>(_ path: KeyPath<Entity, EntityProperty<Value>>) {}
}

/// All orders of a query.
public struct EntityQuerySortingOptions<Entity>: Sendable {
  /// Orders property by property.
  public init(
    @ListBuilder<EntityQuerySortableBy<Entity>> _ options: () -> [EntityQuerySortableBy<Entity>]
  ) {}
}

/// Lists of one kind of things.
@resultBuilder public enum ListBuilder<Element> {
  /// A list.
  public static func buildBlock(_ elements: Element...) -> [Element] { elements }
}

/// Finds values for what the system has.
public protocol IntentValueQuery: Sendable {
  /// What the system has.
  associatedtype Input: Sendable
  /// What is found.
  associatedtype Value: Sendable
  /// Makes a query.
  init()
  /// Finds values.
  func values(for input: Input) async throws -> [Value]
}

/// In place of the macro: one of several entities.
@globalActor public actor UnionValue {
  /// Nobody calls it.
  public static let shared = UnionValue()
}

/// What an intent comes to.
public protocol IntentResult: Sendable {}

/// An intent that did what it should.
public struct FinishedIntent: IntentResult {}

extension IntentResult where Self == FinishedIntent {
  /// Done.
  public static func result() -> FinishedIntent { FinishedIntent() }
}

/// What an app can be told to do.
public protocol AppIntent: Sendable {
  /// What `perform` comes to.
  associatedtype PerformResult: IntentResult
  /// How it is called.
  static var title: LocalizedStringResource { get }
  /// Makes an intent.
  init()
  /// Does it.
  func perform() async throws -> PerformResult
}

/// Opens something in the app.
public protocol OpenIntent: AppIntent {
  /// What is opened.
  associatedtype Target: Sendable
  /// What is opened.
  var target: Target { get set }
}

/// What an intent is told.
@propertyWrapper public struct Parameter<Value: Sendable>: @unchecked Sendable {
  private var value: Value?
  /// The value.
  public var wrappedValue: Value {
    get { value! }
    set { value = newValue }
  }
  /// A name.
  public init(title: LocalizedStringResource) {}
}
