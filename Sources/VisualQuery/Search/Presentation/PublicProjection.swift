/// The part of entities that anyone may see: the standard fields, the fields of the shop's own that
/// it made public, and images as URLs. Paths, stock lists and all other fields are left out.
///
/// ``EntityLookup/publicProjection(of:)`` makes the projection of a catalogue's entities.
public struct PublicProjection: Sendable, Hashable {
  /// The content tags of indexed images, by entity and by position among its images.
  package typealias ContentTags = [EntityID: [Int: String]]

  /// The public fields among those of the shop's own.
  package let fields: Set<String>
  private let contentTags: ContentTags
  /// The most bytes of a description that answers to matches have.
  static let descriptionLimit = 500

  /// The path beneath which `vq serve` has entities and their thumbnails.
  private static let entityPath = "/v1/entities"

  /// Makes a projection.
  ///
  /// - Parameters:
  ///   - settings: The shop's settings, of which ``ShopSettings/publicFields`` counts.
  ///   - contentTags: The tags of the indexed images. An image without one has no thumbnail.
  package init(_ settings: ShopSettings, contentTags: ContentTags = [:]) {
    fields = settings.publicFields ?? []
    self.contentTags = contentTags
  }

  // MARK: Fields

  /// The fields of the catalogue's JSON form that are always public. `images` and `extra` are
  /// public in part.
  private static let standardFields: Set<String> = [
    "type", "id", "title", "subtitle", "synonyms", "localized", "labels", "url", "featured",
    "group", "attributes", "brand", "price", "availability", "address", "geo", "openingHours",
    "timeZone",
  ]

  /// Returns the public part of an entity as an object: the JSON form of a feed with image URLs in
  /// place of paths.
  ///
  /// - Parameters:
  ///   - value: The entity.
  ///   - leavesOutDescription: True if a long description is left out even if it is public, as in answers
  ///     to matches, which have many entities.
  public func object(
    for value: EntityValue, leavesOutDescription: Bool = false
  ) -> JSONValue {
    guard case .object(let all) = value.json else { return .object([:]) }
    var object = all.filter { Self.standardFields.contains($0.key) }
    let urls = imageURLs(of: value)
    if !urls.isEmpty { object["images"] = .array(urls.map(JSONValue.string)) }
    if case .object(let extra)? = all["extra"] {
      let isLong = (value.longDescription?.utf8.count ?? 0) > Self.descriptionLimit
      let shown = extra.filter { name, _ in
        fields.contains(name)
          && !(leavesOutDescription && isLong && name == EntityValue.descriptionField)
      }
      if !shown.isEmpty { object["extra"] = .object(shown) }
    }
    return .object(object)
  }

  // MARK: Images

  /// Returns the representation with an image URL in place of a path, and the server's thumbnail of an image at another address.
  package func display(
    _ representation: DisplayRepresentation, of value: EntityValue
  ) -> DisplayRepresentation {
    let shown = value.imagePaths.indices.first { imageURL(of: value, at: $0) != nil }
    let hasAddress = shown.map { Self.isPublicURL(value.imagePaths[$0]) } ?? false
    return DisplayRepresentation(
      title: representation.title, subtitle: representation.subtitle,
      image: shown.flatMap { imageURL(of: value, at: $0) },
      thumbnail: hasAddress ? shown.flatMap { thumbnailURL(of: value.id, at: $0) } : nil,
      synonyms: representation.synonyms)
  }

  /// Returns the URLs of an entity's images, in their order. An image that has neither a URL of its
  /// own nor a thumbnail is left out.
  package func imageURLs(of value: EntityValue) -> [String] {
    value.imagePaths.indices.compactMap { imageURL(of: value, at: $0) }
  }

  /// Returns the URL of an image: the shop's own if the feed has one, else that of the server's
  /// thumbnail, relative to the server's address; `nil` if there is neither.
  ///
  /// The URL of a thumbnail changes with the content of the image, so that its answer can be stored
  /// forever.
  package func imageURL(of value: EntityValue, at position: Int) -> String? {
    guard value.imagePaths.indices.contains(position) else { return nil }
    let path = value.imagePaths[position]
    return Self.isPublicURL(path) ? path : thumbnailURL(of: value.id, at: position)
  }

  private func thumbnailURL(of id: EntityID, at position: Int) -> String? {
    guard let tag = contentTags[id]?[position] else { return nil }
    return
      "\(Self.entityPath)/\(id.type.rawValue)/\(LinkTemplate.percentEncoded(id.value))/thumbnail"
      + "?size=\(EntityThumbnails.Size.large.rawValue)&image=\(position)&v=\(tag)"
  }

  /// Returns whether an image of a feed is at an address of http or https. An address with a user
  /// may have a password, too.
  private static func isPublicURL(_ text: String) -> Bool {
    guard FetchedPictures.isAddress(text) else { return false }
    do throws(LinkError) {
      try Link.check(text, allowedSchemes: ["http"])
    } catch {
      return false
    }
    let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { !"/?#\\".contains($0) }
    return !authority.isEmpty && !authority.contains("@")
  }

  /// Returns the tags of the images that have a stored thumbnail, or a file to make one of.
  static func contentTags(
    of ids: [EntityID], in catalogue: Catalogue,
    stoppingWhen shouldStop: @escaping @Sendable () -> Bool
  ) throws(CatalogueError) -> ContentTags {
    let images = try catalogue.read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
      try database.images.images(of: ids)
    }
    let fetched = try FetchedPictures.stored(
      among: Set(images.map(\.path).filter(FetchedPictures.isAddress)), in: catalogue.directory)
    var tags: ContentTags = [:]
    var thumbnails: KeptThumbnails?
    for image in images {
      let hash = image.picture.contentHash
      let isAddress = FetchedPictures.isAddress(image.path)
      if isAddress ? !fetched.contains(image.path) : UploadedImage.isName(image.path) {
        if thumbnails == nil { thumbnails = try KeptThumbnails(reading: catalogue.directory) }
        let sides = try thumbnails?.sides(of: UInt32(clamping: image.picture.entity))
        guard sides?[hash] != nil else { continue }
      }
      tags[image.id, default: [:]][image.position] = ContentTag.text(ofHash: hash)
    }
    return tags
  }
}
