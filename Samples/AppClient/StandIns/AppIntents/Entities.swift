public import AppleFoundation
public import CoreSpotlight
internal import Synchronization

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
  private let indexingKey: PartialKeyPath<CSSearchableItemAttributeSet>?

  /// <https://developer.apple.com/documentation/appintents/entityproperty/wrappedvalue>
  public var wrappedValue: Value {
    get { value.withLock { $0! } }
    set { value.withLock { $0 = newValue } }
  }

  /// <https://developer.apple.com/documentation/appintents/entityproperty/projectedvalue>
  public var projectedValue: EntityProperty<Value> { self }

  /// <https://developer.apple.com/documentation/appintents/entityproperty/init(title:)>
  public init(title: LocalizedStringResource) { (self.title, indexingKey) = (title, nil) }

  /// <https://developer.apple.com/documentation/appintents/entityproperty/init(title:indexingkey:)>
  public init(
    title: LocalizedStringResource, indexingKey: PartialKeyPath<CSSearchableItemAttributeSet>
  ) { (self.title, self.indexingKey) = (title, indexingKey) }
}

/// Stand-in only: a property that knows its attribute in Spotlight.
private protocol StandInIndexedProperty {
  func index(in attributes: CSSearchableItemAttributeSet)
}

extension EntityProperty: StandInIndexedProperty {
  fileprivate func index(in attributes: CSSearchableItemAttributeSet) {
    guard let indexingKey, let value = value.withLock({ $0 }) else { return }
    if let path = indexingKey as? ReferenceWritableKeyPath<CSSearchableItemAttributeSet, Value> {
      attributes[keyPath: path] = value
    } else if let path = indexingKey
      as? ReferenceWritableKeyPath<CSSearchableItemAttributeSet, Value?>
    {
      attributes[keyPath: path] = value
    } else {
      preconditionFailure("the attribute of '\(title.key)' has another type than the property")
    }
  }
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
      let attributes = entity.attributeSet
      for property in Mirror(reflecting: entity).children {
        (property.value as? any StandInIndexedProperty)?.index(in: attributes)
      }
      stored.attributes["\(Entity.self)/\(entity.id)"] = attributes.standInValues
    }
  }

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/deleteappentities(identifiedby:oftype:)>
  public func deleteAppEntities<Entity: IndexedEntity>(
    identifiedBy identifiers: [Entity.ID], ofType entityType: Entity.Type
  ) async throws {
    for id in identifiers { stored.attributes["\(Entity.self)/\(id)"] = nil }
  }

  /// <https://developer.apple.com/documentation/corespotlight/cssearchableindex/deleteappentities(oftype:)>
  public func deleteAppEntities<Entity: IndexedEntity>(
    ofType entityType: Entity.Type
  ) async throws {
    stored.attributes = stored.attributes.filter { !$0.key.hasPrefix("\(Entity.self)/") }
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
  public typealias StringInterpolation = StandInInterpolation<EntityURLRepresentation<Entity>>
}

extension StandInInterpolation {
  /// <https://developer.apple.com/documentation/appintents/entityurlrepresentation/stringinterpolation/appendinterpolation(_:)>
  public mutating func appendInterpolation<Entity>(_ token: EntityURLRepresentation<Entity>.Token)
  where Subject == EntityURLRepresentation<Entity> { text += "${\(token)}" }
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
