public import Foundation

/// The texts and the image that represent an entity on a card.
public struct Display: Codable, Sendable, Hashable {
  /// The first line.
  public let title: String
  /// The second line.
  public let subtitle: String?
  /// The image: the shop's own, or a thumbnail of the service.
  public let image: URL?
  /// The service's thumbnail of the image, if that is at another address and the service has it.
  public let thumbnail: URL?
  /// Other names of the entity.
  public let synonyms: [String]

  private enum CodingKeys: CodingKey { case title, subtitle, image, thumbnail, synonyms }

  /// Makes a card.
  public init(
    title: String, subtitle: String? = nil, image: URL? = nil, thumbnail: URL? = nil,
    synonyms: [String] = []
  ) {
    self.title = title
    self.subtitle = subtitle
    self.image = image
    self.thumbnail = thumbnail
    self.synonyms = synonyms
  }

  /// Reads the document. Images of the service become absolute with the address of the decoder's service.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    title = try values.decode(String.self, forKey: .title)
    subtitle = try values.decodeIfPresent(String.self, forKey: .subtitle)
    image = try values.decodeIfPresent(String.self, forKey: .image)
      .flatMap { ServiceAddress.url($0, in: decoder) }
    thumbnail = try values.decodeIfPresent(String.self, forKey: .thumbnail)
      .flatMap { ServiceAddress.url($0, in: decoder) }
    synonyms = try values.decodeIfPresent([String].self, forKey: .synonyms) ?? []
  }

  /// Writes the document.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(title, forKey: .title)
    try values.encodeIfPresent(subtitle, forKey: .subtitle)
    try values.encodeIfPresent(image, forKey: .image)
    try values.encodeIfPresent(thumbnail, forKey: .thumbnail)
    if !synonyms.isEmpty { try values.encode(synonyms, forKey: .synonyms) }
  }
}

/// The address of the service that a document comes from.
enum ServiceAddress {
  static let key = CodingUserInfoKey(rawValue: "visualquery.service")!

  /// Returns the URL of a text in a document. Paths are those of the service, which may itself have a path.
  static func url(_ text: String, in decoder: any Decoder) -> URL? {
    url(text, base: decoder.userInfo[key] as? URL)
  }

  static func url(_ text: String, base: URL?) -> URL? {
    guard text.hasPrefix("/"), !text.hasPrefix("//"), let base else { return URL(string: text) }
    let root = base.absoluteString
    return URL(string: (root.hasSuffix("/") ? String(root.dropLast()) : root) + text)
  }
}
