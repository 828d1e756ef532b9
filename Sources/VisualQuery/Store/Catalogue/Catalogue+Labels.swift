extension Catalogue {
  /// A label of a catalogue.
  package struct Label: Sendable, Hashable, Encodable {
    /// The label, normalized.
    package let label: String
    /// The number of entities that have the label, or a label that ends with its words.
    package let entities: Int
  }

  /// Returns all labels, the most frequent first, ties by label.
  ///
  /// - Throws: ``CatalogueError``.
  package func labels() throws(CatalogueError) -> [Label] {
    try read { database throws(CatalogueError) in
      try database.labels.all().map { Label(label: $0.label, entities: $0.frequency) }
    }
  }

  /// Returns the labels that neither the catalogue nor its bridge has.
  ///
  /// - Throws: ``CatalogueError``.
  package func unmatched(among labels: [String]) throws(CatalogueError) -> Set<String> {
    Set(try labelEvidence(labels).unmatched)
  }

  /// Looks up the labels of a query.
  package func labelEvidence(_ labels: [String]) throws(CatalogueError) -> LabelEvidence {
    let count = entityCount
    return try read { database throws(CatalogueError) in
      try LabelEvidence(
        labels, entityCount: count,
        frequency: { label throws(CatalogueError) in
          try database.labels.frequencies(of: [label])[label] ?? 0
        },
        bridged: { label throws(CatalogueError) in try database.labelBridge.targets(of: label) })
    }
  }
}
