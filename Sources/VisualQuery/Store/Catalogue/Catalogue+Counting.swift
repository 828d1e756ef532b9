internal import PixelMatch

/// The names of a catalogue by which searches are counted.
extension Catalogue {
  /// The rows of a segment whose models are looked at.
  private static let sampledRows = 64

  /// Returns the languages of the texts of some entities, the first and the last of the catalogue.
  ///
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(`limit`).
  package func textLanguages(limit: Int) throws(CatalogueError) -> Set<String> {
    try read { database throws(CatalogueError) in try database.entities.languages(limit: limit) }
  }

  /// Returns the fingerprints of the models whose vectors images have, by a sample of each segment. In engine mode, there are none here.
  package func embeddingModels() -> Set<UInt64> {
    guard stored == nil else { return [] }
    var models: Set<UInt64> = []
    for segment in EntityType.allCases.flatMap(segments(of:)).map(\.segment) {
      let step = max(1, segment.count / Self.sampledRows)
      for row in stride(from: 0, to: segment.count, by: step) {
        if let model = segment.embedding(at: row)?.model { models.insert(model) }
      }
    }
    return models
  }
}
