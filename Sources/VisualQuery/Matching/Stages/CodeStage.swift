/// Finds the products with the codes of the query.
struct CodeStage: SearchStage {
  /// The codes, as they were given.
  let codes: [String]

  static let cost = 1.0

  /// The most products that are found.
  private static let limit = 256

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    var codesByForm: [String: ProductCode] = [:]
    for code in codes.compactMap(ProductCode.init) {
      for form in code.forms { codesByForm[form] = code }
    }
    let forms = codesByForm.keys.sorted()
    var found: [(key: UInt32, digits: String)] = []
    do throws(CatalogueError) {
      for property in forms.isEmpty ? [] : try Self.properties(of: catalogue, state.shouldStop) {
        found += try await catalogue.keys(
          withProperty: property, amongDigits: forms, state.shouldStop)
      }
    } catch {
      guard error.code == .timedOut else { throw error }
      try Task.checkCancellation()
      return 0
    }
    let known = Set(found.compactMap { codesByForm[$0.digits] })
    state.unmatchedCodes = codes.compactMap { text in
      guard let code = ProductCode(text) else { return UnmatchedCode(code: text, reason: .invalid) }
      return known.contains(code) ? nil : UnmatchedCode(code: text, reason: .unknown)
    }
    let keys = Set(found.map(\.key)).filter { state.allows($0, .product) }.sorted()
    let products = try catalogue.ids(keys: Array(keys.prefix(Self.limit)))
      .filter { $0.value.type == .product }
    state.codeMatches = products.keys.sorted().map(ScoredEntity.init(codeOf:))
    return 1
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

  /// A product whose code was read.
  init(codeOf key: UInt32) {
    let evidence = [Evidence(kind: .code, value: 1, weight: Self.codeWeight)]
    self.init(
      key: key, type: .product, evidence: evidence, confidence: Calibration.confidence(evidence),
      tier: .code)
  }

  /// Returns the entity with the image of another answer for it.
  func showing(_ other: ScoredEntity?) -> ScoredEntity {
    var entity = self
    entity.image = other?.image
    entity.imagePosition = other?.imagePosition
    return entity
  }
}
