/// The way to open a match.
public struct Handoff: Sendable, Hashable {
  /// The link that opens the entity, or `nil` if the catalogue has none.
  public let url: String?
}

/// The links of a shop's entities.
public struct LinkSettings: Sendable, Hashable {
  /// The templates for entities without a URL of their own.
  package var templates: [EntityType: LinkTemplate]
  /// The schemes that links may have besides `https`, in lower case.
  package var allowedSchemes: Set<String>

  /// Makes settings.
  public init(templates: [EntityType: LinkTemplate] = [:], allowedSchemes: Set<String> = []) {
    self.templates = templates
    self.allowedSchemes = allowedSchemes
  }

  /// Returns the link of an entity: its own URL, or the expanded template of its type. An entity that lacks a field which the template
  /// has in its path, as `{name}` or `{+name}`, has no link.
  ///
  /// The names are those of ``EntityValue/flatStrings(for:)``.
  package func handoff(for value: EntityValue) -> Handoff {
    if let url = value.url { return Handoff(url: url) }
    guard let template = templates[value.id.type] else { return Handoff(url: nil) }
    let properties = value.flatStrings()
    return Handoff(url: template.link { properties[$0] })
  }
}
