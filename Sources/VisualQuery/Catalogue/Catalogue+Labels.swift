extension Catalogue {
  /// A label of a catalogue.
  public struct Label: Sendable, Hashable, Encodable {
    /// The label, normalised.
    public let label: String
    /// Entities that have it, or something of its kind.
    public let entities: Int
  }

  /// All labels, the commonest first, ties by label.
  ///
  /// - Throws: ``CatalogueError``.
  public func labels() throws(CatalogueError) -> [Label] {
    try read { database throws(CatalogueError) in
      try database.allLabels().map { Label(label: $0.label, entities: $0.frequency) }
    }
  }

  /// Those of some labels that neither the catalogue nor its bridge knows.
  ///
  /// - Throws: ``CatalogueError``.
  public func unmatched(among labels: [String]) throws(CatalogueError) -> Set<String> {
    Set(try labelEvidence(labels).unmatched)
  }

  /// Looks up the labels of a query.
  func labelEvidence(_ labels: [String]) throws(CatalogueError) -> LabelEvidence {
    let count = entityCount
    return try read { database throws(CatalogueError) in
      try LabelEvidence(
        labels, entityCount: count,
        frequency: { label throws(CatalogueError) in
          try database.labelFrequencies([label])[label] ?? 0
        },
        bridged: { label throws(CatalogueError) in try database.bridged(label) })
    }
  }
}
