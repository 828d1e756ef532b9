// expect: static property 'properties' is not concurrency-safe because non-'Sendable' type
import AppIntents

struct Mug: AppEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Mug"
  static let defaultQuery = MugQuery()
  let id: String
  @Property(title: "Name") var name: String
  var displayRepresentation: DisplayRepresentation { "\(name)" }
}

struct MugQuery: EntityPropertyQuery {
  typealias ComparatorMappingType = String
  static let properties = QueryProperties { Property(\Mug.$name) { EqualToComparator { $0 } } }
  static var sortingOptions: SortingOptions { SortingOptions { SortableBy(\Mug.$name) } }
  func entities(for identifiers: [String]) async throws -> [Mug] { [] }
  func suggestedEntities() async throws -> [Mug] { [] }
  func entities(
    matching comparators: [String], mode: EntityQueryComparatorMode,
    sortedBy: [EntityQuerySort<Mug>], limit: Int?
  ) async throws -> [Mug] { [] }
}
