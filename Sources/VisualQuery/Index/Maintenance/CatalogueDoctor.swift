internal import PixelMatch
#if canImport(FoundationEssentials)
  internal import FoundationEssentials
  internal import FoundationInternationalization
#else
  internal import Foundation
#endif

/// Finds the entities of a shop that are hard to find or to show.
///
/// None of the findings keeps a catalogue from working: `CatalogueUpkeep.verify()` checks that.
package struct CatalogueDoctor: Sendable {
  /// One finding.
  package struct Finding: Sendable, Hashable, Encodable {
    /// The stable kind of a finding, for programs.
    package enum Kind: String, Sendable, Hashable, Encodable, CaseIterable {
      /// An image is, except for compression, the same as one of another entity.
      case indistinguishable
      /// An image that many products of different groups have, so that it finds none of them: a placeholder such as "no image available",
      /// or a size chart beneath every product.
      case placeholder
      /// An image has marks that images of different products have at the same place, such as a watermark.
      case repeatedMark
      /// A variant looks like no other one of its group, though the others look alike.
      case oddVariant
      /// Two groups show the same design in other colors.
      case sameDesign
      /// An image is put together from several images.
      case collage
      /// An image shows nothing but text.
      case textPicture
      /// An image is so long that squares of it are compared, too, such as a page of a marketplace.
      case longPicture
      /// An image is, except for compression, the same as one of another variant of the group, so that no image tells them apart.
      case sameSiblings
      /// An image lacks detail and cannot be distinguished from others.
      case flatPicture
      /// An image is too small to be recognized when it is photographed from nearby.
      case smallPicture
      /// An image is smaller than photos of it need to be recognized well.
      case lowResolution
      /// The entity has no image that can be found. It is no finding if all entities have labels and none has images.
      case noPicture
      /// The stored row of the entity cannot be read, so that all lists omit it.
      case unreadable
      /// Image files are not where the index expects them, and no thumbnails of them are stored.
      /// This is one finding, with their number, the first entity and examples.
      case missingPicture
      /// An image is an earlier version, because its server refuses the current one.
      case staleImage
      /// The title has no word, such as `12345`.
      case wordlessTitle
      /// The title and the subtitle do not fit on three lines.
      case longText
      /// The entity has no link.
      case noLink
      /// The link is not encrypted.
      case insecureLink
      /// The server says that there is nothing at the link (``LinkChecker``).
      case brokenLink
      /// The currency is not in ISO 4217.
      case unknownCurrency
      /// A field has no meaning, and its name is similar to that of a field that has one.
      case misspeltField
      /// A store has no location.
      case noPlace
      /// A store has an unknown product in stock.
      case unknownStock
    }

    /// The kind of the finding.
    package let kind: Kind
    /// The id of the entity, such as `product:mug-red`.
    package let id: String
    /// The description of the finding.
    package let detail: String
    /// The suggested correction.
    package let cure: String
    /// The id of the entity that has the same image, or `nil` if the finding is about something
    /// else.
    package let twin: String?
    /// The position of the image that it is about, or `nil` if it is not about one.
    package let image: Int?
    /// The position of the image that other entities have, too, or `nil` if the finding is about
    /// something else.
    package let sharedImage: Int?
    /// The position of the same image among those of the twin.
    package let twinImage: Int?

    // The positions of shared images are for reports only.
    private enum CodingKeys: CodingKey { case kind, id, detail, cure, twin, image }

    init(
      kind: Kind, id: String, detail: String, cure: String, twin: String? = nil, image: Int? = nil,
      sharedImage: Int? = nil, twinImage: Int? = nil
    ) {
      (self.kind, self.id, self.cure, self.twin, self.image) = (kind, id, cure, twin, image)
      (self.sharedImage, self.twinImage) = (sharedImage, twinImage)
      self.detail = ShownAddress.inText(detail)
    }
  }

  /// The number of characters on a line of a result, on the narrowest phone.
  static let lineLength = 40
  /// The smallest length of an image's longer side at which keypoints can be found, in pixels.
  static let leastSide = 128
  /// The smallest length of an image's longer side that leaves enough detail for photos taken from some distance, in pixels.
  static let goodSide = 300
  /// The standard number of images whose files are looked at.
  package static let standardPictureLimit = 2000

  /// The generation that is checked.
  package let catalogue: Catalogue
  private let pool: WorkerPool
  /// The most images whose files are looked at for collages and text; if there are more, those that are looked at are spread over all.
  let pictureLimit: Int

  /// Makes a doctor for a catalogue.
  package init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(),
    pictureLimit: Int = Self.standardPictureLimit
  ) {
    self.catalogue = catalogue
    self.pool = pool
    self.pictureLimit = pictureLimit
  }

  /// Checks all entities and images.
  ///
  /// - Returns: The findings by entity, in the order of types and ids.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: The complexity of `DuplicateFinder`, and O(*n*) for *n* entities and images; not quadratic.
  package func findings() async throws -> [Finding] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var findings: [Finding] = []
      var names: [UInt32: EntityID] = [:]
      var pictured: Set<UInt32> = []
      let links = catalogue.links
      let (values, unreadable) = try catalogue.read { database throws(CatalogueError) in
        var values: [(key: UInt32, value: EntityValue)] = []
        var unreadable: [Finding] = []
        try database.entities.forEach { key, type, id, json throws(CatalogueError) in
          do throws(CatalogueError) {
            values.append((key, try EntityTable.entity(json)))
          } catch {
            unreadable.append(
              Finding(
                kind: .unreadable, id: "\(type):\(id)", detail: "cannot be read: \(error.message)",
                cure: "index its row again"))
          }
        }
        return (values, unreadable)
      }
      findings += unreadable
      let products = Set(values.map(\.value.id).filter { $0.type == .product })
      for (key, value) in values { names[key] = value.id }
      for type in EntityType.allCases {
        findings += try pictureFindings(type, names, &pictured)
      }
      findings += try await twins(
        Dictionary(values.map { ($0.value.id.description, $0.value) }) { first, _ in first })
      // A shop that is found by labels only has no images on purpose.
      let isByLabels = values.allSatisfy {
        $0.value.imagePaths.isEmpty && !$0.value.text.labels.isEmpty
      }
      for (key, value) in values {
        if !isByLabels, !pictured.contains(key) {
          findings.append(
            Finding(
              kind: .noPicture, id: value.id.description,
              detail: value.imagePaths.isEmpty
                ? "has no image" : "has no readable image",
              cure: "add one to its 'images' that shows the item in front of a plain background"))
        }
        findings += Self.textFindings(value, links, products)
      }
      findings += try lookFindings(values)
      findings += try contentFindings()
      if let missing = try missingPictures() { findings.append(missing) }
      findings += try staleFindings(values)
      try catalogue.checkUnchanged()
      return findings.sorted {
        ($0.id, $0.kind.rawValue, $0.detail) < ($1.id, $1.kind.rawValue, $1.detail)
      }
    }
  }

  // MARK: Images

  private func pictureFindings(
    _ type: EntityType, _ names: [UInt32: EntityID], _ pictured: inout Set<UInt32>
  ) throws -> [Finding] {
    var findings: [Finding] = []
    for live in catalogue.segments(of: type) {
      for row in 0..<live.segment.count where live.isLive(row) {
        if row % 4096 == 0 { try Task.checkCancellation() }
        let key = live.segment.key(at: row)
        guard let id = names[key] else { continue }
        pictured.insert(key)
        findings += Self.plainFindings(live.segment, row, id)
      }
    }
    return findings
  }

  /// Returns the findings about entities with the same image. Each entity of a cluster but the last names the next
  /// one by id, because all pairs of a thousand entities would be half a million. Variants of one group that share an
  /// image are findings, too. An image that products of many groups have is a placeholder, and each of these products
  /// is named.
  private func twins(_ values: [String: EntityValue]) async throws -> [Finding] {
    func group(_ id: String) -> String {
      if case .product(let product)? = values[id], let group = product.group {
        return "group " + group
      }
      return id
    }
    let clusters = try await DuplicateFinder(catalogue: catalogue, pool: pool).clusters(.same)
    return clusters.flatMap { cluster in
      let entities = cluster.entities
      if Set(entities.map { group($0.id) }).count >= Product.manyGroups {
        return entities.map { entity in
          Finding(
            kind: .placeholder, id: entity.id,
            detail:
              "has an image that \(entities.count - 1) others have, too: \(entity.image ?? "")",
            cure: entity.position == 0
              ? "leave placeholders out of the feed; an entity without an image is still found by labels"
              : "leave size charts and banners out of its 'images': what many products have finds none of them",
            sharedImage: entity.position)
        }
      }
      return zip(entities, entities.dropFirst()).map { entity, twin in
        group(entity.id) == group(twin.id)
          ? Finding(
            kind: .sameSiblings, id: entity.id,
            detail: "has the same image as \(twin.id) of its group",
            cure: "if they look different, give each an image of its own; sizes may share one",
            twin: twin.id, sharedImage: entity.position, twinImage: twin.position)
          : Finding(
            kind: .indistinguishable, id: entity.id, detail: "has the same image as \(twin.id)",
            cure: "use images that show the difference, or merge the entities", twin: twin.id,
            sharedImage: entity.position, twinImage: twin.position)
      }
    }
  }

  private func missingPictures() throws -> Finding? {
    let kept = try KeptThumbnails(reading: catalogue.directory)?.pictures() ?? []
    let folders = PictureFolders(catalogue.picturePlaces)
    // A separate connection, so that no reader waits for the file system.
    let missing = try MissingPictures(
      CatalogueDatabase(reading: catalogue.directory).tables.images, folders: folders, except: kept)
    guard let first = missing.examples.first, let sentence = missing.sentence else { return nil }
    return Finding(
      kind: .missingPicture, id: first.id,
      detail: "has an image whose file cannot be opened; \(sentence)",
      cure: "set their folder: vq catalogue set --images-root DIR; or store thumbnails in the "
        + "index: vq index --thumbnails 160,480")
  }

  /// The ratio of the sides of an image, with one decimal.
  private static func longness(of size: (width: Int, height: Int)) -> String {
    let tenths = 10 * max(size.width, size.height) / max(1, min(size.width, size.height))
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func plainFindings(
    _ segment: SignatureSegment, _ row: Int, _ id: EntityID
  ) -> [Finding] {
    let position = Int(segment.tag(at: row))
    // The squares of a long image are parts of it.
    if position >= EntityValue.imageLimit { return [] }
    let picture = "image \(position)"
    let size = segment.ownSize(at: row)
    var findings: [Finding] = []
    if LongImage.isLong(width: size.width, height: size.height) {
      findings.append(
        Finding(
          kind: .longPicture, id: id.description,
          detail:
            "\(picture) is \(longness(of: size)) times as long as wide, so squares of it are compared, too",
          cure: "give the thing an image of its own, without the text around it", image: position))
    }
    if segment.isFlat(row) {
      findings.append(
        Finding(
          kind: .flatPicture, id: id.description,
          detail: "\(picture) lacks detail and cannot be distinguished from others",
          cure: "show more of the item, or its label", image: position))
    }
    if max(size.width, size.height) < leastSide {
      findings.append(
        Finding(
          kind: .smallPicture, id: id.description,
          detail: "\(picture) has \(size.width) × \(size.height) pixels",
          cure: "use an image of at least \(4 * leastSide) pixels", image: position))
    } else if max(size.width, size.height) < goodSide {
      findings.append(
        Finding(
          kind: .lowResolution, id: id.description,
          detail: "\(picture) has \(size.width) × \(size.height) pixels",
          cure: "use an image of at least \(4 * leastSide) pixels", image: position))
    }
    return findings
  }

  /// Returns whether two images differ by no more than compression: at most one and a half of 255
  /// levels of lightness and color per cell on average, and at most 16 in any cell.
  static func isAlike(_ a: ColorLayout, _ b: ColorLayout) -> Bool {
    let differences = zip(a.bytes, b.bytes).map { abs(Int($0) - Int($1)) }
    return 2 * differences.reduce(0, +) <= 3 * differences.count && differences.max() ?? 0 <= 16
  }

  // MARK: Fields

  private static func textFindings(
    _ value: EntityValue, _ links: LinkSettings, _ products: Set<EntityID>
  ) -> [Finding] {
    var findings: [Finding] = []
    func find(_ kind: Finding.Kind, _ detail: String, _ cure: String) {
      findings.append(
        Finding(kind: kind, id: value.id.description, detail: detail, cure: cure))
    }
    if !value.displayRepresentation.title.contains(where: \.isLetter) {
      find(
        .wordlessTitle, "has the title '\(value.displayRepresentation.title)'",
        "use a name that people would say")
    }
    let texts =
      [(nil, value.displayRepresentation)]
      + languages(of: value).map { language in
        (language, value.displayRepresentation(for: language))
      }
    for (language, display) in texts {
      let lines = [display.title, display.subtitle ?? ""].reduce(0) {
        $0 + ($1.count + lineLength - 1) / lineLength
      }
      if lines > 3 {
        let name = language.map { " in '\($0)'" } ?? ""
        find(
          .longText, "title and subtitle\(name) take \(lines) lines of \(lineLength) characters",
          "omit what the image already shows")
      }
    }
    let url = links.handoff(for: value).url
    if url == nil {
      find(
        .noLink, "has no link", "add a 'url', or a template for all: \(linkTemplate(for: value))")
    } else if url?.lowercased().hasPrefix("http:") == true {
      find(.insecureLink, "has the link '\(url ?? "")'", "use https")
    }
    for field in value.misspeltFields {
      find(
        .misspeltField, "has the field '\(field.name)', which means nothing to VisualQuery",
        "rename it to '\(field.meant)', if that is meant")
    }
    switch value {
    case .product(let product):
      if let currency = product.price?.currency, !currencies.contains(currency) {
        find(
          .unknownCurrency, "has the unknown currency \(currency)",
          "use an ISO 4217 code such as EUR")
      }
    case .store(let store):
      if store.geo == nil {
        find(.noPlace, "has no 'geo'", "add its location, so that stores can be sorted by distance")
      }
      let unknown = store.stock.filter {
        !products.contains(EntityID(type: .product, value: $0))
      }
      if let first = unknown.first {
        find(
          .unknownStock,
          "stocks \(unknown.count) products that are not indexed, such as '\(first)'",
          "index them, or remove them from its 'stock'")
      }
    }
    return findings
  }

  /// Returns the option with the usual template of links of the shop system that an entity comes
  /// from.
  private static func linkTemplate(for value: EntityValue) -> String {
    guard case .product(let product) = value else { return "vq index --link" }
    if product.extra["handle"] != nil {
      return "vq index --link 'product=https://SHOP/products/{handle}'"
    }
    if product.extra["url_key"] != nil {
      return "vq index --link 'product=https://SHOP/{url_key}.html'"
    }
    return "vq index --link"
  }

  private static func languages(of value: EntityValue) -> [String?] {
    value.text.localized.keys.sorted().map(Optional.some)
  }

  private static let currencies = Set(
    Locale.Currency.isoCurrencies.map { $0.identifier.uppercased() })
}
