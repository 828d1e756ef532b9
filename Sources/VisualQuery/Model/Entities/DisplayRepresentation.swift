/// The texts and the image that represent an entity on a card.
public struct DisplayRepresentation: Sendable, Hashable, Encodable {
  /// The first line.
  public let title: String
  /// The second line.
  public let subtitle: String?
  /// The path of an image, as the feed gives it.
  public let image: String?
  /// The server's thumbnail of the image, if that is at another address.
  package let thumbnail: String?
  /// Synonyms of the title.
  public let synonyms: [String]

  package init(
    title: String, subtitle: String?, image: String?, thumbnail: String? = nil, synonyms: [String]
  ) {
    self.title = title
    self.subtitle = subtitle
    self.image = image
    self.thumbnail = thumbnail
    self.synonyms = synonyms
  }

  private enum CodingKeys: CodingKey {
    case image, subtitle, synonyms, thumbnail, title
  }

  /// Gives the fields that have a value, in ascending order of their names: the texts, and the only list.
  private func eachField(
    text: (CodingKeys, String) throws -> Void, list: (CodingKeys, [String]) throws -> Void
  ) rethrows {
    if let image { try text(.image, image) }
    if let subtitle { try text(.subtitle, subtitle) }
    if !synonyms.isEmpty { try list(.synonyms, synonyms) }
    if let thumbnail { try text(.thumbnail, thumbnail) }
    try text(.title, title)
  }

  /// Encodes the values that are present.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try eachField(
      text: { try container.encode($1, forKey: $0) }, list: { try container.encode($1, forKey: $0) }
    )
  }
}

extension DisplayRepresentation: JSONWritable {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      eachField(
        text: { json.field($0.stringValue, $1) }, list: { json.field($0.stringValue, $1) })
    }
  }
}

/// The texts of an entity in one language. The shop's own language replaces those that are `nil` or
/// empty.
public struct LocalizedText: Sendable, Hashable {
  /// The name that is displayed.
  package var title: String?
  /// A second line.
  package var subtitle: String?
  /// Synonyms of the title.
  package var synonyms: [String] = []

  /// Makes texts.
  public init(title: String? = nil, subtitle: String? = nil, synonyms: [String] = []) {
    self.title = title
    self.subtitle = subtitle
    self.synonyms = synonyms
  }
}

/// The texts that products and stores have in common.
package protocol EntityText {
  var id: String { get }
  var title: String { get }
  var subtitle: String? { get set }
  var synonyms: [String] { get set }
  var localized: [String: LocalizedText] { get set }
  var labels: [String] { get set }
  var images: [String] { get set }
  var url: String? { get set }
  var isFeatured: Bool { get }
}

extension EntityText {
  fileprivate func displayRepresentation(for locale: String?) -> DisplayRepresentation {
    let text = locale.flatMap { LanguageTag.lookup($0, in: localized) }
    let synonyms = text?.synonyms ?? []
    return DisplayRepresentation(
      title: text?.title ?? title, subtitle: text?.subtitle ?? subtitle, image: images.first,
      synonyms: synonyms.isEmpty ? self.synonyms : synonyms)
  }
}

extension EntityValue {
  /// The texts of the product or store.
  package var text: any EntityText {
    switch self {
    case .product(let product): product
    case .store(let store): store
    }
  }

  /// The representation in the shop's own language.
  package var displayRepresentation: DisplayRepresentation { displayRepresentation(for: nil) }

  /// Returns the representation in a language, as far as the catalogue has it.
  ///
  /// - Parameter locale: A BCP 47 tag such as `de-CH`; it falls back to `de`, then to the shop's
  ///   own language (RFC 4647, 3.4). `nil` means the shop's own.
  public func displayRepresentation(for locale: String?) -> DisplayRepresentation {
    switch self {
    case .product(let product): product.displayRepresentation(for: locale)
    case .store(let store): store.displayRepresentation(for: locale)
    }
  }
}
