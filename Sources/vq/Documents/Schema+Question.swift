import VisualQuery

/// Patterns of texts.
enum Pattern {
  static let line = #"^[^\u0000-\u001f\u007f]*$"#
  static let filledLine = #"^[^\u0000-\u001f\u007f]+$"#
  /// Words in a list between commas. Spaces around them do not count, and empty ones are left out.
  static let wordInList = #"^[^,\u0000-\u001f\u007f]*$"#
  static let condition =
    #"^[A-Za-z0-9_.: -]{1,64}(=|!=|<|<=|>|>=|~|\^=|\$=)[^\u0000-\u001f\u007f]*$"#
  static let token = "^[A-Za-z0-9_-]+$"
  static let tokenOrNothing = "^[A-Za-z0-9_-]*$"
}

/// The fields of a question for clients. The table of fields (`Question.fields`) has their kinds, limits and
/// defaults; this adds the descriptions.
extension Schema {
  struct Words: Sendable {
    /// The description in JSON and forms.
    let text: String
    /// The description in a query, if it differs.
    let inQuery: String?
    /// The description beside `continuation`, if it differs.
    let onFurtherPages: String?
    let pattern: String?
    let patternInQuery: String?
    /// Examples as JSON.
    let examples: String?
    let examplesInQuery: String?
    /// An object that an item of a list in JSON may be instead of a text.
    let objectItems: Definition?

    init(
      _ text: String, inQuery: String? = nil, onFurtherPages: String? = nil, pattern: String? = nil,
      patternInQuery: String? = nil, examples: String? = nil, examplesInQuery: String? = nil,
      objectItems: Definition? = nil
    ) {
      (self.text, self.inQuery, self.onFurtherPages) = (text, inQuery, onFurtherPages)
      (self.pattern, self.patternInQuery) = (pattern, patternInQuery ?? pattern)
      (self.examples, self.examplesInQuery) = (examples, examplesInQuery)
      self.objectItems = objectItems
    }

    /// Returns the description of a field. The default is said in words, because clients that generators make send each `default`: also
    /// where it means something else than the absent field, or is rejected beside others.
    func text(
      for field: any AnyQuestionField, in door: Question.Door,
      onFurtherPages isFurtherPage: Bool = false
    ) -> String {
      let text = (isFurtherPage ? onFurtherPages : nil) ?? (door == .query ? inQuery : nil) ?? text
      // A page keeps the limit of its search.
      guard let standard = field.standard,
        !(isFurtherPage && field.name == Question.limit.name)
      else { return text }
      return text + " " + Self.byDefault(standard)
    }

    /// The sentence for a default.
    static func byDefault(_ standard: JSONValue) -> String {
      let value =
        if case .string(let text) = standard { text } else {
          String(decoding: JSONBody.encoded(standard), as: UTF8.self)
        }
      return "`\(value)` by default."
    }
  }

  /// The words for each field, by its name.
  private static let words: [String: Words] = [
    "labels": Words(
      "Words for what is seen. They are hints, not filters.",
      inQuery:
        "Words for what is seen, between commas. They are hints, not filters. The parameter may be repeated.",
      pattern: Pattern.line, patternInQuery: Pattern.wordInList, examplesInQuery: #"[["box"]]"#),
    "limit": Words(
      """
      At most this many matches in all. If neither this nor `products` is given, a page of several things has up to 12.
      """, onFurtherPages: "At most this many matches on this page."),
    "products": Words("At most this many products."),
    "stores": Words("At most this many stores."),
    "minConfidence": Words(
      "Leave out matches that are less sure than this. Without it, the server uses its own calibrated value."
    ),
    "tolerant": Words(
      """
      Search with the part of a truncated image that is there, as `--tolerant` on the command line; the answer then has `damage`. \
      Without it, an image whose end is missing is rejected with 422 `truncated`.
      """),
    "subject": Words(
      """
      What the image may show. `anything`: often nothing of the shop, and labels may be wrong. `catalogued`: a thing of the catalogue, \
      and labels are right, as in the shop's own photos; the same likeness then has a higher confidence.
      """),
    "answers": Words(
      """
      What is asked for. `all`: what is sure and, if nothing is, what the image may show (`possible`), from which a person chooses. \
      `sure`: without that list, for programs that act without a person. The search then ends as soon as nothing can change what is \
      sure, and `evidence` lacks what was not measured.
      """),
    "similar": Words(
      """
      List things of the same kind (`similar`) even if something is sure. Without it, they are listed if nothing is sure and the service \
      has a model that encodes images.
      """),
    "deadlineMs": Words(
      """
      Answer within this many milliseconds of the request's arrival, decoding included. An image that is not decoded by then is left \
      out, and the answer is that of the labels, with `complete: false`. The server may cap it, see `/v1/limits`.
      """),
    "group": Words(
      """
      Answer with one match for each `group` of variants, such as the colors of a shirt: the best one, with the others in its \
      `variants`. The limits count groups. Without it, only variants with the same image are one match, such as sizes.
      """),
    "type": Words("Only entities of this type."),
    "where": Words(
      """
      Conditions on properties. All must hold. `labels=mug` accepts any case and number of the label, and labels that end with it, as \
      `withLabel` does. A property that no entity has is an error.
      """,
      inQuery: """
        A condition on a standard property, or on one that the shop made public: a name, one of `= != < <= > >= ~ ^= $=`, and a value. The \
        parameter may be repeated; all must hold. `labels=mug` accepts any case and number of the label, and labels that end with it, as \
        `withLabel` does. A property that no entity has, and a text for `price`, `latitude` or `longitude`, is an error.
        """,
      onFurtherPages: """
        Further conditions on properties, besides those of the first page. The list begins anew with those matches of the search that meet \
        them, and further pages keep them. With `refresh`, the search is made again among all entities that do.
        """, pattern: Pattern.condition, examples: #"[["price<20"]]"#),
    "withLabel": Words(
      "Only entities that have one of these labels.",
      inQuery: "Only entities that have one of these labels, between commas.",
      pattern: Pattern.line, patternInQuery: Pattern.wordInList),
    "near": Words(
      "The place of the person, as latitude,longitude. Nearer stores come first.",
      patternInQuery:
        #"^-?(90(\.0{1,9})?|([1-8][0-9]|[0-9])(\.[0-9]{1,9})?),-?(180(\.0{1,9})?|(1[0-7][0-9]|[1-9][0-9]|[0-9])(\.[0-9]{1,9})?)$"#,
      examplesInQuery: #"["50.94,6.96"]"#),
    "radius": Words(
      "Only stores within this many meters of `near`. Those whose place is not known are left out.",
      examples: "[20000]"),
    "at": Words(
      "Tell whether stores are open at this time.", examplesInQuery: #"["2026-05-04T10:30:00Z"]"#),
    "locale": Words("The language of the texts. It wins over `Accept-Language`."),
    "appPage": Words(
      "The page of the app that asks. The shop's rules may be for some pages only.",
      pattern: Pattern.line),
    "caller": Words(
      """
      A text that stands for the caller, such as a random number that the app keeps. Its hash decides the side of an experiment; the \
      text itself is not kept.
      """, pattern: Pattern.line),
    "feedback": Words(
      "True if what people said about answers counts (`POST /v1/feedback`). An evaluation leaves it out."
    ),
    "signature": Words(
      """
      The signature of an image that stays on the device, in base64url: the whole one with keypoints, which gives nearly the answers of the \
      image, or the compact one of one to two kilobytes.
      """, pattern: Pattern.token),
    "text": Words(
      """
      What a person says beside the image: "this, but in green". Its words are read against the values of the catalogue, in several \
      languages for colors: among the variants of what the image shows, those come first that have them. Beside an image, a \
      signature, labels or codes; alone if the service has a model that encodes words, whose vectors then find images, too.
      """, pattern: Pattern.line, examples: #"["this, but in green"]"#),
    "texts": Words(
      """
      Lines of text that were read on the device, each a text, or an object with its place in the image: words in large letters count \
      more. They are compared with titles, brands and the text of the catalogue's images, in any language; a misread letter costs \
      little.
      """,
      inQuery: """
        A line of text that was read on the device, at most 64 of them. Its words are compared with titles, brands and the text of the \
        catalogue's images, in any language; a misread letter costs little.
        """,
      examples:
        #"[["HONEY OATS", "500 g"], [{"text": "HONEY OATS", "box": [0.2, 0.1, 0.6, 0.15]}, "500 g"]]"#,
      examplesInQuery: #"[["HONEY OATS", "500 g"]]"#, objectItems: .questionText),
    "codes": Words(
      """
      Product codes that were read on the device: GTIN, that is EAN, UPC or ISBN-13. A product that has one comes first; a code with a \
      wrong check digit changes nothing, and is named in `unmatchedCodes`. Products have them in a field such as `gtin`, `ean`, `upc`, \
      `isbn` or `barcode`.
      """, pattern: Pattern.line,
      patternInQuery: Pattern.wordInList, examples: #"[["4006381333931"]]"#),
    "embedding": Words(
      """
      What a model on the device says that the image, or its `region`, shows. It counts beside an image or a signature, if enough images \
      of the catalogue have embeddings of the same model.
      """),
    "facets": Words(
      """
      Count the values of these properties among all entities that the search found, on whatever page: `brand`, `availability`, \
      `labels`, `group`, `currency`, `price`, `type`, `timeZone`, and what the shop made public.
      """, pattern: "^[A-Za-z0-9_.: -]{1,64}$", patternInQuery: "^[A-Za-z0-9_.: -]{0,64}$",
      examples: #"[["brand", "labels"]]"#),
    "facetPrefix": Words(
      "Only values that begin with this text, without regard to case and accents. Without `facets`, it has no effect.",
      pattern: Pattern.line),
    "facetLimit": Words(
      "At most this many values of each property. Without `facets`, it has no effect."),
    "region": Words(
      "The part of the image to look at, as left,top,width,height: shares if no number is above 1, else pixels.",
      patternInQuery:
        #"^(0|[1-9][0-9]{0,5})(\.[0-9]{1,9})?,(0|[1-9][0-9]{0,5})(\.[0-9]{1,9})?,(0\.[0-9]{0,8}[1-9]|[1-9][0-9]{0,5}(\.[0-9]{1,9})?),(0\.[0-9]{0,8}[1-9]|[1-9][0-9]{0,5}(\.[0-9]{1,9})?)$"#,
      examplesInQuery: #"["0.1,0,0.7,1"]"#),
    "continuation": Words("The `continuation` of an earlier answer.", pattern: Pattern.token),
    "fromStart": Words("Begin again with the first match."),
    "refresh": Words(
      """
      Search again in the newest generation of the index, with the signature of the image, and leave out what was shown. Without it, the \
      pages are those of the first search, without the entities that were removed meanwhile.
      """),
  ]

  /// Returns the schema of a field as it stands in a query, a form or JSON.
  ///
  /// - Parameter onFurtherPages: True beside `continuation`, where a page keeps the limit of its search.
  fileprivate static func field(
    _ field: any AnyQuestionField, in door: Question.Door, onFurtherPages: Bool = false
  ) -> Schema {
    let words = words(for: field)
    let isInQuery = door == .query
    let text = words.text(for: field, in: door, onFurtherPages: onFurtherPages)
    var schema = value(
      field.shape, isInQuery: isInQuery, isInQuery ? nil : text,
      isInQuery ? words.patternInQuery : words.pattern)
    if let objects = words.objectItems, !isInQuery, case .texts(_, let length) = field.shape {
      schema = schema.with(
        "items",
        schema: .any(of: [.string(), .reference(objects)]).with("maxLength", "\(length)"))
    }
    if let examples = isInQuery ? words.examplesInQuery ?? words.examples : words.examples {
      schema = schema.with("examples", examples)
    }
    return isInQuery || field.name == Question.continuation.name ? schema : schema.orNull
  }

  fileprivate static func words(for field: any AnyQuestionField) -> Words {
    guard let words = words[field.name] else {
      preconditionFailure("the field '\(field.name)' has no description")
    }
    return words
  }

  private static func value(
    _ shape: QuestionShape, isInQuery: Bool, _ text: String?, _ pattern: String?
  ) -> Schema {
    switch shape {
    case .integer(let range): .integer(text, min: range.lowerBound, max: range.upperBound)
    case .number(let range): .number(text, min: range.lowerBound, max: range.upperBound)
    case .flag: .boolean(text)
    case .text(let length):
      .string(text, min: pattern == Pattern.token ? 1 : nil, max: length, pattern: pattern)
    case .words(let count, let length):
      .array(
        text, of: .string(max: length, pattern: pattern), min: isInQuery ? 1 : nil, max: count)
    case .texts(let count, let length):
      .array(text, of: .string(max: length, pattern: pattern), max: count)
    case .choice(let words) where words == EntityType.allCases.map(\.rawValue):
      .reference(.entityType)
    case .choice(let words): .choice(text, among: words)
    case .region:
      isInQuery ? .string(text, max: 80, pattern: pattern) : .reference(.region)
    case .location:
      isInQuery ? .string(text, max: 40, pattern: pattern) : .reference(.geoPoint)
    case .instant: .string(text, format: "date-time")
    case .language: .reference(.locale)
    case .embedding: .reference(.embedding)
    }
  }
}

extension Definition {
  static let matchDetails = Definition(
    "MatchDetails",
    .object(
      """
      What to look for, beside the image. `labels`, `texts`, `withLabel` and `where` have at most 16384 bytes in UTF-8 together.
      """, Question.fields(in: .form).map { .optional($0.name, .field($0, in: .form)) }))

  static let matchQuestion = Definition(
    "MatchQuestion",
    .object(
      "A search by `labels`, by `codes`, by a `signature`, by `texts` or by `text`, or by several of them; one at least is needed.",
      Question.fields(in: .json).map { .optional($0.name, .field($0, in: .json)) }
    ))

  static let matchContinuation = Definition(
    "MatchContinuation",
    .object(
      "The next page of an earlier search. Its filters stay.",
      Question.fields([.page, .narrowing, .continuation], in: .json).map {
        let schema = Schema.field($0, in: .json, onFurtherPages: true)
        return $0.name == Question.continuation.name
          ? .required($0.name, schema) : .optional($0.name, schema)
      }))
}

extension Operation.Parameter {
  /// The fields of a question in a query, without its language.
  static let questions = Question.fields(in: .query).filter { $0.name != Question.locale.name }
    .map(question)

  /// A field of a question.
  static func question(_ field: any AnyQuestionField) -> Operation.Parameter {
    let words = Schema.words(for: field)
    let (text, schema) = (words.text(for: field, in: .query), Schema.field(field, in: .query))
    return switch field.shape {
    case .words: .list(field.name, text, schema)
    case .texts: .repeated(field.name, text, schema)
    default: .query(field.name, text, schema)
    }
  }
}
