internal import PixelMatch
#if canImport(FoundationEssentials)
  internal import FoundationEssentials
  internal import FoundationInternationalization
#else
  internal import Foundation
#endif

/// Looks for what makes a shop's own entities hard to find or to show.
///
/// Nothing that it finds keeps a catalogue from working: `CatalogueUpkeep.verify()` looks for that.
public struct CatalogueDoctor: Sendable {
  /// Something to mend.
  public struct Finding: Sendable, Hashable, Encodable {
    /// What a program switches on.
    public enum Kind: String, Sendable, Hashable, Encodable, CaseIterable {
      /// Its picture is, but for compression, that of another entity.
      case indistinguishable
      /// Its picture is too plain to be told from others.
      case flatPicture
      /// Its picture is too small to be recognised when it is seen larger.
      case smallPicture
      /// It has no picture that can be found.
      case noPicture
      /// Its row in the catalogue cannot be read, so that no list has it.
      case unreadable
      /// Files of pictures are not where the index looks for them, and no thumbnail of them is kept. One finding, with
      /// their number, the first entity and examples.
      case missingPicture
      /// Its title and subtitle do not fit three lines.
      case longText
      /// It opens nowhere.
      case noLink
      /// Its link is not encrypted.
      case insecureLink
      /// Its currency is none of ISO 4217.
      case unknownCurrency
      /// A store without a place on the globe.
      case noPlace
      /// A store that stocks a product that is not there.
      case unknownStock
    }

    /// What it is about.
    public let kind: Kind
    /// The entity: `product:mug-red`.
    public let id: String
    /// What was found.
    public let detail: String
    /// What to do.
    public let cure: String
  }

  /// Characters that a line of a result shows, on the narrowest phone.
  static let lineLength = 40
  /// Pixels of a picture's longer side from which corners can be found.
  static let leastSide = 128

  /// What is looked over: one generation.
  public let catalogue: Catalogue
  private let pool: WorkerPool

  /// Makes a doctor for a catalogue.
  public init(catalogue: Catalogue, pool: WorkerPool = WorkerPool()) {
    self.catalogue = catalogue
    self.pool = pool
  }

  /// Looks over all entities and pictures.
  ///
  /// - Returns: Findings by entity, in the order of types and ids.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: O(*n*²) comparisons of hashes for *n* pictures.
  public func findings() async throws -> [Finding] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var findings: [Finding] = []
      var names: [UInt32: EntityID] = [:]
      var pictured: Set<UInt32> = []
      let links = catalogue.links
      let (values, unreadable) = try catalogue.read { database throws(CatalogueError) in
        var values: [(key: UInt32, value: EntityValue)] = []
        var unreadable: [Finding] = []
        try database.forEachEntity { key, type, id, json throws(CatalogueError) in
          do throws(CatalogueError) {
            values.append((key, try CatalogueDatabase.entity(json)))
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
      for (key, value) in values {
        if !pictured.contains(key) {
          findings.append(
            Finding(
              kind: .noPicture, id: value.id.description,
              detail: value.imagePaths.isEmpty
                ? "has no picture" : "has no picture that could be read",
              cure: "add one to its 'images', of the thing itself before a plain ground"))
        }
        findings += Self.textFindings(value, links, products)
      }
      if let missing = try missingPictures() { findings.append(missing) }
      try catalogue.checkUnchanged()
      return findings.sorted {
        ($0.id, $0.kind.rawValue, $0.detail) < ($1.id, $1.kind.rawValue, $1.detail)
      }
    }
  }

  // MARK: Pictures

  private func pictureFindings(
    _ type: EntityType, _ names: [UInt32: EntityID], _ pictured: inout Set<UInt32>
  ) throws -> [Finding] {
    let segments = catalogue.segments(of: type)
    let scan = FlatScan(segments)
    var findings: [Finding] = []
    var pairs: Set<[EntityID]> = []
    for live in segments {
      for row in 0..<live.segment.count where live.isLive(row) {
        try Task.checkCancellation()
        let key = live.segment.key(at: row)
        guard let id = names[key] else { continue }
        pictured.insert(key)
        findings += Self.plainFindings(live.segment, row, id)
        if live.segment.isFlat(row) { continue }
        let near = scan.nearest(
          to: .hashes([live.segment.pdq(at: row)]), maximumDistance: 8, limit: 16
        ).top.sorted
        for candidate in near {
          let other = segments[candidate.segment].segment
          guard let twin = names[other.key(at: candidate.row)], twin != id,
            Self.isAlike(live.segment, row, other, candidate.row),
            pairs.insert([id, twin].sorted()).inserted
          else { continue }
          findings.append(
            Finding(
              kind: .indistinguishable, id: min(id, twin).description,
              detail: "has the same picture as \(max(id, twin))",
              cure: "give each a picture that shows what differs, or make them one entity"))
        }
      }
    }
    return findings
  }

  private func missingPictures() throws -> Finding? {
    let kept = try KeptThumbnails(reading: catalogue.directory)?.pictures() ?? []
    let folders = PictureFolders(catalogue.picturePlaces)
    // A connection of its own, so that nobody waits for the file system.
    let missing = try MissingPictures(
      CatalogueDatabase(reading: catalogue.directory), folders: folders, except: kept)
    guard let first = missing.examples.first, let sentence = missing.sentence else { return nil }
    return Finding(
      kind: .missingPicture, id: first.id, detail: "lacks the file of a picture; \(sentence)",
      cure: "say where they are: vq catalogue set --images-root DIR; or keep thumbnails in the "
        + "index: vq index --thumbnails 160,480")
  }

  private static func plainFindings(
    _ segment: SignatureSegment, _ row: Int, _ id: EntityID
  ) -> [Finding] {
    let picture = "picture \(segment.tag(at: row))"
    let size = segment.size(at: row)
    var findings: [Finding] = []
    if segment.isFlat(row) {
      findings.append(
        Finding(
          kind: .flatPicture, id: id.description,
          detail: "\(picture) is too plain to be told from others",
          cure: "show more of the thing, or a label on it"))
    }
    if max(size.width, size.height) < leastSide {
      findings.append(
        Finding(
          kind: .smallPicture, id: id.description,
          detail: "\(picture) has \(size.width) × \(size.height) pixels",
          cure: "use one of \(4 * leastSide) pixels or more"))
    }
    return findings
  }

  /// Whether two pictures differ by no more than compression makes them: in the mean by one and a
  /// half of 255 levels of lightness and color a cell, and in no cell by more than 16.
  private static func isAlike(
    _ a: SignatureSegment, _ rowA: Int, _ b: SignatureSegment, _ rowB: Int
  ) -> Bool {
    let differences = zip(a.layout(at: rowA).bytes, b.layout(at: rowB).bytes).map {
      abs(Int($0) - Int($1))
    }
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
          "leave what all can see in the picture out of them")
      }
    }
    let url = links.handoff(for: value).url
    if url == nil {
      find(.noLink, "opens nowhere", "give it a 'url', or all a template: vq index --link")
    } else if url?.lowercased().hasPrefix("http:") == true {
      find(.insecureLink, "opens '\(url ?? "")'", "use https")
    }
    switch value {
    case .product(let product):
      if let currency = product.price?.currency, !currencies.contains(currency) {
        find(.unknownCurrency, "costs \(currency)", "use a code of ISO 4217, such as EUR")
      }
    case .store(let store):
      if store.geo == nil {
        find(.noPlace, "has no 'geo'", "say where it stands, so that near ones come first")
      }
      let unknown = store.stock.filter {
        !products.contains(EntityID(type: .product, value: $0))
      }
      if let first = unknown.first {
        find(
          .unknownStock, "stocks \(unknown.count) products that are not there, such as '\(first)'",
          "index them, or take them out of its 'stock'")
      }
    }
    return findings
  }

  private static func languages(of value: EntityValue) -> [String?] {
    value.text.localized.keys.sorted().map(Optional.some)
  }

  private static let currencies = Set(
    Locale.Currency.isoCurrencies.map { $0.identifier.uppercased() })
}
