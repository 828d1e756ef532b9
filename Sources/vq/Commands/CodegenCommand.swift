import VisualQuery

/// `vq codegen`: writes source code for a shop's apps.
enum CodegenCommand {
  /// A kind of source code.
  enum Kind: String, CaseIterable, Sendable { case appIntents = "app-intents" }

  static let command = CommandDescription(
    name: "codegen",
    summary: "write the entities of an app as Swift source",
    examples: ["vq codegen app-intents --index shop.vq > ShopEntities.swift"],
    operand: OperandDescription(
      placeholder: "KIND", count: 1...1, summary: "app-intents",
      completion: .words(Kind.allCases.map(\.rawValue))),
    options: [MatchCommand.index.description, IndexLocation.cache.description],
    notes: [
      HelpSection(
        title: "Kinds",
        text: """
            app-intents   entities of App Intents with a property for each public
                          field of the shop's own ('vq index --public'), and an
                          enumeration for each field with few values
          The source replaces ProductEntity.swift and StoreEntity.swift of Samples/AppClient.
          """)
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    isRare: true, run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let catalogue = try Catalogue(
      directory: try await IndexLocation.directory(
        of: arguments[MatchCommand.index], arguments, console))
    let lookup = EntityLookup(catalogue: catalogue)
    var fields: [EntityType: [AppIntentsSource.Field]] = [:]
    for type in EntityType.allCases {
      for name in catalogue.publicFields.sorted() {
        let question = FacetQuestion(
          [EntityProperty(name)], limit: AppIntentsSource.Field.choiceLimit + 1)
        do {
          let found = try await lookup.facets(question, types: [type])
          fields[type, default: []] += found.facets.compactMap(AppIntentsSource.Field.init)
        } catch let error as MatchError where error.code == .invalidFilter {
          console.diagnostics.warning("the public field '\(name)' is left out: \(error.message)")
        }
      }
    }
    let source = AppIntentsSource(
      generation: catalogue.generation, fields: fields,
      links: catalogue.links.templates.mapValues(\.text),
      enumerated: Set(
        EntityType.allCases.filter {
          catalogue.entityCount(of: $0) <= AppIntentsSource.enumerationLimit
        }))
    try console.output.write(source.text)
    return .success
  }
}
