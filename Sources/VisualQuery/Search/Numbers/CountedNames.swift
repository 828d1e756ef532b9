internal import PixelMatch

/// The languages and models of a shop, by which its searches are counted. Strangers may name any, so all that are not the shop's
/// count as one: ``other``.
package struct CountedNames: Sendable, Hashable {
  /// The name for all that the shop does not have.
  package static let other = "other"
  /// The most entities whose languages are looked at: half of them the first, half of them the last of the catalogue.
  private static let entityLimit = 10_000

  /// The first parts of language tags, in lower case.
  private let languages: Set<String>
  /// The names of models by the fingerprints of their vectors.
  private let models: [UInt64: String]

  /// Finds the languages of the texts and of the rules of a catalogue, and the models of its vectors.
  ///
  /// - Parameters:
  ///   - rules: Further rules.
  ///   - languages: Further languages.
  ///   - models: The names of further models.
  /// - Throws: ``CatalogueError``.
  /// - Complexity: O(segments), and some milliseconds for the entities.
  package init(
    of catalogue: Catalogue, rules: ShopRules = ShopRules(), languages: [String] = [],
    models: [String] = []
  ) throws(CatalogueError) {
    let ruled = (catalogue.rules.rules + rules.rules).flatMap(\.scope.languages)
    let written = try catalogue.textLanguages(limit: Self.entityLimit)
    self.languages = Set((languages + ruled + written).map(Self.primary))
    var names: [UInt64: String] = [:]
    for model in catalogue.embeddingModels() { names[model] = String(model, radix: 16) }
    for name in models + (catalogue.imageModel.map { [$0.name] } ?? []) {
      names[ImageEmbedding.fingerprint(of: name)] = name
    }
    self.models = names
  }

  /// Returns the name that a language counts by; an empty text for none.
  package func language(_ tag: String?) -> String {
    guard let tag, !tag.isEmpty else { return "" }
    let primary = Self.primary(tag)
    return languages.contains(primary) ? primary : Self.other
  }

  /// Returns the name that the model of some vectors counts by.
  package func model(_ fingerprint: UInt64) -> String { models[fingerprint] ?? Self.other }

  private static func primary(_ tag: String) -> String {
    tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
  }
}
