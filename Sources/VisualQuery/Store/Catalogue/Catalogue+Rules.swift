#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Catalogue {
  /// Checks rules against the catalogue: each field that they name must be one of some entity.
  ///
  /// - Returns: The entities that rules name and the catalogue lacks; they may come with a later feed.
  /// - Throws: ``FieldError`` with the field of the rule; ``CatalogueError``.
  package func missingEntities(of rules: ShopRules) throws -> [EntityID] {
    for (index, rule) in rules.rules.enumerated() {
      func check(_ field: String, _ body: () throws -> Void) throws {
        do {
          try body()
        } catch let error as MatchError {
          throw FieldError(
            field: "rules[\(index)].\(field)", reason: "is not valid: \(error.message)")
        }
      }
      if let filter = rule.filter {
        try check("where") { _ = try checkedConditions(of: filter) }
      }
      if let arrival = rule.arrival {
        try check("newerThan.field") { try checkField(arrival.field) }
      }
      if case .boost(let boost) = rule.effect, let field = boost.field {
        try check("by.field") { try checkField(field) }
      }
    }
    let ids = Set(rules.rules.flatMap(\.entities)).sorted()
    let known = try keys(of: ids)
    return ids.filter { known[$0] == nil }
  }

  private func checkField(_ field: String) throws {
    try checkProperty(EntityProperty(field).storedName(isSort: true))
  }
}
