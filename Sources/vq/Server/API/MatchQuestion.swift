import PixelMatch
import VisualQuery

/// The question of `POST /v1/match` without its picture.
struct MatchQuestion: Sendable {
  var labels: [String] = []
  /// The product codes that were read on the device.
  var codes: [String] = []
  /// The facets of all that is found; `nil` if none are asked for.
  var facets: FacetQuestion?
  var region: PictureRegion?
  var signature: QuerySignature?
  /// The embedding of the picture, or of its region.
  var embedding: ImageEmbedding?
  var continuation: String?
  var fromStart = false
  var refresh = false
  /// True if a truncated picture is searched with the part that is there.
  var isTolerant = false
  var options = MatchOptions()
  /// The limit that was asked for; a continuation keeps its own if there is none.
  var limit: Int?
  /// The time that it may take.
  var deadline: Duration

  /// Characters of a continuation and of a signature.
  private static let tokenLimit = MatchResponse.continuationLimit

  /// Reads all fields.
  ///
  /// - Parameters:
  ///   - hasPicture: True if the request has a picture; then it cannot have a continuation or a signature.
  ///   - language: The language that the client prefers, which counts if the question does not name one.
  init(
    _ fields: RequestFields, hasPicture: Bool, language: String?, deadlines: DeadlineLimits
  ) throws(Problem) {
    var fields = fields
    limit = try fields.integer("limit", in: 1...MatchOptions.maximumLimit)
    deadline = try Self.deadline(&fields, deadlines)
    facets = try FacetFields.question(&fields)
    if !hasPicture, let token = try fields.text("continuation", limit: Self.tokenLimit) {
      continuation = token
      fromStart = try fields.flag("fromStart") ?? false
      refresh = try fields.flag("refresh") ?? false
      try fields.refuse(Self.searchFields, "has no effect beside 'continuation'")
      try fields.finish()
      return
    }
    if !hasPicture { try fields.refuse(["refresh", "fromStart"], "requires 'continuation'") }
    labels =
      try fields.words(
        "labels", limit: SemanticContent.labelLimit, length: SemanticContent.labelLength) ?? []
    codes =
      try fields.words(
        "codes", limit: SemanticContent.codeLimit, length: SemanticContent.codeLength) ?? []
    if hasPicture { region = try Self.region(&fields) }
    if !hasPicture, let text = try fields.text("signature", limit: Self.tokenLimit) {
      do throws(SignatureError) {
        signature = try QuerySignature(text: text)
      } catch {
        throw Problem(
          .invalidSignature, error.message, field: "signature")
      }
    }
    isTolerant = try fields.flag("tolerant") ?? false
    embedding = try Self.embedding(&fields)
    options = try Self.options(&fields, limit: limit, labels: labels)
    options.locale = options.locale ?? language
    try fields.finish()
    guard hasPicture || signature != nil || !labels.isEmpty || !codes.isEmpty else {
      throw Problem(
        .nothingAsked, "there is no picture, and none of labels, codes, signature and continuation")
    }
  }

  /// The fields that a continuation has from its first search.
  private static let searchFields = [
    "labels", "codes", "signature", "embedding", "region", "tolerant", "products", "stores",
    "minConfidence",
    "type", "withLabel", "where", "near", "group", "subject", "answers", "feedback", "at", "locale",
  ]

  /// The deadline that the fields ask for, within the server's.
  static func deadline(
    _ fields: inout RequestFields, _ limits: DeadlineLimits
  ) throws(Problem) -> Duration {
    let milliseconds = try fields.integer("deadlineMs", in: 1...3_600_000)
    return limits.deadline(milliseconds.map { .milliseconds($0) })
  }

  private static func embedding(_ fields: inout RequestFields) throws(Problem) -> ImageEmbedding? {
    guard let json = fields.json("embedding") else { return nil }
    do throws(FieldError) {
      return try ImageEmbedding(json: json)
    } catch {
      let name = error.field.map { "embedding.\($0)" } ?? "embedding"
      throw Problem(.invalidField, "'\(name)' \(error.reason)", field: name)
    }
  }

  private static func region(_ fields: inout RequestFields) throws(Problem) -> PictureRegion? {
    guard let numbers = try fields.numbers("region") else { return nil }
    guard let region = PictureRegion(numbers: numbers) else {
      throw fields.problem(
        "region", "left, top, width and height: shares such as 0.25,0.25,0.5,0.5, or pixels")
    }
    return region
  }

  /// The largest number of characters of a condition.
  private static let conditionLimit = EntityComparator.textLimit
  /// The largest number of UTF-8 bytes of `labels`, `withLabel` and `where` together, all of which a
  /// continuation holds.
  private static let wordByteLimit = 16_384

  /// Reads `withLabel` and `where`.
  static func filter(
    _ fields: inout RequestFields, besides labels: [String] = []
  ) throws(Problem) -> EntityFilter {
    let wanted =
      try fields.words(
        "withLabel", limit: EntityFilter.labelLimit, length: SemanticContent.labelLength) ?? []
    let conditions =
      try fields.texts(
        "where", limit: EntityFilter.comparatorLimit, length: conditionLimit) ?? []
    let byteCount = (labels + wanted + conditions).reduce(0) { $0 + $1.utf8.count }
    guard byteCount <= wordByteLimit else {
      throw fields.excess(
        nil,
        "'labels', 'withLabel' and 'where' have \(byteCount) bytes; the limit is \(wordByteLimit)",
        limit: wordByteLimit)
    }
    var comparators: [EntityComparator] = []
    for text in conditions {
      guard let comparator = EntityComparator(text) else {
        throw fields.problem(
          "where", "a property, one of = != < <= > >= ~ ^= $=, and a value, such as price<20")
      }
      comparators.append(comparator)
    }
    return EntityFilter(labels: wanted, comparators: comparators)
  }

  private static func options(
    _ fields: inout RequestFields, limit: Int?, labels: [String]
  ) throws(Problem) -> MatchOptions {
    let perType = 0...MatchOptions.maximumLimit
    let products = try fields.integer("products", in: perType)
    let stores = try fields.integer("stores", in: perType)
    let standard = MatchOptions.defaultTypeLimits
    var options = MatchOptions(
      limit: limit ?? MatchOptions.defaultLimit,
      typeLimits: [
        .product: products ?? standard[.product]!, .store: stores ?? standard[.store]!,
      ],
      minimumConfidence: try fields.number("minConfidence", in: 0...1))
    if limit != nil || products != nil { options.pageLimit = 0 }
    if let type: EntityType = try fields.choice("type") { options.types = [type] }
    let filter = try filter(&fields, besides: labels)
    for type in EntityType.allCases { options.filters[type] = filter }
    options.near = try near(&fields)
    options.isGrouped = try fields.flag("group") ?? false
    options.subject = try fields.choice("subject") ?? .anything
    options.answers = try fields.choice("answers") ?? .all
    options.usesFeedback = try fields.flag("feedback") ?? true
    options.date = try fields.instant("at")
    options.locale = try LanguageRange.locale(&fields)
    return options
  }

  /// `latitude,longitude` in a query, an object of both in JSON.
  private static func near(_ fields: inout RequestFields) throws(Problem) -> GeoPoint? {
    guard let value = try fields.value("near") else { return nil }
    let accepted = fields.problem("near", "a latitude and a longitude such as 53.54,9.99")
    if case .string(let text) = value {
      guard text.utf8.count <= 100, let point = GeoPoint(text: text) else { throw accepted }
      return point
    }
    var parts = try RequestFields(value, field: "near")
    let latitude = try parts.number("latitude", in: -90...90)
    let longitude = try parts.number("longitude", in: -180...180)
    try parts.finish()
    guard let latitude, let longitude else { throw accepted }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }
}
