import PixelMatch
import VisualQuery

/// The operations that ask about the shop as a whole.
extension Operation {
  static let ofShop: [Operation] = [facets, settings, schema, phrases, route]

  private static let facets = Operation(
    "GET /v1/facets", "facets", .entities, "Count the values of properties",
    """
    Gives the values of public properties among the entities that pass the filter, with the number of entities that have each: the \
    choices of filters, and the options of a parameter. A match has `facets` of its own.
    """,
    parameters: [
      .list(
        "facets", "The properties, between commas.",
        .array(of: .string(min: 1, max: 64, pattern: "^[A-Za-z0-9_.:-]{1,64}$"), min: 1, max: 16),
        isRequired: true, ["example": #"["brand", "labels"]"#]),
      .query(
        "facetPrefix",
        "Only values that begin with this text: the options for what a person types.",
        .string(
          "Only values that begin with this text, without regard to case and accents. Without `facets`, it has no effect.",
          min: 1, max: 100, pattern: Pattern.filledLine)),
      .query(
        "facetLimit", "At most this many values of each property.",
        .integer(
          "At most this many values of each property. Without `facets`, it has no effect.", min: 1,
          max: 1000
        ).with("default", "100")), .onlyType, .question(Question.conditions),
      .question(Question.wantedLabels), .locale, .acceptLanguage, .ifNoneMatch,
    ],
    answers: [
      Answer(
        200, "Count the values of properties.", .tagged,
        [
          .json(
            .reference(.facetAnswer),
            [
              .init(
                "shop", "Count the values of properties",
                #"""
                {"generation": 4, "entityCount": 28, "facets": [{"property": "brand", "values": [{"value": "Northlight", "count": 26}],
                "valueCount": 1, "entityCount": 26}]}
                """#)
            ])
        ])
    ], problems: [.unprocessable])

  private static let settings = Operation(
    "GET /v1/settings", "settings", .entities, "Get the shop",
    "Gives the shop as a whole, for an app's unique entity.",
    parameters: [.locale, .acceptLanguage, .ifNoneMatch],
    answers: [
      Answer(
        200, "Get the shop.", .tagged,
        [
          .json(
            .reference(.settings),
            [
              .init(
                "shop", "Get the shop",
                #"""
                {"id": "shop", "generation": 4, "name": "Northlight", "currencies": ["EUR"], "products": 28, "stores": 4, "visualSearch": true,
                "publicFields": [], "languages": ["en", "de", "fr"]}
                """#)
            ])
        ])
    ])

  private static let schema = Operation(
    "GET /v1/schema", "schema", .entities, "Get the names of types and values",
    "Gives the names of types, properties and values in a language.",
    parameters: [.locale, .acceptLanguage, .ifNoneMatch],
    answers: [
      Answer(
        200, "Get the names of types and values.", .tagged,
        [
          .json(
            .reference(.schema),
            [
              .init(
                "shop", "Get the names of types and values",
                #"""
                {"language": "de", "types": {"product": {"name": "Produkt", "plural": "Produkte"}, "store": {"name": "Filiale",
                "plural": "Filialen"}}, "properties": {"price": "Preis"}, "enumerations": {"availability": {"inStock": "Auf Lager"}},
                "publicFields": []}
                """#)
            ])
        ])
    ])

  private static let phrases = Operation(
    "GET /v1/phrases", "phrases", .entities, "Get phrases for App Shortcuts",
    "Gives phrases in a language, with the entities that they name.",
    parameters: [.locale, .acceptLanguage, .ifNoneMatch],
    answers: [
      Answer(
        200, "Get phrases for App Shortcuts.", .tagged,
        [
          .json(
            .reference(.phrases),
            [
              .init(
                "shop", "Get phrases for App Shortcuts",
                #"""
                {"generation": 4, "language": "en", "shortcuts": [{"type": "product", "title": "Open product",
                "phrases": ["Show ${target} in ${applicationName}"], "values": [{"id": "oats", "title": "Honey oats"}]}]}
                """#)
            ])
        ])
    ])

  private static let route = Operation(
    "GET /v1/route", "route", .entities, "Find the entity of a link",
    """
    Gives the entity that a link of the shop opens, for universal links. A query and a fragment that marketing added are ignored. The \
    scheme may be `http`, and the path may end with a slash.
    """,
    parameters: [
      .query(
        "url", "The link.", .string(min: 1, max: 1000, pattern: Pattern.filledLine),
        isRequired: true, ["example": #""https://shop.example/p/oats""#]), .locale, .acceptLanguage,
      .ifNoneMatch,
    ],
    answers: [
      Answer(
        200, "Find the entity of a link.", .tagged,
        [
          .json(
            .reference(.entityAnswer),
            [
              .init(
                "oats", "Honey oats",
                #"""
                {"generation": 4, "entity": {"type": "product", "id": "oats", "url": "https://shop.example/p/oats",
                "display": {"image": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174",
                "subtitle": "500 g, whole grain", "title": "Honey oats"}, "product": {"availability": "inStock", "brand": "Northlight",
                "id": "oats", "images": ["/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174"], "labels": ["cereal", "box",
                "food"], "localized": {"de": {"subtitle": "500 g, Vollkorn", "title": "Honig-Haferflocken"}}, "price": {"amount": "3.60",
                "currency": "EUR"}, "subtitle": "500 g, whole grain", "title": "Honey oats", "type": "product",
                "url": "https://shop.example/p/oats"}}}
                """#)
            ])
        ])
    ], problems: [.unknownEntity])
}
