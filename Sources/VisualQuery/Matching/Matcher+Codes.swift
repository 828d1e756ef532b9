extension Matcher {
  /// The most entities of one code.
  private static let codeLimit = 16
  /// The most names of properties that are looked through.
  private static let nameLimit = 10_000

  /// The names of the fields with product codes, in lower case without other characters than letters and digits.
  private static let codeFields: Set<String> = [
    "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "ean", "ean8", "ean13", "upc", "upca", "isbn",
    "isbn13", "barcode",
    "variantbarcode",
  ]

  /// Returns the products with the codes of a question, and the codes without one.
  ///
  /// - Complexity: O(*n*) for *n* products with a code.
  @concurrent func codeMatches(
    _ codes: [String], allowed: KeySet?
  ) async throws(CatalogueError) -> (matches: [ScoredEntity], unmatched: [UnmatchedCode]) {
    if codes.isEmpty { return ([], []) }
    let properties = try catalogue.read { database throws(CatalogueError) in
      let names = try database.propertyNames(limit: Self.nameLimit)
      var numbers: [Int] = []
      for name in names {
        guard let own = EntityProperty.extraName(name),
          Self.codeFields.contains(String(own.lowercased().filter { $0.isLetter || $0.isNumber })),
          let number = try database.propertyNumber(name)
        else { continue }
        numbers.append(number)
      }
      return numbers
    }
    var found: Set<UInt32> = []
    var unmatched: [UnmatchedCode] = []
    for text in codes {
      guard let code = ProductCode(text) else {
        unmatched.append(UnmatchedCode(code: text, reason: .invalid))
        continue
      }
      let keys = try catalogue.read { database throws(CatalogueError) in
        var keys: [UInt32] = []
        for property in properties {
          keys += try database.keys(
            withProperty: property, amongDigits: code.forms, limit: Self.codeLimit)
        }
        return keys
      }
      if keys.isEmpty { unmatched.append(UnmatchedCode(code: text, reason: .unknown)) }
      found.formUnion(keys.filter { allowed?.contains($0) ?? true })
    }
    let products = try catalogue.ids(keys: found.sorted()).filter { $0.value.type == .product }
    return (products.keys.sorted().map(ScoredEntity.init(codeOf:)), unmatched)
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

/// A code of a question that led to no product.
public struct UnmatchedCode: Sendable, Hashable, Encodable {
  /// The reason why a code led to no product.
  public enum Reason: String, Sendable, Hashable, Encodable, CaseIterable {
    /// Its length or its check digit is wrong.
    case invalid
    /// No product has it.
    case unknown
  }

  /// The code, as it was given.
  public let code: String
  /// The reason.
  public let reason: Reason
}
