// expect: Mug (NoIndexingKey.swift) is an IndexedEntity without an indexingKey
import AppIntents
import CoreSpotlight
import Foundation

@available(iOS 26, macOS 26, *)
struct Mug: IndexedEntity {
  static let typeDisplayRepresentation: TypeDisplayRepresentation = "Mug"
  static let defaultQuery = MugQuery()
  let id: String
  @Property(title: "Name") var name: String
  var displayRepresentation: DisplayRepresentation { "\(name)" }
}

@available(iOS 26, macOS 26, *)
struct MugQuery: EntityQuery {
  func entities(for identifiers: [String]) async throws -> [Mug] { [] }
  func suggestedEntities() async throws -> [Mug] { [] }
}
