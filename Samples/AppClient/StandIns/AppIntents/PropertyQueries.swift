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
