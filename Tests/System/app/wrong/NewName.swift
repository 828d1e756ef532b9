// expect: 'MugEntity' (NewName.swift) uses 'IndexedEntity' and needs @available(iOS 18, *)
import AppIntents

struct MugEntity: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Mug"
  static let defaultQuery = MugQuery()
  let id: String
  var displayRepresentation: DisplayRepresentation { "Mug" }
}

struct MugQuery: EntityQuery {
  func entities(for identifiers: [String]) async throws -> [MugEntity] { [] }
  func suggestedEntities() async throws -> [MugEntity] { [] }
}
