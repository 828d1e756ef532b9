import VisualQuery

extension Operation {
  /// The descriptions of all endpoints but those of the page.
  static let all = search + ofEntities + ofShop + ofFeedback + ofChecks + ofFit + ofServer
}

extension Operation.Parameter {
  /// The parameters that several operations have.
  static let shared: [Operation.Parameter] = [
    type, id, number, onlyType, locale, acceptLanguage, ifNoneMatch,
  ]

  static let type = Operation.Parameter(
    name: "type", place: "path", text: "What the entity is.", schema: .reference(.entityType),
    isRequired: true, extras: ["example": #""product""#], sharedName: "Type")
  static let id = Operation.Parameter(
    name: "id", place: "path", text: "The shop's own id.",
    schema: .string(min: 1, max: 256, pattern: Pattern.filledLine), isRequired: true,
    extras: ["example": #""oats""#], sharedName: "Id")
  static let onlyType = Operation.Parameter(
    name: "type", text: "Only entities of this type.", schema: .reference(.entityType),
    sharedName: "OnlyType")
  static let locale = Operation.Parameter(
    name: "locale", text: "The language of the texts. It wins over `Accept-Language`.",
    schema: .reference(.locale), sharedName: "Locale")
  static let acceptLanguage = Operation.Parameter(
    name: "Accept-Language", place: "header",
    text: "The languages of the texts, if `locale` is absent.",
    schema: .string().with("examples", #"["de, en;q=0.5"]"#), sharedName: "AcceptLanguage")
  static let ifNoneMatch = Operation.Parameter(
    name: "If-None-Match", place: "header",
    text: "The `ETag` of an answer that you have. If it still holds, the server gives 304.",
    schema: .string().with("examples", #"["\"4-9f2c1b7e\""]"#), sharedName: "IfNoneMatch")
  static let number = Operation.Parameter(
    name: "number", place: "path", text: "The number of a statement.",
    schema: .integer("A number.", min: 1), isRequired: true, sharedName: "Number")
}
