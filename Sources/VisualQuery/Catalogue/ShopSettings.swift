/// What a shop decides about its catalogue besides the entities in it; `nil` leaves it as it is.
public struct ShopSettings: Sendable, Hashable {
  /// Where entities open.
  public var links: LinkSettings?
  /// What outside words mean.
  public var bridge: LabelBridge?
  /// The folder that relative picture paths start from and stay in.
  public var imagesRoot: String?
  /// The folders besides the root that picture paths and links may lead into.
  public var outsideFolders: [String]?
  /// The longer sides, in pixels, of the thumbnails that the index keeps; empty for none.
  public var thumbnailSides: [Int]?

  /// The longer sides of kept thumbnails, in pixels, that are accepted.
  public static let thumbnailSideRange = KeptThumbnails.sides
  /// The number of sizes of kept thumbnails that is accepted.
  public static let thumbnailSideLimit = KeptThumbnails.sideLimit

  /// Makes settings.
  ///
  /// - Precondition: Sides are within ``thumbnailSideRange``, and no more than ``thumbnailSideLimit``.
  public init(
    links: LinkSettings? = nil, bridge: LabelBridge? = nil, imagesRoot: String? = nil,
    outsideFolders: [String]? = nil, thumbnailSides: [Int]? = nil
  ) {
    self.links = links
    self.bridge = bridge
    self.imagesRoot = imagesRoot
    self.outsideFolders = outsideFolders
    self.thumbnailSides = thumbnailSides
    precondition((thumbnailSides ?? []).allSatisfy(Self.thumbnailSideRange.contains))
    precondition((thumbnailSides ?? []).count <= Self.thumbnailSideLimit)
  }

  private static let schemes = "allowedSchemes"
  /// The beginning of the names of settings that belong to a machine and not to the contents: neither an export nor a
  /// rollback touches them.
  static let picturePrefix = "images."
  private static let root = picturePrefix + "root"
  private static let outside = picturePrefix + "outside"
  private static let thumbnails = picturePrefix + "thumbnails"

  private static func templateName(_ type: EntityType) -> String { "link." + type.rawValue }

  /// The settings as the catalogue keeps them; `nil` for what is not set.
  var values: [(name: String, value: String?)] { linkValues + pictureValues }

  /// The settings without those of pictures.
  var withoutPictures: ShopSettings { ShopSettings(links: links, bridge: bridge) }

  private var pictureValues: [(name: String, value: String?)] {
    var values: [(name: String, value: String?)] = []
    if let imagesRoot { values.append((Self.root, FilePath.absolute(imagesRoot))) }
    if let outsideFolders {
      // JSON, since a path may have any other character in it.
      let paths = outsideFolders.map { JSONValue.string(FilePath.absolute($0)) }
      values.append((Self.outside, paths.isEmpty ? nil : JSONValue.array(paths).text))
    }
    if let thumbnailSides {
      let sides = Set(thumbnailSides).sorted().map(String.init).joined(separator: ",")
      values.append((Self.thumbnails, sides.isEmpty ? nil : sides))
    }
    return values
  }

  /// The places of pictures that the catalogue keeps.
  static func places(_ values: [String: String]) -> PicturePlaces {
    var places = PicturePlaces(root: values[root])
    if case .array(let paths)? = values[outside].flatMap({ try? JSONValue(stored: $0) }) {
      places.outside = paths.compactMap { if case .string(let path) = $0 { path } else { nil } }
    }
    return places
  }

  /// The sides of thumbnails that the catalogue keeps.
  static func thumbnailSides(_ values: [String: String]) -> [Int] {
    (values[thumbnails] ?? "").split(separator: ",").compactMap { Int($0) }
      .filter(thumbnailSideRange.contains)
  }

  private var linkValues: [(name: String, value: String?)] {
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
