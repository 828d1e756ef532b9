import PixelMatch
import VisualQuery

/// The operations that ask about the server itself.
extension Operation {
  static let ofServer: [Operation] = [
    getCatalogue, getLimits, getLiveness, getReadiness, getMetrics,
    getDescription,
  ]

  private static let getCatalogue = Operation(
    "GET /v1/catalogue", "getCatalogue", .server, "Get the size of the catalogue",
    """
    Gives the numbers of products, stores and images, the lowest confidence that is shown, and whether the server takes feedback.
    """,
    answers: [
      Answer(
        200, "The catalogue.", .notKept,
        [
          .json(
            .reference(.catalogue),
            [
              .init(
                "catalogue", "A small shop",
                #"{"generation": 4, "products": 28, "stores": 4, "images": 34, "minimumConfidence": 0.85, "feedback": true, "lastRun": {"time": "2026-11-28T03:12:00Z", "outcome": "done", "kept": 0}}"#
              )
            ])
        ])
    ])

  private static let getLimits = Operation(
    "GET /v1/limits", "getLimits", .server, "Get the limits",
    "Gives the limits of this server, such as the most bytes of an image.",
    answers: [
      Answer(
        200, "The limits.", .none,
        [
          .json(
            .reference(.limits),
            [
              .init(
                "limits", "The limits of a server",
                #"""
                {"bodyBytes": 10000000, "picturePixels": 100000000, "pictureMemoryBytes": 128000000, "headerBytes": 16384, "targetBytes": 8192,
                "labels": 64, "labelCharacters": 100, "matches": 100, "entities": 1000, "deadlineMs": {"default": 300, "maximum": 2000},
                "pictureTypes": ["image/jpeg", "image/png", "image/webp"], "thumbnailPixels": {"small": 160, "large": 480, "extraLarge": 1024}}
                """#)
            ])
        ])
    ])

  private static let getLiveness = Operation(
    "GET /livez", "getLiveness", .server, "Ask whether the server runs",
    "Gives `ok` while the server runs.",
    answers: [
      Answer(
        200, "The server runs.", .none,
        [.other("text/plain", .string(), [.init("ok", "It runs", #""ok""#)])])
    ])

  private static let getReadiness = Operation(
    "GET /readyz", "getReadiness", .server, "Ask whether the server can answer",
    """
    Gives `ok` while the catalogue can be read and the server is not about to stop. If it answers less well than it should, it is \
    still ready, and each line begins with `degraded` and has a reason, for example that the newest generation of the index is damaged and the former one \
    answers. `Accept: application/json` asks for a document. If the server has keys, only one of the role `operate` is told the reasons. 503 means that nothing can be answered, and names the damaged generation and file. \
    A second line says if the libraries for other formats and codes cannot be run in processes of their own.
    """,
    answers: [
      Answer(
        200, "The server can answer.", .none,
        [
          .other("text/plain", .string(), [.init("ok", "It can answer", #""ok""#)]),
          .json(
            .reference(.readiness),
            [
              .init(
                "degraded", "A shard is damaged",
                #"""
                {"status": "degraded", "generation": 7,
                "reasons": [{"code": "damagedShard", "message": "shard 1 lacks rows or has damaged ones; answers that need them are incomplete"}]}
                """#)
            ]),
        ])
    ])

  private static let getMetrics = Operation(
    "GET /metrics", "getMetrics", .server, "Get the metrics",
    """
    Gives counts and times in the text format of Prometheus. If the server has keys, this needs one of the role `operate`, or one that
    may write.
    """,
    answers: [
      Answer(
        200, "The metrics.", .none,
        [
          .other(
            "text/plain", .string(),
            [
              .init(
                "some", "Two lines of many",
                ##""# TYPE vq_requests_total counter\nvq_requests_total{route=\"match\",status=\"200\"} 17\n""##
              )
            ])
        ])
    ])

  private static let getDescription = Operation(
    "GET /openapi.json", "getDescription", .server, "Get this document",
    "Gives the OpenAPI description of this API.",
    answers: [
      Answer(
        200, "This document.", .none,
        [
          .json(
            .object(
              nil, isOpen: true,
              [
                .required("openapi", .constant("3.1.0")), .required("info", .anything()),
                .required("paths", .anything()),
              ]),
            [
              .init(
                "start", "Its beginning",
                #"{"openapi": "3.1.0", "info": {"title": "vq", "version": "1"}, "paths": {}}"#)
            ])
        ])
    ])
}
