import PixelMatch
import VisualQuery

/// The operations of a search.
extension Operation {
  static let search: [Operation] = [match, matchImage, query, continueMatch, countEvents]

  /// The answer of all operations that search.
  private static let found: [Answer] = [
    Answer(
      200, "What was found, best first.", .notKeptInLanguage,
      [
        .json(
          .reference(.matchAnswer),
          [
            .init(
              "oats", "Honey oats, and the stores that have them",
              #"""
              {"complete": true,
              "continuation": "AgAAAAAAAAABAAAAAAAAAAAAAADGeyJsYWJlbHMiOlsiYm94Il0sImxpbWl0Ijo4LCJwcm9kdWN0RmlsdGVyIjp7ImNvbXBhcmF0b3JzIjpbXSwibGFiZWxzIjpbXSwibW9kZSI6ImFuZCJ9LCJwcm9kdWN0cyI6NSwic3RvcmVGaWx0ZXIiOnsiY29tcGFyYXRvcnMiOltdLCJsYWJlbHMiOltdLCJtb2RlIjoiYW5kIn0sInN0b3JlcyI6MywidHlwZXMiOlsicHJvZHVjdCIsInN0b3JlIl19AAAFAAAAE56_IYUBAAP_f_gAAAAAAAA_yZmZmZmZmAAAAgA_gAAAPs-ZHwm_yuANv-VYYAAAABF96kujAQAD_3_4AAAAAAAAP8mZmZmZmZgAAAIAP4AAAD7PmR8Jv8rgDb_lWGAAAAASXBSmqQEAA_9_-AAAAAAAAD_JmZmZmZmYAAACAD-AAAA-z5kfCb_K4A2_5VhgAAAAH21FyzMBAQP_f_gAAAAAAAA_yZmZmZmZmAAEb2F0cwEKPkzMzb-xchgAAAAeFlT49AEBA_9_-AAAAAAAAD_JmZmZmZmYAARvYXRzAQo-TMzNv7FyGHxgSbVox3OwMlqKKiTq6XA",
              "coverage": 1, "elapsedMs": 57.275, "emptyReason": null, "generation": 1, "hasMore": false, "nearMiss": null, "possible": [],
              "objects": [{"number": 1, "box": [0.2441, 0.1076, 0.3683, 0.7794]}], "query": "request", "regions": [], "schema": "vq.match/1",
              "unmatchedLabels": [], "values": [{"alignment": {"inliers": 42, "isMirrored": false, "outline": [[0.2628, 0.1133], [0.6046,
              0.1076], [0.607, 0.2391], [0.6117, 0.5], [0.6124, 0.6294], [0.6097, 0.8853], [0.5798, 0.887], [0.524, 0.8753], [0.2858, 0.8159],
              [0.2764, 0.7956], [0.2441, 0.3984], [0.2593, 0.123]], "region": [0.2441, 0.1076, 0.3683, 0.7794], "transform": [1.64222,
              -0.027622, -0.163162, 0.041476, 1.050726, 0.000916, 0.190229, -0.025924, 1]}, "confidence": 0.9851,
              "display": {"image": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174",
              "subtitle": "500 g, whole grain", "title": "Honey oats"}, "evidence": [{"kind": "prior", "value": 1, "weight": -3.117},
              {"kind": "hash", "value": 0, "weight": 0}, {"kind": "color", "value": 0.7993, "weight": 0.9426}, {"kind": "texture",
              "value": 0.8983, "weight": 0}, {"kind": "votes", "value": 81340, "weight": 0.1632}, {"kind": "inliers", "value": 50,
              "weight": 1.1555}, {"kind": "agreement", "value": 0.3401, "weight": 0.5762}, {"kind": "alignedColor", "value": 0.7292,
              "weight": 0.0328}, {"kind": "labels", "value": 1.6424, "weight": 1.5932}, {"kind": "lead", "value": 3, "weight": 2.844}],
              "id": "oats", "matchedImage": "/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174", "object": 1,
              "product": {"availability": "inStock", "brand": "Northlight", "id": "oats",
              "images": ["/v1/entities/product/oats/thumbnail?size=large&image=0&v=cb7c5fa5bd180174"], "labels": ["cereal", "box", "food"],
              "localized": {"de": {"subtitle": "500 g, Vollkorn", "title": "Honig-Haferflocken"}}, "price": {"amount": "3.60",
              "currency": "EUR"}, "subtitle": "500 g, whole grain", "title": "Honey oats", "type": "product",
              "url": "https://shop.example/p/oats"}, "rank": 1, "tier": "near", "type": "product", "url": "https://shop.example/p/oats"},
              {"confidence": 0.9851, "display": {"image": "/v1/entities/store/market/thumbnail?size=large&image=0&v=ddea699c0004ffea",
              "subtitle": "Stall, Saturdays", "title": "Northlight Market"}, "evidence": [{"kind": "stock", "value": 0.9851, "weight": 4.1905}],
              "id": "market", "rank": 2, "stocks": "oats", "store": {"address": "Markt 12, 50667 Cologne, DE", "geo": {"latitude": 50.94,
              "longitude": 6.96}, "id": "market", "images": ["/v1/entities/store/market/thumbnail?size=large&image=0&v=ddea699c0004ffea"],
              "labels": ["store", "market", "stall"], "openingHours": ["Sa 08:00-14:00"], "subtitle": "Stall, Saturdays",
              "timeZone": "Europe/Berlin", "title": "Northlight Market", "type": "store", "url": "https://shop.example/stores/market"},
              "tier": "near", "type": "store", "url": "https://shop.example/stores/market"}, {"confidence": 0.9851,
              "display": {"image": "/v1/entities/store/pavilion/thumbnail?size=large&image=0&v=26c96717ea215d4e",
              "subtitle": "Glass house in the park", "title": "Northlight Pavilion"}, "evidence": [{"kind": "stock", "value": 0.9851,
              "weight": 4.1905}], "id": "pavilion", "rank": 3, "stocks": "oats", "store": {"address": "Parkweg 1, 80539 Munich, DE",
              "geo": {"latitude": 48.15, "longitude": 11.59}, "id": "pavilion",
              "images": ["/v1/entities/store/pavilion/thumbnail?size=large&image=0&v=26c96717ea215d4e"], "labels": ["store", "storefront",
              "building"], "openingHours": ["Mo-Su 09:00-20:00"], "subtitle": "Glass house in the park", "timeZone": "Europe/Berlin",
              "title": "Northlight Pavilion", "type": "store", "url": "https://shop.example/stores/pavilion"}, "tier": "near", "type": "store",
              "url": "https://shop.example/stores/pavilion"}]}
              """#),
            .init(
              "store", "A store near a place",
              #"""
              {"complete": true,
              "continuation": "AgAAAAAAAAABAAAAAAAAAAAAAADGeyJsYWJlbHMiOlsiYm94Il0sImxpbWl0Ijo4LCJwcm9kdWN0RmlsdGVyIjp7ImNvbXBhcmF0b3JzIjpbXSwibGFiZWxzIjpbXSwibW9kZSI6ImFuZCJ9LCJwcm9kdWN0cyI6NSwic3RvcmVGaWx0ZXIiOnsiY29tcGFyYXRvcnMiOltdLCJsYWJlbHMiOltdLCJtb2RlIjoiYW5kIn0sInN0b3JlcyI6MywidHlwZXMiOlsicHJvZHVjdCIsInN0b3JlIl19AAAFAAAAE56_IYUBAAP_f_gAAAAAAAA_yZmZmZmZmAAAAgA_gAAAPs-ZHwm_yuANv-VYYAAAABF96kujAQAD_3_4AAAAAAAAP8mZmZmZmZgAAAIAP4AAAD7PmR8Jv8rgDb_lWGAAAAASXBSmqQEAA_9_-AAAAAAAAD_JmZmZmZmYAAACAD-AAAA-z5kfCb_K4A2_5VhgAAAAH21FyzMBAQP_f_gAAAAAAAA_yZmZmZmZmAAEb2F0cwEKPkzMzb-xchgAAAAeFlT49AEBA_9_-AAAAAAAAD_JmZmZmZmYAARvYXRzAQo-TMzNv7FyGHxgSbVox3OwMlqKKiTq6XA",
              "coverage": 1, "elapsedMs": 12.482, "emptyReason": null, "generation": 1, "hasMore": false, "nearMiss": null, "possible": [],
              "objects": [], "query": "request", "regions": [], "schema": "vq.match/1", "unmatchedLabels": [], "values": [{"confidence": 0.9851,
              "display": {"image": "/v1/entities/store/market/thumbnail?size=large&image=0&v=ddea699c0004ffea", "subtitle": "Stall, Saturdays",
              "title": "Northlight Market"}, "distanceMeters": 1840, "evidence": [{"kind": "stock", "value": 0.9851, "weight": 4.1905}],
              "id": "market", "openNow": false, "rank": 1, "stocks": "oats", "store": {"address": "Markt 12, 50667 Cologne, DE",
              "geo": {"latitude": 50.94, "longitude": 6.96}, "id": "market",
              "images": ["/v1/entities/store/market/thumbnail?size=large&image=0&v=ddea699c0004ffea"], "labels": ["store", "market", "stall"],
              "openingHours": ["Sa 08:00-14:00"], "subtitle": "Stall, Saturdays", "timeZone": "Europe/Berlin", "title": "Northlight Market",
              "type": "store", "url": "https://shop.example/stores/market"}, "tier": "near", "type": "store",
              "url": "https://shop.example/stores/market"}]}
              """#),
            .init(
              "nothing", "Nothing was found",
              #"""
              {"complete": true,
              "continuation": "AgAAAAAAAAABAAAAAAAAAAAAAADGeyJsYWJlbHMiOlsiYm94Il0sImxpbWl0Ijo4LCJwcm9kdWN0RmlsdGVyIjp7ImNvbXBhcmF0b3JzIjpbXSwibGFiZWxzIjpbXSwibW9kZSI6ImFuZCJ9LCJwcm9kdWN0cyI6NSwic3RvcmVGaWx0ZXIiOnsiY29tcGFyYXRvcnMiOltdLCJsYWJlbHMiOltdLCJtb2RlIjoiYW5kIn0sInN0b3JlcyI6MywidHlwZXMiOlsicHJvZHVjdCIsInN0b3JlIl19AAAFAAAAE56_IYUBAAP_f_gAAAAAAAA_yZmZmZmZmAAAAgA_gAAAPs-ZHwm_yuANv-VYYAAAABF96kujAQAD_3_4AAAAAAAAP8mZmZmZmZgAAAIAP4AAAD7PmR8Jv8rgDb_lWGAAAAASXBSmqQEAA_9_-AAAAAAAAD_JmZmZmZmYAAACAD-AAAA-z5kfCb_K4A2_5VhgAAAAH21FyzMBAQP_f_gAAAAAAAA_yZmZmZmZmAAEb2F0cwEKPkzMzb-xchgAAAAeFlT49AEBA_9_-AAAAAAAAD_JmZmZmZmYAARvYXRzAQo-TMzNv7FyGHxgSbVox3OwMlqKKiTq6XA",
              "coverage": 1, "elapsedMs": 0.683, "emptyReason": "noUsableSignal", "generation": 1, "hasMore": false, "nearMiss": null,
              "possible": [], "objects": [], "query": "request", "regions": [], "schema": "vq.match/1", "unmatchedLabels": ["nonsense"],
              "values": []}
              """#),
          ])
      ])
  ]

  private static let match = Operation(
    "POST /v1/match", "match", .match, "Find what an image shows",
    """
    Finds the products and stores that an image, with or without words, stands for. A form may have the details alone, too. The same path \
    accepts the bodies of `POST /v1/match:image`, `/v1/match:query` and `/v1/match:continue`.
    """, parameters: [.acceptLanguage],
    body: Body(
      "A form with an image, and with the details of the search.",
      [
        .other(
          "multipart/form-data", .reference(.matchForm),
          [
            .init(
              "oats", "Details without an image",
              #"{"request": {"labels": ["cereal", "box"], "limit": 3, "locale": "de"}}"#)
          ],
          encoding: ["image": "image/jpeg, image/png, image/webp", "request": "application/json"])
      ]), answers: found, problems: [.gone, .unprocessable])

  private static let matchImage = Operation(
    "POST /v1/match:image", "matchImage", .match, "Find what an image shows that is the body",
    """
    As `POST /v1/match`, for programs that send the bytes of the image as they are and the details in the query. `Content-Type` may also \
    be that of the image, such as `image/jpeg`: the format is known from the bytes.
    """, parameters: Operation.Parameter.questions + [.locale, .acceptLanguage],
    body: Body(
      "The image, in one of the formats in `pictureTypes` of `GET /v1/limits`; JPEG and PNG always are.",
      [
        .other(
          "application/octet-stream", .file(),
          [
            .init(
              "oats", "A photo of the box", nil,
              text: """
                The bytes of the file, as in `curl --data-binary @oats.jpg -H 'Content-Type: application/octet-stream' \
                'http://127.0.0.1:8080/v1/match:image?labels=box'`.
                """)
          ])
      ]), answers: found, problems: [.gone, .unprocessable])

  private static let query = Operation(
    "POST /v1/match:query", "matchQuery", .match, "Search without an image",
    """
    Finds the products and stores that labels, the signature of an image, product codes, words, or several of them stand for.
    """, parameters: [.acceptLanguage],
    body: Body(
      "What to look for.",
      [
        .json(
          .reference(.matchQuestion),
          [
            .init(
              "labels", "Labels",
              #"{"labels": ["cereal", "box"], "type": "product", "where": ["price<20"], "limit": 5}"#
            ),
            .init(
              "stores", "Stores near a place",
              #"""
              {"labels": ["cereal"], "type": "store", "near": {"latitude": 50.94, "longitude": 6.96}, "at": "2026-05-09T10:30:00Z",
              "locale": "de"}
              """#),
            .init(
              "signature", "A signature of a photo",
              #"""
              {"signature": "BwABAgACgAHxf4Lxf4LqgInpgIjqf4Xrf4Lrf4Lqf4Lvf4Lwf4K3haexhaWxhajef4jqf4Lpf4Ltf4Luf4K3haathaSzharef4fnf4Lof4Lqf4Lpf4K2haSkhKKshabdf4ezg5DbgIbbgIO8f4u4hquyhae2hazCgIY7gYasgIPfgIO5f4ifhJpegHqwhaqRgIQxgYOQgIHmgYPjgYPFgpGxhJ2phaWrgIOmgIPQgILpgYPmgYPkgITigYTdgYbhgYPhgIPggIIAAAAAAAKAAWQWi1CS6Xw4uVLjzXg4nCnn1vgWki9n1mmNjTHOzDG5CVtLEQ_eoOzUpFTMpMm2JNlmI5MmO89tuZG8vE1L0hMzvCkFx0P2bWz4SZgtkrZ8MnxSQ8eFyYM8Jydkm2ab7Fzx4URadAq5gQ7-mfFjHHGMzMnGc5FlOew7Fu0Y4XjOZ-l8UJIWozi5rRzNeMfjKecphxaS0JzWaXJyMc4zz7kJQ94Fx7wpbWwHtpgtbUl8MoOtQ8d6NoM82Nhkm5lk7FyktBEPIV_s1FurzKQ2SSTZmdyTJsQ0bbluQ7xNtC3bMw4eRFqL9bmB8QGZ8ZzjcYwzdsZzbpo57MTp7Rgeh0ZmAAAAAAAAAAAAAAAAAAAAAAADBgABAAAAABgwGBcGAAAABhQeHhYEAAAAAAEECgMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgQAAgMAAAARIxErGQUAAAUQESM0VRoAAAAAAxlBGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIEAgAAAAAJOyMHAAAAAAYsI3MyAAAAAAENZC8AAAAAAAAAAAAAAAAAAAAAJDQjO4d8OktaTCIvJUCDfD1KXE0hLitFf3o_S1pRkLCWNwgDOiUMCQABAQEAAAAATkAYBio1HhIAAgMDAAAAABgoIg4PKjckAQQGBgAAAAAPEQ0NCQ8gRwEDBhsAAAAAKAEsANgAIAFkhDecsWNKIG2fkpwRU45lzp7l2RoesW-KnG2T0ixoc7MrVVSpTKoyX41IjMg7dTMz1OrViHbuzFjMWQvVc47SqS6dyeTJ4HU4NTjJRPkgMJs0T4xPtps-3zaHxoeGwibngf8B_OYAZwon4tmdkd9mZn5AgN_cRJkNZvNegNk0h_x7yJyxnLUgbWBtnBGsdWXOYRrZEuPOa4pj0pPQ05dzstFiyeQ2H3U4ysfJRAbfMJvLsIxFSWQ-38k4xoV5PSbn1KpUrbNdMl9yt4zIxIozMyuV1arJEcxaM6YL1Yxx0q1-AAH8Gf9nCtgd2Z1uIGZmgb-A_yO7mQ-ZDF6AJsuH_AAAAAAAAAAAAAAAAAAAAAAAAAEEBwMAAAAABTAzDQEAAAAJPTgjCAAAAAMJDBEHAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAARMgoEAAAAAQ0kNzUDAAAAAQUnKQIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAATCAAAAAAADaIzAwAAAAAJPyYmBQAAAAABFxwEAAAAAAAAAAAAAAAAAAAAAB4wJDyXgTA9T0kiMSY9k30zQlVHJTInQY95OURXRoGglz8EAj4wBQUBAQAAAAAAAGNBDQM5ORAHAgQCAQAAAAAZIxkEFCorDAEFCQMAAAAAFBcSBg4WJxMAAwoFAAAAAA",
              "labels": ["box"], "deadlineMs": 1000, "minConfidence": 0.5}
              """#),
          ])
      ]), answers: found, problems: [.gone, .unprocessable])

  private static let continueMatch = Operation(
    "POST /v1/match:continue", "continueMatch", .match, "Get the next page of a search",
    "Gives further matches of an earlier search, without its image. What it looked for stays.",
    parameters: [.acceptLanguage],
    body: Body(
      "The `continuation` of an answer, and which page is wanted.",
      [
        .json(
          .reference(.matchContinuation),
          [
            .init(
              "continuation", "The next page",
              #"""
              {"continuation": "AgAAAAAAAAABAAAAAAAAAAAAAADGeyJsYWJlbHMiOlsiYm94Il0sImxpbWl0Ijo4LCJwcm9kdWN0RmlsdGVyIjp7ImNvbXBhcmF0b3JzIjpbXSwibGFiZWxzIjpbXSwibW9kZSI6ImFuZCJ9LCJwcm9kdWN0cyI6NSwic3RvcmVGaWx0ZXIiOnsiY29tcGFyYXRvcnMiOltdLCJsYWJlbHMiOltdLCJtb2RlIjoiYW5kIn0sInN0b3JlcyI6MywidHlwZXMiOlsicHJvZHVjdCIsInN0b3JlIl19AAAFAAAAE56_IYUBAAP_f_gAAAAAAAA_yZmZmZmZmAAAAgA_gAAAPs-ZHwm_yuANv-VYYAAAABF96kujAQAD_3_4AAAAAAAAP8mZmZmZmZgAAAIAP4AAAD7PmR8Jv8rgDb_lWGAAAAASXBSmqQEAA_9_-AAAAAAAAD_JmZmZmZmYAAACAD-AAAA-z5kfCb_K4A2_5VhgAAAAH21FyzMBAQP_f_gAAAAAAAA_yZmZmZmZmAAEb2F0cwEKPkzMzb-xchgAAAAeFlT49AEBA_9_-AAAAAAAAD_JmZmZmZmYAARvYXRzAQo-TMzNv7FyGHxgSbVox3OwMlqKKiTq6XA",
              "limit": 8, "fromStart": false}
              """#)
          ])
      ]), answers: found, problems: [.gone, .unprocessable])

  private static let countEvents = Operation(
    "POST /v1/events", "countEvents", .match, "Tell what happened to matches",
    """
    Counts that matches of an answer were shown, opened, added to a basket, or ordered; nothing personal is kept. Each action on an \
    entity of an answer counts once, with the key that asked, and within \(SearchNumbers.eventDays) days. A server that keeps no numbers answers 403.
    """,
    body: Body(
      "The answer and its events.",
      [
        .json(
          .reference(.events),
          [
            .init(
              "opened", "A match was opened",
              #"{"query": "AAEC", "events": [{"id": "0b5c3f7e", "action": "opened", "entity": "product:mug-red"}]}"#
            )
          ])
      ]),
    answers: [
      Answer(
        200, "They are counted.", .notKept,
        [
          .json(
            .reference(.countedEvents),
            [.init("one", "One event", #"{"counted": 1, "known": 0, "unknown": 0}"#)])
        ])
    ], problems: [.gone, .unprocessable])
}
