import PixelMatch
import VisualQuery

/// The operations on entities.
extension Operation {
  static let ofEntities: [Operation] = [
    listEntities, suggestEntities, queryEntities, resolveEntities, getEntity, putEntity,
    putEntityForm, patchEntity, importEntities, deleteEntity, getThumbnail, getNeighbors,
    getHistory, sync,
  ]

  private static let listEntities = Operation(
    "GET /v1/entities", "listEntities", .entities,
    "Get entities by id, find them by text, or list them all",
    """
    Gives the entities of some ids in their order, those whose texts have some words, or all of them page by page; exactly one of \
    `ids`, `q` and `cursor` is needed.
    """,
    parameters: [
      .list(
        "ids",
        """
        Types and ids, between commas, with a colon or a slash between them. Unknown ones are left out. A comma in an id is \
        percent-encoded.
        """,
        .array(
          of: .string(min: 7, max: 264, pattern: #"^(product|store)[:/][^\u0000-\u001f\u007f]+$"#),
          min: 1, max: EntityLookup.maximumLimit),
        ["examples": #"{"two": {"value": ["product:oats", "store:market"]}}"#]
      ),
      .query(
        "q",
        """
        Words to find. The last may be the beginning of a word. Behind entities that have the words come those that have them with one \
        wrong letter in four to six, or two in more.
        """, .string(max: 1000, pattern: Pattern.line)),
      .query(
        "cursor",
        """
        The `cursor` of the page before, or empty for the first page. Each entity that exists throughout is given exactly once, also if \
        the catalogue changes between the pages.
        """, .string(max: 250, pattern: Pattern.tokenOrNothing), ["allowEmptyValue": "true"]),
      .onlyType,
      .query(
        "limit", "At most this many entities: 10 by default, 200 with `cursor`.",
        .integer("A number of entities.", min: 1, max: EntityLookup.maximumLimit)),
      .entityFormat, .locale, .acceptLanguage,
      .ifNoneMatch,
    ],
    answers: [
      Answer(
        200, "The entities.", .tagged,
        [
          .json(
            .any(of: [.reference(.entityList), .reference(.modelList)]),
            [
              .init(
                "oats", "Honey oats and a store",
                #"""
                {"generation": 4, "entities": [{"type": "product", "id": "oats", "url": "https://shop.example/p/oats",
                "display": {"image": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174",
                "subtitle": "500 g, whole grain", "title": "Honey oats"}, "product": {"availability": "inStock", "brand": "Northlight",
                "id": "oats", "images": ["/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174"], "labels": ["cereal", "box",
                "food"], "localized": {"de": {"subtitle": "500 g, Vollkorn", "title": "Honig-Haferflocken"}}, "price": {"amount": "3.60",
                "currency": "EUR"}, "subtitle": "500 g, whole grain", "title": "Honey oats", "type": "product",
                "url": "https://shop.example/p/oats"}}, {"type": "store", "id": "market", "url": "https://shop.example/stores/market",
                "display": {"image": "/v1/entities/store/market/thumbnail?size=large&image=0&v=ddea699c0004ffea", "subtitle": "Stall, Saturdays",
                "title": "Northlight Market"}, "store": {"address": "Markt 12, 50667 Cologne, DE", "geo": {"latitude": 50.94, "longitude": 6.96},
                "id": "market", "images": ["/v1/entities/store/market/thumbnail?size=large&image=0&v=ddea699c0004ffea"], "labels": ["store",
                "market", "stall"], "openingHours": ["Sa 08:00-14:00"], "subtitle": "Stall, Saturdays", "timeZone": "Europe/Berlin",
                "title": "Northlight Market", "type": "store", "url": "https://shop.example/stores/market"}}]}
                """#)
            ])
        ])
    ], problems: [.unprocessable])

  private static let suggestEntities = Operation(
    "GET /v1/entities/suggested", "suggestEntities", .entities, "Get entities to suggest",
    "Gives what to show before anything is asked: featured entities first, then what can be had.",
    parameters: [
      .onlyType,
      .query(
        "limit", "At most this many entities.",
        .integer("A number of entities.", min: 1, max: EntityLookup.maximumLimit).with(
          "default", "10")),
      .entityFormat, .locale, .acceptLanguage,
      .ifNoneMatch,
    ],
    answers: [
      Answer(
        200, "The entities.", .tagged,
        [
          .json(
            .any(of: [.reference(.entityList), .reference(.modelList)]),
            [
              .init(
                "oats", "Honey oats",
                #"""
                {"generation": 4, "entities": [{"type": "product", "id": "oats", "url": "https://shop.example/p/oats",
                "display": {"image": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174",
                "subtitle": "500 g, whole grain", "title": "Honey oats"}, "product": {"availability": "inStock", "brand": "Northlight",
                "id": "oats", "images": ["/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174"], "labels": ["cereal", "box",
                "food"], "localized": {"de": {"subtitle": "500 g, Vollkorn", "title": "Honig-Haferflocken"}}, "price": {"amount": "3.60",
                "currency": "EUR"}, "subtitle": "500 g, whole grain", "title": "Honey oats", "type": "product",
                "url": "https://shop.example/p/oats"}}]}
                """#)
            ])
        ])
    ])

  private static let queryEntities = Operation(
    "POST /v1/entities:query", "queryEntities", .entities, "Find entities by their properties",
    """
    Gives the entities whose properties meet some conditions, in the order that is asked for, or with `cursor` all of them page by \
    page. Properties that the shop did not make public are rejected.
    """, parameters: [.acceptLanguage],
    body: Body(
      "The conditions.",
      [
        .json(
          .reference(.entityQuery),
          [
            .init(
              "cheap", "Products under 20 of one brand",
              #"""
              {"type": "product", "comparators": [{"property": "price", "comparison": "lessThan", "value": 20}, {"property": "brand",
              "comparison": "equalTo", "value": "Northlight"}], "mode": "and", "sortedBy": [{"property": "price", "order": "ascending"}],
              "limit": 10}
              """#),
            .init(
              "between", "Prices between two values",
              #"{"comparators": [{"property": "price", "comparison": "isBetween", "value": 3, "upperValue": 4}]}"#
            ),
            .init(
              "contains", "Titles with a word",
              #"{"comparators": [{"property": "title", "comparison": "contains", "value": "oats"}], "locale": "de"}"#
            ),
            .init(
              "all", "All stores, page by page", #"{"type": "store", "cursor": "", "limit": 200}"#),
          ])
      ]),
    answers: [
      Answer(
        200, "The entities.", .inLanguage,
        [
          .json(
            .reference(.entityList),
            [
              .init(
                "oats", "Honey oats",
                #"""
                {"generation": 4, "entities": [{"type": "product", "id": "oats", "url": "https://shop.example/p/oats",
                "display": {"image": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174",
                "subtitle": "500 g, whole grain", "title": "Honey oats"}, "product": {"availability": "inStock", "brand": "Northlight",
                "id": "oats", "images": ["/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174"], "labels": ["cereal", "box",
                "food"], "localized": {"de": {"subtitle": "500 g, Vollkorn", "title": "Honig-Haferflocken"}}, "price": {"amount": "3.60",
                "currency": "EUR"}, "subtitle": "500 g, whole grain", "title": "Honey oats", "type": "product",
                "url": "https://shop.example/p/oats"}}]}
                """#)
            ])
        ])
    ], problems: [.unprocessable])

  private static let resolveEntities = Operation(
    "POST /v1/entities:resolve", "resolveEntities", .entities, "Get many entities by their ids",
    "Gives the entities of up to 1000 ids in their order, each once, and names the ids that have none.",
    parameters: [.acceptLanguage],
    body: Body(
      "The ids.",
      [
        .json(
          .reference(.entityIds),
          [.init("two", "A product and a store", #"{"ids": ["product/oats", "store/market"]}"#)])
      ]),
    answers: [
      Answer(
        200, "The entities and the ids without one.", .inLanguage,
        [
          .json(
            .reference(.resolvedEntities),
            [
              .init(
                "oats", "Honey oats",
                #"""
                {"generation": 4, "entities": [{"type": "product", "id": "oats", "url": "https://shop.example/p/oats",
                "display": {"image": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174",
                "subtitle": "500 g, whole grain", "title": "Honey oats"}, "product": {"availability": "inStock", "brand": "Northlight",
                "id": "oats", "images": ["/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174"], "labels": ["cereal", "box",
                "food"], "localized": {"de": {"subtitle": "500 g, Vollkorn", "title": "Honig-Haferflocken"}}, "price": {"amount": "3.60",
                "currency": "EUR"}, "subtitle": "500 g, whole grain", "title": "Honey oats", "type": "product",
                "url": "https://shop.example/p/oats"}}], "missing": ["product/none"]}
                """#)
            ])
        ])
    ], problems: [.unprocessable])

  private static let getEntity = Operation(
    "GET /v1/entities/{type}/{id}", "getEntity", .entities, "Get one entity",
    "Gives one product or store by its type and id.",
    parameters: [
      .query(
        "format",
        """
        The form: the whole document, names and strings for a language model, or lines of text. `Accept: text/plain` asks for text, too.
        """, .choice(of: EntityTextForm.self).with("default", #""full""#)), .locale,
      .acceptLanguage, .ifNoneMatch,
    ],
    answers: [
      Answer(
        200, "The entity.", .tagged,
        [
          .json(
            .one(of: [
              .reference(.entityAnswer),
              .reference(.modelEntity),
            ]),
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
            ]),
          .other(
            "text/plain",
            .string(
              "The form `text`: title, subtitle, price or address, description and link, a line each."
            ),
            [
              .init(
                "oats", "Honey oats",
                #""Honey oats\n500 g, whole grain\n3.60 EUR\nhttps://shop.example/p/oats\n""#)
            ]),
        ])
    ], problems: [.unknownEntity])

  /// The answers of a change.
  private static let changed: [Answer] = [
    Answer(
      200, "The entity was changed, or was the same already.", .changed,
      [
        .json(
          .reference(.entityChange),
          [
            .init(
              "mug", "A mug",
              #"{"generation": 5, "type": "product", "id": "mug", "effect": "changed", "images": ["images/mug.jpg"]}"#
            )
          ])
      ]),
    Answer(
      201, "The entity is new.", .changed,
      [
        .json(
          .reference(.entityChange),
          [
            .init(
              "mug", "A mug",
              #"{"generation": 4, "type": "product", "id": "mug", "effect": "added", "images": ["upload:cb7c5fa5bd180174"]}"#
            )
          ])
      ]),
  ]

  private static let putEntity = Operation(
    "PUT /v1/entities/{type}/{id}", "putEntity", .entities, "Put one entity",
    """
    Adds one product or store, or replaces it as a whole; this needs a key that may write. All other entities stay as they are. If a \
    field or an image cannot be used, nothing changes. Empty elements of lists are left out, as in rows of a feed. The answer comes \
    when the change is durable; every request after it sees the change. Changes that come at once are published together. The same path \
    accepts the form of `…/form`.
    """,
    body: Body(
      "The entity, at most 1 MiB.",
      [
        .json(
          .reference(.entityRow),
          [
            .init(
              "mug", "A mug",
              #"""
              {"type": "product", "id": "mug", "title": "Camp mug", "labels": ["mug"], "images": ["images/mug.jpg"],
              "price": {"amount": "14.90", "currency": "EUR"}}
              """#)
          ])
      ]), answers: changed, problems: [.unknownEntity, .unprocessable])

  private static let putEntityForm = Operation(
    "PUT /v1/entities/{type}/{id}/form", "putEntityForm", .entities,
    "Put one entity with its images",
    "As `PUT /v1/entities/{type}/{id}`, with the bytes of images.",
    body: Body(
      "The entity, at most 1 MiB, and its images.",
      [
        .other(
          "multipart/form-data", .reference(.entityForm),
          [
            .init(
              "mug", "A mug with its photo", #"{"entity": {"title": "Camp mug"}}"#,
              text: """
                As in `curl -X PUT -F 'entity={"title":"Camp mug"}' -F photo=@mug.jpg -H 'Authorization: Bearer KEY' \
                http://127.0.0.1:8080/v1/entities/product/mug/form`.
                """)
          ], encoding: ["entity": "application/json"])
      ]), answers: changed, problems: [.unknownEntity, .unprocessable])

  private static let patchEntity = Operation(
    "PATCH /v1/entities/{type}/{id}", "patchEntity", .entities, "Change fields of one entity",
    """
    Changes the fields of one product or store that the body names, and leaves all others as they are (a merge patch, RFC 7396); this needs a \
    key that may write. `null` removes a field, objects such as `price` are merged, and lists are replaced. The images stay unless `images` is \
    named. The result is checked, and the change is published, as with `PUT`. A body of `application/json` is read in the same way.
    """,
    body: Body(
      "The fields to change, at most 1 MiB.",
      [
        .other(
          "application/merge-patch+json", .reference(.entityPatch),
          [
            .init("price", "Another price", #"{"price": {"amount": "12.90", "currency": "EUR"}}"#),
            .init(
              "soldOut", "Sold out, without a subtitle",
              #"{"availability": "outOfStock", "subtitle": null}"#),
          ])
      ]), answers: [changed[0]], problems: [.unknownEntity, .unprocessable])

  private static let importEntities = Operation(
    "POST /v1/entities:import", "importEntities", .entities, "Change many entities",
    """
    Changes an entity for each line of the body, and publishes all changes together; this needs a key that may write. A line is an entity as in \
    a row of a feed, which is put; `{"patch": {…}}` with `type`, `id` and the fields to change; or `{"delete": {"type": …, "id": …}}`. Each line \
    has a result with the status that the change would have had alone: one that cannot be made keeps no other from being made. An entity may be \
    in one line only. With `Idempotency-Key`, the request may be sent again if its answer was lost.
    """,
    parameters: [
      Parameter(
        name: "Idempotency-Key", place: "header",
        text: """
          A text of the client for this request, such as a UUID. The same key with the same body gets the answer of the first request, and \
          nothing is written again; with another body it is rejected. The server keeps the last \(RepeatableRequests.countLimit) answers until \
          it is restarted.
          """,
        schema: .string(min: 1, max: 255, pattern: "^[!-~]+$"))
    ],
    body: Body(
      "At most \(EntityImport.lineLimit) lines and 4 MiB, at most 1 MiB in a line. Blank lines are left out.",
      [
        .other(
          "application/x-ndjson", .string("JSON Lines: an object in each line."),
          [
            .init(
              "prices", "Another price, and a product that is gone",
              #""{\"patch\":{\"type\":\"product\",\"id\":\"mug\",\"price\":{\"amount\":\"12.90\"}}}\n{\"delete\":{\"type\":\"product\",\"id\":\"oats\"}}\n""#
            )
          ])
      ]),
    answers: [
      Answer(
        200, "The result of each line.", .changed,
        [
          .json(
            .reference(.entityImport),
            [
              .init(
                "prices", "One of two changes was made",
                #"""
                {"generation": 5, "succeeded": 1, "failed": 1, "results": [{"line": 1, "status": 200, "type": "product", "id": "mug",
                "effect": "changed", "images": ["images/mug.jpg"]}, {"line": 2, "status": 404, "type": "product", "id": "oats",
                "code": "unknownEntity", "detail": "there is no product of this id", "field": "id"}]}
                """#)
            ])
        ])
    ], problems: [.unprocessable])

  private static let deleteEntity = Operation(
    "DELETE /v1/entities/{type}/{id}", "deleteEntity", .entities, "Delete one entity",
    """
    Takes one product or store out of the catalogue; this needs a key that may write. The next request does not see it any more.
    """, answers: [Answer(204, "The entity is gone.", .removed)], problems: [.unknownEntity])

  private static let getThumbnail = Operation(
    "GET /v1/entities/{type}/{id}/thumbnail", "getThumbnail", .entities,
    "Get a small image of an entity",
    """
    Gives one of the entity's images as a JPEG of at most 160, 480 or 1024 pixels on its longer side: the one that the index keeps, \
    else one made of the image's file, if the server has it. With the right `v`, the answer never changes: caches keep it for a year.
    """,
    parameters: [
      .query(
        "size", "How large the image is.",
        .choice(of: EntityThumbnails.Size.self).with("default", #""small""#)),
      .query(
        "image", "Which of the entity's images; the first has 0.",
        .integer("An index.", min: 0, max: 1000).with("default", "0")),
      .query(
        "background",
        """
        For dark mode: cut a plain, light background out (`transparent`, a PNG file), or replace it by the gray of dark cards (`dark`). An \
        image whose background is not plain, or not clearly apart from the thing, is given as it is, as JPEG.
        """, .choice(of: CardBackground.self)),
      .query(
        "v",
        "The tag of the image's content, from the URLs of `images`. The answer to any other tag is that without one.",
        .string(max: 64, pattern: Pattern.line)), .ifNoneMatch,
    ],
    answers: [
      Answer(
        200, "The image.", .thumbnail,
        [.other("image/jpeg", .file(), []), .other("image/png", .file(), [])])
    ], problems: [.noPicture])

  private static let getNeighbors = Operation(
    "GET /v1/entities/{type}/{id}/neighbors", "getNeighbors", .entities,
    "Get what looks most like an entity",
    """
    Finds the others of its type that look like the first image of the entity: in the order of the vectors of their images if a model has \
    computed them, or the shop has supplied them, and after these what a search with the image finds: the likeliest mistakes. What people \
    said about answers does not count. If the file of the image cannot be read, what the index has of it is searched with. With `relation`, it gives what the shop's feed relates to a product instead, in the order of the feed; entities \
    that the shop does not have are left out.
    """,
    parameters: [
      .query(
        "limit", "At most this many neighbors.",
        .integer("A number of neighbors.", min: 1, max: Matcher.neighborLimit).with(
          "default", "12")),
      .question(Question.conditions), .question(Question.wantedLabels),
      .query(
        "relation",
        """
        What the feed relates to a product, in place of what looks like it: `bought` is what goes with it, from fields such as `crossSell` \
        and `related`; `look` is what completes its look, from fields such as `completeTheLook`.
        """, .choice(of: EntityRelation.self)), .locale, .acceptLanguage,
    ],
    answers: [
      Answer(
        200, "The neighbors, the nearest first; related ones in the order of the feed.",
        .notKeptInLanguage,
        [
          .json(
            .reference(.neighbors),
            [.init("none", "A shop with one product", #"{"generation": 4, "neighbors": []}"#)])
        ])
    ], problems: [.entityOrPicture, .unprocessable])

  private static let getHistory = Operation(
    "GET /v1/entities/{type}/{id}/history", "getHistory", .entities,
    "Get when an entity was added and changed",
    """
    Gives the generation and the time at which an entity was added, and those of its last change, which is its addition if there was \
    none since. A catalogue keeps the times of 128 generations, fewer the older they are: `firstGeneration` is below `generation` if \
    it is not known in which of them it was. Generations of a catalogue that was made by an older version have no times.
    """,
    answers: [
      Answer(
        200, "What is known of its past.", .notKept,
        [
          .json(
            .reference(.history),
            [
              .init(
                "changed", "Added by the first run, and changed by a later one",
                #"""
                {"generation": 12, "added": {"firstGeneration": 1, "generation": 1, "date": "2026-11-01T06:00:00Z"},
                "changed": {"firstGeneration": 8, "generation": 9, "date": "2026-11-20T06:00:00Z"}}
                """#)
            ])
        ])
    ], problems: [.entityOrPicture])

  private static let sync = Operation(
    "GET /v1/sync", "sync", .entities, "Get what has changed",
    """
    Gives the changes since a state; keep the new state, and ask again while `hasMore` is true. A state that is not of this \
    catalogue's history, as after a backup was restored, gets `invalidToken`: begin again without one.
    """,
    parameters: [
      .query(
        "state",
        "The `state` of the last answer. Without it, or if it is empty, all entities are given.",
        .string(max: 250, pattern: Pattern.tokenOrNothing), ["allowEmptyValue": "true"]),
      .query(
        "limit", "At most this many changes.",
        .integer("A number of changes.", min: 1, max: EntityLookup.maximumLimit).with(
          "default", "200")),
      .query(
        "attributes", "True if each entity has its `attributeSet`, for Spotlight's index.",
        .boolean().with("default", "false")), .locale, .acceptLanguage, .ifNoneMatch,
    ],
    answers: [
      Answer(
        200, "The changes.", .tagged,
        [
          .json(
            .reference(.sync),
            [
              .init(
                "oats", "One new product, one that is gone",
                #"""
                {"generation": 4, "state": "N2ZkMjA4YjQ0ZTZhNGM5MQAAAAAAAAAif3xQ1kqv0oJm2Zc8Ya5Bxg", "hasMore": false,
                "upserts": [{"type": "product", "id": "oats", "url": "https://shop.example/p/oats",
                "display": {"image": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174",
                "subtitle": "500 g, whole grain", "title": "Honey oats"}, "product": {"availability": "inStock", "brand": "Northlight",
                "id": "oats", "images": ["/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174"], "labels": ["cereal", "box",
                "food"], "localized": {"de": {"subtitle": "500 g, Vollkorn", "title": "Honig-Haferflocken"}}, "price": {"amount": "3.60",
                "currency": "EUR"}, "subtitle": "500 g, whole grain", "title": "Honey oats", "type": "product",
                "url": "https://shop.example/p/oats"}}], "tombstones": [{"type": "product", "id": "mug-red"}]}
                """#)
            ])
        ])
    ], problems: [.unprocessable])
}

extension Operation.Parameter {
  fileprivate static let entityFormat = query(
    "format",
    "The form of the entities: whole documents, or names and strings for a language model.",
    .choice(among: ["full", "model"]).with("default", #""full""#))
}
