/// The JSON form of facets.
package struct FacetsDocument: Sendable, Hashable, Encodable {
  struct Range: Sendable, Hashable, Encodable {
    let minimum: Double
    let maximum: Double
  }

  struct Value: Sendable, Hashable, Encodable {
    let value: JSONValue
    let count: Int
  }

  struct FacetDocument: Sendable, Hashable, Encodable {
    let property: String
    let values: [Value]
    let valueCount: Int
    let entityCount: Int
    let range: Range?
  }

  let entityCount: Int
  let facets: [FacetDocument]

  /// Makes the document of some facets.
  package init(_ facets: [Facet], entityCount: Int) {
    self.entityCount = entityCount
    self.facets = facets.map { facet in
      FacetDocument(
        property: facet.property,
        values: facet.values.map { Value(value: $0.value.json, count: $0.count) },
        valueCount: facet.valueCount, entityCount: facet.entityCount,
        range: facet.range.map { Range(minimum: $0.lowerBound, maximum: $0.upperBound) })
    }
  }
}

extension PropertyValue {
  fileprivate var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .number(number)
    }
  }
}
