internal import PixelMatch
internal import Reading

/// Finds the products with the codes of the query: those that were given, and those that are read in the image.
struct CodeStage: SearchStage {
  /// The codes, as they were given.
  let codes: [String]
  /// The image, or `nil` if only its signature is known.
  var image: PixelBuffer?
  /// The codes that were read in the image already, or `nil` if they were not looked for.
  var read: [ReadCode]?

  static let step = QueryStep.codes

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    var (read, isRead) = (read ?? [], true)
    if self.read == nil, let image, let reader = CodeReader() {
      let codes = reader.codes(in: image, shouldStop: state.query.shouldStop)
      try Task.checkCancellation()
      (read, isRead) = (codes ?? [], codes != nil)
    }
    // Other barcodes and QR codes may contain anything. Only a product code that is not in the
    // catalogue is worth reporting as not found.
    let codes =
      codes
      + read.lazy.compactMap { ProductCode.text(in: $0.value) }
      .filter { !self.codes.contains($0) }
    let linked: [UInt32: EntityID]
    do {
      linked = try await keys(
        ofLinks: read.lazy.filter { $0.kind == .qr }.map(\.value), state, catalogue)
    } catch let error as CatalogueError where error.code == .timedOut {
      try Task.checkCancellation()
      return 0
    }
    var codesByForm: [String: ProductCode] = [:]
    for code in codes.compactMap(ProductCode.init) {
      for form in code.forms { codesByForm[form] = code }
    }
    let forms = codesByForm.keys.sorted()
    var found: [(key: UInt32, digits: String)] = []
    do throws(CatalogueError) {
      for property in forms.isEmpty
        ? [] : try Self.properties(of: catalogue, state.query.shouldStop)
      {
        found += try await catalogue.keys(
          withProperty: property, amongDigits: forms, state.query.shouldStop)
      }
    } catch {
      guard error.code == .timedOut else { throw error }
      try Task.checkCancellation()
      return 0
    }
    let known = Set(found.compactMap { codesByForm[$0.digits] })
    state.notes.unmatchedCodes = codes.compactMap { text in
      guard let code = ProductCode(text) else { return UnmatchedCode(code: text, reason: .invalid) }
      return known.contains(code) ? nil : UnmatchedCode(code: text, reason: .unknown)
    }
    let keys = Set(found.map(\.key)).filter { state.query.allows($0, .product) }.sorted()
    let products = try catalogue.ids(keys: Array(keys.prefix(SegmentScanner.limit)))
      .filter { $0.value.type == .product }
    let entities = products.merging(linked) { first, _ in first }
    state.findings.codeMatches = entities.sorted { $0.key < $1.key }.map {
      ScoredEntity(codeOf: $0.key, type: $0.value.type)
    }
    return isRead ? 1 : 0
  }

  /// Returns the entities that some texts are links of, with their ids: an entity's own link, or the one that the
  /// template gives.
  private func keys(
    ofLinks texts: [String], _ state: QueryState, _ catalogue: Catalogue
  ) async throws -> [UInt32: EntityID] {
    var found: [UInt32: EntityID] = [:]
    let lookup = LinkLookup(catalogue: catalogue, shouldStop: state.query.shouldStop)
    for text in texts {
      let linked = try await lookup.entities(forLink: text)
      for (id, key) in try catalogue.keys(of: linked.map(\.id)) { found[key] = id }
    }
    return found.filter {
      state.query.allows($0.key, $0.value.type) && state.query.types.contains($0.value.type)
    }
  }

  private static func properties(
    of catalogue: Catalogue, _ shouldStop: @escaping @Sendable () -> Bool
  ) throws(CatalogueError) -> [Int] {
    try catalogue.read(stoppingWhen: shouldStop) { database throws(CatalogueError) in
      var numbers: [Int] = []
      for name in try database.properties.names(containingAnyOf: ProductCode.fieldParts) {
        guard let own = EntityProperty.extraName(name), ProductCode.isField(own),
          let number = try database.properties.number(of: name)
        else { continue }
        numbers.append(number)
      }
      return numbers
    }
  }
}

extension ScoredEntity {
  /// The log-odds of a code: above those of any image.
  private static let codeWeight = 20.0

  /// An entity whose code was read.
  init(codeOf key: UInt32, type: EntityType) {
    let evidence = [Evidence(kind: .code, value: 1, weight: Self.codeWeight)]
    self.init(
      key: key, type: type, evidence: evidence, confidence: Calibration.confidence(evidence),
      tier: .code)
  }

  /// Returns the entity with the image that another answer about the same entity has.
  func showing(_ other: ScoredEntity?) -> ScoredEntity {
    var entity = self
    entity.image = other?.image
    entity.imagePosition = other?.imagePosition
    return entity
  }
}
