package import PixelMatch

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The table of the fields of a question: what each takes, where it may stand, what it looks at and asks for, and how a token holds it.
extension Question {
  /// Characters of the longest token.
  package static let tokenLimit = 65_536
  /// Characters of the longest signature, in base64url without padding.
  static let signatureLimit = (4 * QuerySignature.encodedByteLimit + 2) / 3

  private static let everyRequest: Set<Door> = [.query, .form, .json]

  // MARK: What is searched with

  package static let labels = QuestionField(
    "labels", option: "labels",
    .words(count: SemanticContent.labelLimit, length: SemanticContent.labelLength), \.labels,
    .content, looksAt: [.standard, .printed], in: everyRequest, token: [.init("labels", \.labels)])
  package static let codes = QuestionField(
    "codes", .words(count: SemanticContent.codeLimit, length: SemanticContent.codeLength), \.codes,
    .content, looksAt: [.printed], in: everyRequest, token: [.init("codes", \.codes, absent: [])])
  package static let texts = QuestionField(
    "texts", .lines(count: SemanticContent.textLimit, length: SemanticContent.textLength), \.texts,
    .content, looksAt: [.standard, .printed], in: everyRequest,
    token: [.init("texts", \.texts, absent: [])])
  package static let text = QuestionField<String>(
    "text", option: "text", .text(length: SemanticContent.wordsLength), \.text, .content,
    looksAt: [.images, .words], in: everyRequest, token: [.init("text", \.text, absent: "")])
  package static let region = QuestionField<PictureRegion>(
    "region", option: "region", .region, \.region, .content, looksAt: [.images],
    in: [.query, .form])
  package static let signature = QuestionField<QuerySignature>(
    "signature", option: "signature", .signature, \.signature, .content, looksAt: [.images],
    in: [.json])
  package static let embedding = QuestionField<ImageEmbedding>(
    "embedding", option: "embedding", .embedding, \.embedding, .content, looksAt: [.images],
    in: [.form, .json])
  package static let tolerant = QuestionField<Bool>(
    "tolerant", option: "tolerant", .flag, \.isTolerant, .content, looksAt: [.images],
    in: everyRequest,
    standard: .bool(false))

  // MARK: What is found

  package static let limit = QuestionField<Int>(
    "limit", option: "limit", .integer(1...MatchOptions.maximumLimit), \.limit, .page,
    looksAt: [], in: everyRequest, standard: .integer(Int64(MatchOptions.defaultLimit)),
    token: [
      .init("limit", \.options.limit),
      .init("pageLimit", \.options.pageLimit, absent: MatchOptions.defaultPageLimit),
    ]
  ) { limit, options in
    options.limit = limit
    options.pageLimit = 0
  }
  package static let products = QuestionField<Int>(
    "products", option: "products", .integer(0...MatchOptions.maximumLimit), \.products, .filter,
    looksAt: [], in: everyRequest,
    standard: MatchOptions.defaultTypeLimits[.product].map { .integer(Int64($0)) },
    token: [.init("products", optional: \.options.typeLimits[.product])]
  ) { limit, options in
    options.typeLimits[.product] = limit
    options.pageLimit = 0
  }
  package static let stores = QuestionField<Int>(
    "stores", option: "stores", .integer(0...MatchOptions.maximumLimit), \.stores, .filter,
    looksAt: [], in: everyRequest,
    standard: MatchOptions.defaultTypeLimits[.store].map { .integer(Int64($0)) },
    token: [.init("stores", optional: \.options.typeLimits[.store])]
  ) { limit, options in
    options.typeLimits[.store] = limit
  }
  package static let minimumConfidence = QuestionField<Double>(
    "minConfidence", option: "min-confidence", .number(0...1), \.minimumConfidence, .filter,
    looksAt: [], in: everyRequest,
    token: [.init("minimumConfidence", optional: \.options.minimumConfidence)]
  ) { confidence, options in
    options.minimumConfidence = confidence
  }
  package static let type = QuestionField<EntityType>(
    "type", option: "type", .choice, \.type, .filter, looksAt: [.standard], in: everyRequest,
    token: [.init("types", \.typeList)]
  ) { type, options in
    options.types = [type]
  }
  package static let conditions = QuestionField<[EntityComparator]>(
    "where", option: "where", .conditions(count: EntityFilter.comparatorLimit), \.conditions,
    .narrowing, looksAt: [.named(.filter) { ($0.conditions ?? []).map(\.property) }],
    in: everyRequest, token: filters
  ) { conditions, options in
    for type in EntityType.allCases {
      options.filters[type, default: EntityFilter()].comparators = conditions
    }
  }
  package static let wantedLabels = QuestionField<[String]>(
    "withLabel", option: "with-label",
    .words(count: EntityFilter.labelLimit, length: SemanticContent.labelLength), \.wantedLabels,
    .filter, looksAt: [.standard], in: everyRequest, token: filters
  ) { labels, options in
    for type in EntityType.allCases {
      options.filters[type, default: EntityFilter()].labels = labels
    }
  }
  private static let filters: [ContinuedQuestion.Part] = [
    .init("productFilter", optional: \.options.filters[.product]),
    .init("storeFilter", optional: \.options.filters[.store]),
  ]
  package static let near = QuestionField<GeoPoint>(
    "near", option: "near", .location, \.near, .filter, looksAt: [.standard], in: everyRequest,
    token: [.init("near", optional: \.degrees)]
  ) { place, options in
    options.near = place
  }
  package static let radius = QuestionField<Double>(
    "radius", .number(1...50_000_000), \.radius, .filter, looksAt: [.standard], in: everyRequest,
    token: [.init("radius", optional: \.options.radius)]
  ) { radius, options in
    options.radius = radius
  }
  package static let date = QuestionField<Date>(
    "at", option: "at", .instant, \.date, .filter, looksAt: [.standard], in: everyRequest,
    token: [.init("date", optional: \.seconds)]
  ) { date, options in
    options.date = date
  }
  package static let locale = QuestionField<String>(
    "locale", option: "locale", .language, \.locale, .filter, looksAt: [.standard],
    in: everyRequest,
    token: [.init("locale", optional: \.options.locale)]
  ) { tag, options in
    options.locale = tag
  }
  package static let appPage = QuestionField<String>(
    "appPage", option: "app-page", .text(length: 100), \.appPage, .filter, looksAt: [],
    in: everyRequest,
    token: [.init("appPage", optional: \.options.appPage)]
  ) { page, options in
    options.appPage = page
  }
  /// Its hash decides the side of an experiment (``MatchOptions/arm``), which the server sets.
  package static let caller = QuestionField<String>(
    "caller", .text(length: 100), \.caller, .filter, looksAt: [], in: everyRequest)
  package static let grouped = QuestionField<Bool>(
    "group", option: "group", .flag, \.isGrouped, .filter, looksAt: [.standard], in: everyRequest,
    standard: .bool(false), token: [.init("isGrouped", \.options.isGrouped, absent: false)]
  ) { isGrouped, options in
    options.isGrouped = isGrouped
  }
  package static let subject = QuestionField<QuerySubject>(
    "subject", option: "subject", .choice, \.subject, .filter, looksAt: [], in: everyRequest,
    standard: .string(QuerySubject.anything.rawValue),
    token: [.init("subject", \.options.subject, absent: .anything)]
  ) { subject, options in
    options.subject = subject
  }
  package static let answers = QuestionField<AnswerScope>(
    "answers", option: "answers", .choice, \.answers, .filter, looksAt: [], in: everyRequest,
    standard: .string(AnswerScope.all.rawValue),
    token: [.init("answers", \.options.answers, absent: .all)]
  ) { answers, options in
    options.answers = answers
  }
  package static let similar = QuestionField<Bool>(
    "similar", option: "similar", .flag, \.showsSimilar, .content, looksAt: [.images],
    in: everyRequest,
    standard: .bool(false)
  ) { showsSimilar, options in
    options.showsSimilar = showsSimilar
  }
  package static let feedback = QuestionField<Bool>(
    "feedback", .flag, \.usesFeedback, .filter, looksAt: [], in: everyRequest,
    standard: .bool(true),
    token: [.init("ignoresFeedback", \.ignoresFeedback, absent: false)]
  ) { usesFeedback, options in
    options.usesFeedback = usesFeedback
  }

  // MARK: What one answer has

  package static let deadline = QuestionField<Duration>(
    "deadlineMs", option: "deadline", .milliseconds(upTo: 3_600_000), \.deadline, .page,
    looksAt: [], in: everyRequest,
    standard: .integer(Int64(MatchOptions.defaultTimeout / .milliseconds(1))))
  package static let facets = QuestionField<[String]>(
    "facets", .words(count: FacetQuestion.propertyLimit, length: 64), \.facets, .page,
    looksAt: [.named(.facet) { ($0.facets ?? []).map { EntityProperty($0) } }], in: everyRequest)
  package static let facetPrefix = QuestionField<String>(
    "facetPrefix", .text(length: 100), \.facetPrefix, .page, looksAt: [], in: everyRequest)
  package static let facetLimit = QuestionField<Int>(
    "facetLimit", .integer(1...FacetQuestion.valueLimit), \.facetLimit, .page, looksAt: [],
    in: everyRequest,
    standard: .integer(Int64(FacetQuestion.defaultLimit)))

  // MARK: The continuation of a search

  package static let continuation = QuestionField<String>(
    "continuation", option: "continue", .text(length: tokenLimit), \.continuation, .continuation,
    looksAt: [], in: [.json])
  package static let beginsAgain = QuestionField<Bool>(
    "fromStart", .flag, \.beginsAgain, .continuation, looksAt: [], in: [.json],
    standard: .bool(false))
  package static let refreshes = QuestionField<Bool>(
    "refresh", option: "refresh", .flag, \.refreshes, .continuation, looksAt: [], in: [.json],
    standard: .bool(false))

  /// All fields.
  package static let fields: [any AnyQuestionField] = [
    labels, codes, texts, text, region, signature, embedding, tolerant, limit, products, stores,
    minimumConfidence, type, conditions, wantedLabels, near, radius, date, locale, appPage, caller,
    grouped, subject, answers, similar,
    feedback, deadline, facets, facetPrefix, facetLimit, continuation, beginsAgain, refreshes,
  ]

  /// Returns the fields of some roles that may stand at a place.
  package static func fields(
    _ roles: Set<Role> = [.content, .filter, .narrowing, .page], in door: Door
  ) -> [any AnyQuestionField] {
    fields.filter { roles.contains($0.role) && $0.doors.contains(door) }
  }
}
