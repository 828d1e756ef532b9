/// How to go on from a match.
public struct Handoff: Sendable, Hashable {
  /// The link that opens the entity, or `nil` where the catalogue has none.
  public let url: String?
}

/// Where the entities of a shop open.
public struct LinkSettings: Sendable, Hashable {
  /// For entities that have no URL of their own.
  public var templates: [EntityType: LinkTemplate]
  /// Schemes that links may have besides `https`, in lower case.
  public var allowedSchemes: Set<String>

  /// Makes settings.
  public init(templates: [EntityType: LinkTemplate] = [:], allowedSchemes: Set<String> = []) {
    self.templates = templates
    self.allowedSchemes = allowedSchemes
  }

  /// Where an entity opens: its own URL, or the template of its type with its properties put in.
  ///
  /// The names are those of ``EntityValue/flatStrings(for:)``.
  public func handoff(for value: EntityValue) -> Handoff {
    if let url = value.url { return Handoff(url: url) }
    guard let template = templates[value.id.type] else { return Handoff(url: nil) }
    let properties = value.flatStrings()
    return Handoff(url: template.expanded { properties[$0] })
  }
}
