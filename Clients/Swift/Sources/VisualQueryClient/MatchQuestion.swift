public import Foundation

/// The image of a question.
public enum QueryImage: Sendable, Hashable {
  /// An image file, in one of the formats of ``ServiceLimits/pictureTypes``.
  case file(Data)
  /// Pixels, which are scaled down and sent as a PNG file.
  case pixels(PixelImage)
  /// The signature of an image that stays on the device (`vq hash --keypoints`, or `--query` for the compact one).
  case signature(String)
}

/// The embedding of an image: the features that a model on the device computed for it.
///
/// It counts if the shop's catalogue has embeddings of the same model.
public struct ImageEmbedding: Codable, Sendable, Hashable {
  /// The name of the model, as in the shop's feed.
  public let model: String
  /// The numbers in half precision, little-endian, in base64.
  public let vector: String

  /// Makes an embedding of a model's output, 2 to 4096 finite numbers that are not all zero.
  ///
  /// Only the direction of the vector counts, so it is scaled to the range of half precision.
  public init(model: String, vector: [Float]) {
    self.model = model
    let peak = vector.reduce(0) { max($0, $1.magnitude) }
    var bytes = Data(capacity: 2 * vector.count)
    for number in vector {
      let half = Self.half(of: peak > 0 ? number / peak : 0)
      bytes.append(UInt8(half & 255))
      bytes.append(UInt8(half >> 8))
    }
    self.vector = bytes.base64EncodedString()
  }

  /// Returns the half-precision pattern nearest to a number in -1...1. (`Float16` is missing on some platforms.)
  static func half(of number: Float) -> UInt16 {
    let sign: UInt16 = number.sign == .minus ? 0x8000 : 0
    let size = number.magnitude
    guard size.isFinite else { return sign | (size.isNaN ? 0x7E00 : 0x7C00) }
    // Numbers below 2^-14 are stored as multiples of 2^-24.
    let exponent = max(-14, size == 0 ? -14 : Int(size.exponent))
    let steps = (size * Float(sign: .plus, exponent: 10 - exponent, significand: 1))
      .rounded(.toNearestOrEven)
    // If rounding reaches the next power of two, the addition carries into the exponent.
    return sign | (UInt16(exponent + 14) << 10 + UInt16(steps))
  }
}

/// A line of text that was read on the device.
public struct QuestionText: Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The text.
  public var text: String
  /// Its place in the image, or `nil` if it is not known. Words in large letters count more.
  public var box: ImageRegion?

  /// Makes a line.
  public init(_ text: String, box: ImageRegion? = nil) { (self.text, self.box) = (text, box) }

  /// Makes a line whose place is not known.
  public init(stringLiteral text: String) { self.init(text) }

  /// The line within the limits of the service: a box that reaches beyond the image is cut off.
  func bounded(length: Int) -> QuestionText {
    let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(length)))
    guard let box else { return QuestionText(text) }
    func share(_ number: Double) -> Double { number.isFinite ? min(1, max(0, number)) : 0 }
    let (left, top) = (share(box.left), share(box.top))
    return QuestionText(
      text,
      box: ImageRegion(
        left: left, top: top, width: max(0, share(box.left + box.width) - left),
        height: max(0, share(box.top + box.height) - top)))
  }
}

/// A question: what of the shop's catalogue is meant.
public struct MatchQuestion: Sendable, Hashable {
  /// The image, if there is one.
  public var image: QueryImage?
  /// Words for what is visible. Those of Visual Intelligence are English.
  public var labels: [String]
  /// The product codes that were read on the device, at most 16: a product that has one comes first.
  public var codes: [String]
  /// The lines of text that were read on the device: their words are looked for in titles, brands and the text of the catalogue's images.
  public var texts: [QuestionText]
  /// Words that the person adds to the image: "this, but in green". Among the variants of what the image shows, those come first that have
  /// the words. It is cut off after 200 Unicode scalars.
  public var text: String?
  /// The part of the image to search; `nil` for all of it. Not with a signature.
  public var region: ImageRegion?
  /// The least confidence of a match, `0...1`; `nil` for the service's own.
  public var minConfidence: Double?
  /// The time at which stores are open or not; `nil` for now.
  public var at: Date?
  /// The beginning of the values of ``facets``.
  public var facetPrefix: String?
  /// The most values of a facet.
  public var facetLimit: Int?
  /// The page of the app that asks, which some rules of the shop are for.
  public var appPage: String?
  /// A text that stands for the caller, such as a random number that the app keeps, by which the shop compares two settings. The service
  /// does not keep it.
  public var caller: String?
  /// False for an answer without the effects of what people said about this question.
  public var usesFeedback: Bool
  /// The embedding of the image, or `nil` if no model was run.
  public var embedding: ImageEmbedding?
  /// The most matches in all; `nil` for the service's own.
  public var limit: Int?
  /// The most products.
  public var products: Int?
  /// The most stores.
  public var stores: Int?
  /// The only type to search.
  public var type: EntityType?
  /// The labels of which entities must have one.
  public var withLabels: [String]
  /// The conditions that entities must meet, such as `price<20`.
  public var conditions: [String]
  /// The location of the person, for the distances of stores.
  public var near: GeoPoint?
  /// The most meters of a store from ``near``; `nil` for any.
  public var radius: Double?
  /// True if an answer has one match for each group of variants, not only for those with the same image.
  public var isGrouped: Bool
  /// The properties whose values are counted among all matches.
  public var facets: [String]
  /// The things that the image may show.
  public var subject: Subject
  /// The parts of the answer.
  public var answers: Answers
  /// True if the answer lists things of the same kind (``MatchAnswer/similar``) even if something is sure.
  public var showsSimilar: Bool
  /// True if an image file whose end is missing is searched with the part that is there. The answer then has
  /// ``MatchAnswer/damage``. Otherwise, the service rejects it with the code `truncated`.
  public var acceptsTruncated: Bool

  /// The things that an image may show, which decide how likely a likeness is the right one.
  public enum Subject: String, Sendable, Hashable, Codable {
    /// Anything, often nothing of the shop, with labels that may be wrong.
    case anything
    /// A thing of the shop, with labels that are right: photos taken in the shop, or of things that come back.
    case catalogued
  }

  /// The parts of an answer that are asked for.
  public enum Answers: String, Sendable, Hashable, Codable {
    /// The sure matches and, if there are none, ``MatchAnswer/possible``, from which a person chooses.
    case all
    /// Only what is sure, for a program that acts without a person.
    case sure
  }

  /// Makes a question.
  public init(
    image: QueryImage? = nil, labels: [String] = [], codes: [String] = [],
    texts: [QuestionText] = [], embedding: ImageEmbedding? = nil, limit: Int? = nil,
    products: Int? = nil, stores: Int? = nil, type: EntityType? = nil, withLabels: [String] = [],
    conditions: [String] = [], near: GeoPoint? = nil, radius: Double? = nil,
    isGrouped: Bool = false,
    facets: [String] = [], facetPrefix: String? = nil, facetLimit: Int? = nil,
    subject: Subject = .anything, answers: Answers = .all, acceptsTruncated: Bool = false,
    region: ImageRegion? = nil, minConfidence: Double? = nil, at: Date? = nil,
    usesFeedback: Bool = true, showsSimilar: Bool = false, appPage: String? = nil,
    caller: String? = nil, text: String? = nil
  ) {
    self.text = text
    self.showsSimilar = showsSimilar
    self.image = image
    self.labels = labels
    self.codes = codes
    self.embedding = embedding
    self.limit = limit
    self.products = products
    self.stores = stores
    self.type = type
    self.withLabels = withLabels
    self.conditions = conditions
    self.near = near
    self.radius = radius
    self.isGrouped = isGrouped
    self.facets = facets
    self.subject = subject
    self.answers = answers
    self.acceptsTruncated = acceptsTruncated
    self.texts = texts
    self.facetPrefix = facetPrefix
    self.facetLimit = facetLimit
    self.region = region
    self.minConfidence = minConfidence
    self.at = at
    self.usesFeedback = usesFeedback
    self.appPage = appPage
    self.caller = caller
  }
}

extension MatchQuestion {
  /// The most labels, and Unicode scalars of one, that the service accepts.
  static let labelLimits = (count: 64, length: 100)
  /// The most lines of text, and Unicode scalars of one, that the service accepts.
  static let textLimits = (count: 64, length: 200)

  /// The fields of `POST /v1/match` without the image.
  struct Fields: Encodable {
    var labels: [String]?
    var codes: [String]?
    var signature: String?
    var embedding: ImageEmbedding?
    var limit: Int?
    var products: Int?
    var stores: Int?
    var type: EntityType?
    var withLabel: [String]?
    var `where`: [String]?
    var near: GeoPoint?
    var radius: Double?
    var group: Bool?
    var facets: [String]?
    var subject: Subject?
    var answers: Answers?
    var similar: Bool?
    var tolerant: Bool?
    var texts: [QuestionText]?
    var text: String?
    var facetPrefix: String?
    var facetLimit: Int?
    var region: ImageRegion?
    var minConfidence: Double?
    var at: String?
    var feedback: Bool?
    var appPage: String?
    var caller: String?
    var deadlineMs: Int?
  }

  /// Returns the fields; labels and texts beyond the service's limits are left out, since the system and the image choose them.
  func fields(searchTime: Duration?) -> Fields {
    func list<Word>(_ words: [Word]) -> [Word]? { words.isEmpty ? nil : words }
    func bounded(_ words: [String], _ limits: (count: Int, length: Int)) -> [String] {
      words.prefix(limits.count).map {
        String(String.UnicodeScalarView($0.unicodeScalars.prefix(limits.length)))
      }
    }
    var signature: String?
    if case .signature(let text) = image { signature = text }
    return Fields(
      labels: list(bounded(labels, Self.labelLimits)), codes: list(codes), signature: signature,
      embedding: embedding,
      limit: limit,
      products: products, stores: stores, type: type, withLabel: list(withLabels),
      where: list(conditions), near: near, radius: radius, group: isGrouped ? true : nil,
      facets: list(facets),
      subject: subject == .anything ? nil : subject, answers: answers == .all ? nil : answers,
      similar: showsSimilar ? true : nil, tolerant: acceptsTruncated ? true : nil,
      texts: list(
        texts.filter { !$0.text.isEmpty }.prefix(Self.textLimits.count)
          .map { $0.bounded(length: Self.textLimits.length) }),
      text: text.flatMap { bounded([$0], (1, Self.textLimits.length)).first { !$0.isEmpty } },
      facetPrefix: facetPrefix, facetLimit: facetLimit, region: region,
      minConfidence: minConfidence, at: at.map { $0.formatted(.iso8601) },
      feedback: usesFeedback ? nil : false, appPage: appPage, caller: caller,
      deadlineMs: searchTime.map { max(1, Int($0 / .milliseconds(1))) })
  }
}
