public import CoreSpotlight

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
