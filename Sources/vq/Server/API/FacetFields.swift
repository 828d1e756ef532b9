import HTTPServer
import VisualQuery

/// The fields of a question about facets.
enum FacetFields {
  /// The standard properties that have facets. Those with a value of their own for each entity have none, and a stock list is
  /// not public.
  private static let properties: Set<String> = [
    "type", "brand", "group", "availability", "currency", "price", "labels", "timeZone",
  ]

  /// Returns the question, or `nil` if no facets are asked for.
  static func question(_ fields: inout RequestFields) throws(Problem) -> FacetQuestion? {
    let names = try fields.words("facets", limit: FacetQuestion.propertyLimit, length: 64)
    let prefix = try fields.text("facetPrefix", limit: 100)
    let limit = try fields.integer("facetLimit", in: 1...FacetQuestion.valueLimit)
    guard let names, !names.isEmpty else { return nil }
    return FacetQuestion(names.map { EntityProperty($0) }, prefix: prefix, limit: limit ?? 100)
  }

  /// Checks that facets are those of public properties.
  static func check(_ question: FacetQuestion?, in catalogue: Catalogue) throws(Problem) {
    let allowed = properties.union(catalogue.publicFields)
    guard let name = question?.properties.map(\.name).first(where: { !allowed.contains($0) })
    else { return }
    throw Problem(
      .invalidFilter,
      "'\(name.excerpt)' has no facet in this shop; there are \(allowed.sorted().joined(separator: ", "))",
      field: "facets")
  }
}
