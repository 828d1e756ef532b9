/// What a shop decides about its catalogue besides the entities in it; `nil` leaves it as it is.
public struct ShopSettings: Sendable, Hashable {
  /// Where entities open.
  public var links: LinkSettings?
  /// What outside words mean.
  public var bridge: LabelBridge?

  /// Makes settings.
  public init(links: LinkSettings? = nil, bridge: LabelBridge? = nil) {
    self.links = links
    self.bridge = bridge
  }

  private static let schemes = "allowedSchemes"

  private static func templateName(_ type: EntityType) -> String { "link." + type.rawValue }

  /// The settings as the catalogue keeps them; `nil` for what is not set.
  var values: [(name: String, value: String?)] {
    guard let links else { return [] }
    let templates = EntityType.allCases.map {
      (name: Self.templateName($0), value: links.templates[$0]?.text)
    }
    let schemes = links.allowedSchemes.sorted().joined(separator: ",")
    return templates + [(name: Self.schemes, value: schemes.isEmpty ? nil : schemes)]
  }

  /// The links that the catalogue keeps.
  ///
  /// - Throws: ``LinkError`` where one is none that may be used.
  static func links(_ values: [String: String]) throws(LinkError) -> LinkSettings {
    let schemes = Set((values[schemes] ?? "").split(separator: ",").map(String.init))
    var links = LinkSettings(allowedSchemes: schemes)
    for type in EntityType.allCases {
      guard let text = values[templateName(type)] else { continue }
      links.templates[type] = try LinkTemplate(text, allowedSchemes: schemes)
    }
    return links
  }
}
