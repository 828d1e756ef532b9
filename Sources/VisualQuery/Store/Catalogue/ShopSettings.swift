/// The settings of a shop that are stored with its catalogue; `nil` leaves a setting unchanged.
public struct ShopSettings: Sendable, Hashable {
  /// The link templates and accepted schemes.
  package var links: LinkSettings?
  /// The bridge from outside words to labels.
  package var bridge: LabelBridge?
  /// The folder that contains the images; relative paths start from it.
  package var imagesRoot: String?
  /// The folders outside the root that may contain images.
  package var outsideFolders: [String]?
  /// The longer sides, in pixels, of the thumbnails that the index stores; empty for none.
  package var thumbnailSides: [Int]?
  /// The fields of the shop's own that anyone may see; see ``PublicProjection``.
  package var publicFields: Set<String>?
  /// The rules of what answers show.
  package var rules: ShopRules?
  /// The fits of the confidence.
  package var fits: ShopFits?
  /// The answers to photos of the shop's own images.
  package var null: ShopNull?
  /// The mapping of a feed, which further runs with that feed use again.
  package var feedMapping: StoredFeedMapping?
  /// The feeds to store, each in place of the one with its number.
  package var feeds: [Feed] = []
  /// The limits of what a run may take from the index.
  package var lossLimits: LossLimits?

  /// The accepted longer sides of thumbnails, in pixels.
  package static let thumbnailSideRange = KeptThumbnails.sides
  /// The largest number of thumbnail sizes.
  package static let thumbnailSideLimit = KeptThumbnails.sideLimit

  /// Makes settings.
  ///
  /// - Precondition: Sides are within `16...1024`, and there are at most four.
  public init(
    links: LinkSettings? = nil, bridge: LabelBridge? = nil, imagesRoot: String? = nil,
    outsideFolders: [String]? = nil, thumbnailSides: [Int]? = nil,
    publicFields: Set<String>? = nil, rules: ShopRules? = nil
  ) {
    self.links = links
    self.bridge = bridge
    self.imagesRoot = imagesRoot
    self.outsideFolders = outsideFolders
    self.thumbnailSides = thumbnailSides
    self.publicFields = publicFields
    self.rules = rules
    precondition((thumbnailSides ?? []).allSatisfy(Self.thumbnailSideRange.contains))
    precondition((thumbnailSides ?? []).count <= Self.thumbnailSideLimit)
  }

  private static let schemes = "allowedSchemes"
  /// The prefix of the settings that belong to a machine rather than to the contents: an export and
  /// a rollback leave them out.
  package static let picturePrefix = "images."
  /// The prefix of the settings that link a directory with PostgreSQL; they belong to the directory.
  package static let replicaPrefix = "replica."
  /// The prefix of what is noted about past generations; it belongs to the directory, too.
  package static let historyPrefix = "history."
  /// The prefix of the settings that store a ``Feed`` each.
  package static let feedPrefix = "feed."
  /// The setting of a copy without signatures.
  private static let root = picturePrefix + "root"
  private static let outside = picturePrefix + "outside"
  private static let thumbnails = picturePrefix + "thumbnails"

  /// Returns whether a directory has no signatures.
  private static func templateName(_ type: EntityType) -> String { "link." + type.rawValue }

  /// The settings as they are stored in the catalogue, `nil` for those that are not set.
  package var values: [(name: String, value: String?)] {
    linkValues + publicValues + ruleValues + fitValues + nullValues + pictureValues
      + mappingValues + lossValues
      + feeds.map { (name: $0.settingName, value: $0.json.text) }
  }

  /// The settings without those of images.
  package var withoutPictures: ShopSettings {
    var settings = ShopSettings(
      links: links, bridge: bridge, publicFields: publicFields, rules: rules)
    (settings.fits, settings.null) = (fits, null)
    return settings
  }

  private static let rulesName = "rules"

  private var ruleValues: [(name: String, value: String?)] {
    guard let rules else { return [] }
    return [(Self.rulesName, rules.rules.isEmpty ? nil : rules.text)]
  }

  /// The rules that the catalogue keeps.
  ///
  /// - Throws: ``FieldError`` if they are not valid.
  package static func rules(_ values: [String: String]) throws(FieldError) -> ShopRules {
    guard let text = values[rulesName] else { return ShopRules() }
    guard let json = try? JSONValue(stored: text) else {
      throw FieldError(field: rulesName, reason: "cannot be read")
    }
    return try ShopRules(json: json)
  }

  private static let fitsName = "fits"

  private var fitValues: [(name: String, value: String?)] {
    guard let fits else { return [] }
    return [(Self.fitsName, fits.all.isEmpty ? nil : fits.json.text)]
  }

  /// The fits of the confidence that the catalogue keeps.
  ///
  /// - Throws: ``FieldError`` if they are not valid.
  package static func fits(_ values: [String: String]) throws(FieldError) -> ShopFits {
    guard let text = values[fitsName] else { return ShopFits() }
    guard let json = try? JSONValue(stored: text) else {
      throw FieldError(field: fitsName, reason: "cannot be read")
    }
    return try ShopFits(json: json)
  }

  private static let nullName = "null"

  private var nullValues: [(name: String, value: String?)] {
    guard let null else { return [] }
    return [(Self.nullName, null.json.text)]
  }

  /// The answers to photos of the shop's own images, or `nil` if it was not asked.
  ///
  /// - Throws: ``FieldError`` if they are not valid.
  package static func null(_ values: [String: String]) throws(FieldError) -> ShopNull? {
    guard let text = values[nullName] else { return nil }
    guard let json = try? JSONValue(stored: text) else {
      throw FieldError(field: nullName, reason: "cannot be read")
    }
    return try ShopNull(json: json)
  }

  private static let mappingName = "feedMapping"

  private var mappingValues: [(name: String, value: String?)] {
    guard let feedMapping else { return [] }
    // Stored as JSON, because the name of a file may contain any separator.
    let texts = ([feedMapping.feed] + feedMapping.assignments).map(JSONValue.string)
    return [(Self.mappingName, texts.count == 1 ? nil : JSONValue.array(texts).text)]
  }

  /// The mapping that the catalogue keeps, or `nil` if it keeps none.
  package static func feedMapping(_ values: [String: String]) -> StoredFeedMapping? {
    guard let texts = texts(values[mappingName]), texts.count > 1 else { return nil }
    return StoredFeedMapping(feed: texts[0], assignments: Array(texts.dropFirst()))
  }

  private static let publicName = "publicFields"

  private var publicValues: [(name: String, value: String?)] {
    guard let publicFields else { return [] }
    // Stored as JSON, because a name may contain any separator.
    let names = publicFields.sorted().map(JSONValue.string)
    return [(Self.publicName, names.isEmpty ? nil : JSONValue.array(names).text)]
  }

  /// The public fields that the catalogue keeps.
  package static func publicFields(_ values: [String: String]) -> Set<String> {
    texts(values[publicName]).map { Set($0) } ?? []
  }

  /// The texts of a list in JSON.
  private static func texts(_ json: String?) -> [String]? {
    guard case .array(let elements)? = json.flatMap({ try? JSONValue(stored: $0) }) else {
      return nil
    }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  private var pictureValues: [(name: String, value: String?)] {
    var values: [(name: String, value: String?)] = []
    if let imagesRoot { values.append((Self.root, FilePath.absolute(imagesRoot))) }
    if let outsideFolders {
      // Stored as JSON, because a path may contain any other separator.
      let paths = outsideFolders.map { JSONValue.string(FilePath.absolute($0)) }
      values.append((Self.outside, paths.isEmpty ? nil : JSONValue.array(paths).text))
    }
    if let thumbnailSides {
      let sides = Set(thumbnailSides).sorted().map(String.init).joined(separator: ",")
      values.append((Self.thumbnails, sides.isEmpty ? nil : sides))
    }
    return values
  }

  /// Returns the folders of images that the catalogue stores.
  package static func places(_ values: [String: String]) -> PicturePlaces {
    var places = PicturePlaces(root: values[root])
    places.outside = texts(values[outside]) ?? []
    return places
  }

  /// Returns the thumbnail sides that the catalogue stores.
  package static func thumbnailSides(_ values: [String: String]) -> [Int] {
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

  /// Returns the link settings that the catalogue stores.
  ///
  /// - Throws: ``LinkError`` if a template is not valid.
  package static func links(_ values: [String: String]) throws(LinkError) -> LinkSettings {
    let schemes = allowedSchemes(values)
    var links = LinkSettings(allowedSchemes: schemes)
    for (type, text) in templates(values) {
      links.templates[type] = try LinkTemplate(text, allowedSchemes: schemes)
    }
    return links
  }

  /// Returns the texts of the link templates that the catalogue stores.
  package static func templates(_ values: [String: String]) -> [EntityType: String] {
    var templates: [EntityType: String] = [:]
    for type in EntityType.allCases { templates[type] = values[templateName(type)] }
    return templates
  }

  /// Returns the schemes besides `https` that the catalogue stores.
  package static func allowedSchemes(_ values: [String: String]) -> Set<String> {
    Set((values[schemes] ?? "").split(separator: ",").map(String.init))
  }
}

/// The mapping of the fields of a feed, by the name of its file.
package struct StoredFeedMapping: Sendable, Hashable {
  /// The name of the file, without its folder.
  package let feed: String
  /// The assignments such as `title=designation`; none to forget a mapping.
  package let assignments: [String]

  package init(feed: String, assignments: [String]) {
    self.feed = feed
    self.assignments = assignments
  }
}
