import VisualQuery

/// The documents that commands print about an index.
extension PrintedDocument {
  static let index = PrintedDocument(
    "index", "The summary of `vq index --json`.",
    .object(
      nil,
      [
        .required("schema", .constant("vq.index/1", "The form of this document.")),
        .required("generation", .integer("The generation after the run.", min: 0)),
        .required("rows", .integer("The number of rows that were read.", min: 0)),
        .required("entities", .integer("The number of entities in the index.", min: 0)),
        .required("added", .integer("The number of new entities.", min: 0)),
        .required("changed", .integer("The number of changed entities.", min: 0)),
        .required("removed", .integer("The number of removed entities.", min: 0)),
        .optional(
          "unprunedReason", .string("Why entities that the feed lacks were not removed.")),
        .required("signedImages", .integer("The number of images that were analyzed.", min: 0)),
        .required(
          "unchangedImages", .integer("The number of images that are as they were.", min: 0)),
        .required(
          "sharedImages",
          .integer(
            "The number of images with the content of another one, which was analyzed for both.",
            min: 0)),
        .required(
          "keptImages",
          .integer(
            "The number of images of which an earlier version is kept, because the new one could not be read.",
            min: 0)),
        .required(
          "imagesToCome",
          .integer("The number of new images on servers that the run did not come to.", min: 0)),
        .required(
          "imagesToCheck",
          .integer(
            "The number of known images on servers that the run did not come to.", min: 0)),
        .optional(
          "secondsToCome",
          .integer("The time that both take at the rates of their hosts.", min: 0)),
        .required("fetchedImages", .integer("The number of images from servers.", min: 0)),
        .required(
          "filesByMeaning",
          .integer(
            "The number of files that were found although no file has exactly the name that the feed has.",
            min: 0)),
        .required("thumbnails", .integer("The number of thumbnails that were stored.", min: 0)),
        .required("embeddings", .integer("The number of embeddings that were stored.", min: 0)),
        .required("refused", .integer("The number of rejections of any kind.", min: 0)),
        .required("refusedRows", .integer("The number of rejected rows.", min: 0)),
        .required("refusedImages", .integer("The number of rejected images.", min: 0)),
        .required(
          "unfetchedImages",
          .integer("The number of images on servers that the options do not ask to fetch.", min: 0)),
        .required("warnings", .integer("The number of warnings.", min: 0)),
        .required(
          "unlisted",
          .integer(
            "The number of rejections and warnings for which the file of rejected rows has no room.",
            min: 0)),
        .required(
          "withoutImages",
          .integer("The number of entities that cannot be found by image.", min: 0)),
        .required(
          "leftOut",
          .map("The number of rows that were left out, by the reason.", of: .integer(min: 1))),
        .required(
          "unfetchedHosts",
          .map("The number of images that were not fetched, by host.", of: .integer(min: 1))),
        .required(
          "findings",
          .array("What of the feed did not become a part of its entities.", of: feedFinding)),
        .optional("encoding", .string("The encoding of the feed, if it is not UTF-8.")),
        .optional(
          "examples",
          .array(
            "The first entities of a dry run.",
            of: .object(
              "An entity in the form of a feed.", isOpen: true,
              [
                .required("type", .reference(.entityType)), .required("id", .string("Its id.")),
                .required("title", .string("Its title.")),
              ]))),
        .optional("text", .reference(.textSummary)),
        .optional("vectors", .reference(.vectorSummary)),
        .optional(
          "own",
          .object(
            "The answers to photos of the shop's own images, if they were asked.",
            [
              .required("answers", .reference(.shopNull)),
              .required("generation", .reference(.generation)),
            ])),
        .required("feeds", .array("What became of each feed.", of: feedSummary)),
        .required("dryRun", .boolean("True if nothing was to be written.")),
        .required("elapsedMs", .number("The time that it took, in milliseconds.", min: 0)),
        .required(
          "outcome",
          .choice(
            """
            The outcome: `done`; `nothingToDo` if nothing changed; `losses` if rows, images or fields were rejected; `unfinished` if new \
            images on servers are still to come; `refused` if what the feed lacks was not removed, old values stay, or one of several feeds \
            was not indexed.
            """, of: IndexDocument.Outcome.self)),
        .optional("keptReason", .string("Why old values of entities stay.")),
        .required(
          "coverage",
          .array("What the index can answer, for each type of entity.", of: typeCoverage)),
      ]))

  private static let feedSummary = Schema.object(
    "A feed of the run.",
    [
      .required("name", .string("The name by which the index knows it.")),
      .optional("format", .string("Its format, if it could be opened.")),
      .required("entities", .integer("The number of its entities.", min: 0)),
      .required("added", .integer("The number of new entities.", min: 0)),
      .required("changed", .integer("The number of changed entities.", min: 0)),
      .required("removed", .integer("The number of removed entities.", min: 0)),
      .required("rejected", .integer("The number of rejected rows, images and fields.", min: 0)),
      .required(
        "taken",
        .array(
          "The entities that belonged to other feeds before.",
          of: .object(
            "Entities of one feed.",
            [
              .required("feed", .string("The name of the feed.")),
              .required("entities", .integer("Their number.", min: 1)),
              .required(
                "ids", .array("The first of them, such as `product:mug-red`.", of: .string())),
            ]))),
      .required(
        "keptOptions",
        .array("The options of an earlier run that were used again.", of: .string())),
      .required(
        "outcome",
        .choice(
          """
          The outcome: `done`; `nothingToDo`; `losses` if rows, images or fields were rejected; `refused` if it is another \
          feed than last time, or lacks too much; `failed` if it could not be read.
          """, of: FeedResult.Outcome.self)),
      .optional(
        "message",
        .string("Why it was not indexed, why old values stay, or why nothing of it was removed.")),
      .required(
        "coverage", .array("What its entities have, for each type.", of: typeCoverage)),
    ])

  static let feeds = PrintedDocument(
    "feeds", "The feeds of `vq feeds --json`.",
    .object(
      nil,
      [
        .required("schema", .constant("vq.feeds/1", "The form of this document.")),
        .required("generation", .reference(.generation)),
        .required("feeds", .array("The feeds, by name.", of: knownFeed)),
        .required("withoutFeed", entityCounts("The entities without a feed.")),
      ]))

  private static func entityCounts(_ text: String) -> Schema {
    .object(
      text,
      [
        .required("products", .integer("The number of products.", min: 0)),
        .required("stores", .integer("The number of stores.", min: 0)),
      ])
  }

  private static let knownFeed = Schema.object(
    "A feed.",
    [
      .required("name", .string("Its name.")),
      .required("format", .string("The format in which it was read last.")),
      .required(
        "mapping", .array("The fields that --map assigned, such as `id=SKU`.", of: .string())),
      .optional("currency", .string("The currency that --currency gave.")),
      .required("currencies", .array("The currencies of its prices.", of: .string())),
      .optional("locale", .string("The notation of numbers that --locale gave.")),
      .optional("encoding", .string("The encoding that --encoding gave.")),
      .required("products", .integer("The number of products.", min: 0)),
      .required("stores", .integer("The number of stores.", min: 0)),
      .optional(
        "lastRun",
        .object(
          "The last run on this machine.",
          [
            .required("time", .string("When it ended, or began if it has not ended.")),
            .optional(
              "outcome",
              .choice("How it ended; absent if it has not.", of: RunRecord.Outcome.self)),
            .optional("generation", .integer("The generation after it.", min: 0)),
            .optional(
              "message",
              .string("Why values were kept, nothing was removed, or the run failed.")),
            .required("isUndone", .boolean("True if a rollback has undone it.")),
            .required(
              "coverage", .array("What the entities had, for each type.", of: typeCoverage)),
          ])),
    ])

  private static let typeCoverage = Schema.object(
    "The entities of a type.",
    [
      .required("type", .reference(.entityType)),
      .required(
        "fields",
        .array(
          "The fields that they can have, `entities` for all of them.",
          of: .object(
            "A field.",
            [
              .required("field", .choice("Its name.", of: CoverageField.self)),
              .required("before", .integer("The entities that had it before the run.", min: 0)),
              .required("after", .integer("Those that have it after the run.", min: 0)),
              .required("kept", .integer("Those with an old value.", min: 0)),
            ]))),
    ])

  private static let feedFinding = Schema.object(
    "A field that looks as if it should have become a part of entities.",
    [
      .required("kind", .choice("What it looks like.", of: FeedFinding.Kind.self)),
      .required("field", .string("The name of the field.")),
      .required("entities", .integer("The number of entities with it.", min: 1)),
    ])

  static let catalogue = PrintedDocument(
    "catalogue", "What the actions of `vq catalogue --json` print.",
    .one(
      of: [
        .reference(.indexStatus), .reference(.verification), .reference(.upgrade),
        .reference(.textSummary), .reference(.vectorSummary),
      ]))

  static let copy = PrintedDocument(
    "copy", "The summary of `vq copy --json`.",
    .object(
      nil,
      [
        .required("schema", .constant("vq.copy/1", "The form of this document.")),
        .required("generation", .reference(.generation)),
        .required("products", .integer("The number of products.", min: 0)),
        .required("stores", .integer("The number of stores.", min: 0)),
        .required("images", .integer("The number of images.", min: 0)),
        .required(
          "digest", .string("The SHA-256 of the contents, which is the same for equal ones.")),
      ]))

  static let doctor = PrintedDocument(
    "doctor", "A line of `vq doctor --json`.", .finding)

  static let duplicates = PrintedDocument(
    "duplicates", "A line of `vq duplicates --json`: entities with like images.",
    .object(
      nil,
      [
        .required("schema", .constant("vq.duplicates/1", "The form of this document.")),
        .required(
          "likeness",
          .choice(
            "`same` if the images differ by no more than compression, else `near`.",
            of: DuplicateFinder.Likeness.self)),
        .required(
          "entities",
          .array(
            "The entities, by id.",
            of: .object(
              "An entity.",
              [
                .required("id", .string("Its type and id, such as `product:mug-red`.")),
                .required("title", .string("Its title.")),
                .optional("image", .string("The path of the image, as the feed has it.")),
              ]), min: 2)),
      ]))

  static let labels = PrintedDocument(
    "labels", "A line of `vq labels --json`.",
    .one(
      of: [
        .object(
          "A label of the shop.",
          [
            .required("label", .string("The label, normalized.")),
            .required("entities", .integer("The number of entities that have it.", min: 0)),
          ]),
        .object(
          "A label of questions that nothing in the shop has (--unmatched).",
          [
            .required("label", .string("The label, normalized.")),
            .required("queries", .integer("The number of questions with it.", min: 1)),
          ]),
      ]))

  static let rules = PrintedDocument(
    "rules", "The rules of `vq rules --json`, and of `vq rules --set`.", .reference(.ruleList))

  static let feedback = PrintedDocument(
    "feedback", "A line of `vq feedback list --json`.", .reference(.feedback))
}

extension Definition {
  static let textSummary = Definition(
    "TextSummary",
    .object(
      "What was read in the images, with models.",
      [
        .required("read", .integer("The number of images that were read.", min: 0)),
        .required("lines", .integer("The number of lines of text in them.", min: 0)),
        .required("codes", .integer("The number of bar codes and QR codes in them.", min: 0)),
        .required(
          "unavailable", .integer("The number of images that could not be read.", min: 0)),
        .optional("firstReason", .string("The reason for the first of these.")),
        .required("generation", .reference(.generation)),
      ]))

  static let vectorSummary = Definition(
    "VectorSummary",
    .object(
      "The vectors that were computed, with a model.",
      [
        .required("model", .string("The name of the model.")),
        .required(
          "embedded", .integer("The number of images whose vectors were computed.", min: 0)),
        .required(
          "supplied", .integer("The number of images that bring a vector of their own.", min: 0)),
        .required(
          "unavailable", .integer("The number of images that could not be read.", min: 0)),
        .optional("firstReason", .string("The reason for the first of these.")),
        .required(
          "knowsKinds",
          .boolean("True if there are enough things of known kinds to tell which are similar.")),
        .required("generation", .reference(.generation)),
      ]))

  static let indexStatus = Definition(
    "Status",
    .object(
      "The status of an index.",
      [
        .required("generation", .reference(.generation)),
        .required("products", .integer("The number of products.", min: 0)),
        .required("stores", .integer("The number of stores.", min: 0)),
        .required("images", .integer("The number of images that can be found.", min: 0)),
        .required("segments", .array("The files of signatures, oldest first.", of: segment)),
        .required("bytes", .integer("The length of all files, in bytes.", min: 0)),
        .optional(
          "previousGeneration", .integer("The generation that a rollback restores.", min: 0)),
        .optional("imagesRoot", .string("The folder that relative image paths start from.")),
        .required(
          "outsideFolders",
          .array("The folders outside of it that may have images.", of: .string())),
        .required(
          "thumbnailSides",
          .array("The longer sides of stored thumbnails, in pixels.", of: .integer(min: 1))),
        .required(
          "publicFields", .array("The fields of the shop's own that are public.", of: .string())),
        .required(
          "links", .map("The templates of links, by the type of entity.", of: .string())),
        .required(
          "allowedSchemes",
          .array("The schemes that links may have besides `https`.", of: .string())),
        .optional("text", .array("The models that have read text.", of: readImages)),
        .optional("vectors", imageModel),
        .optional("fit", .reference(.shopFit)),
        .optional("own", .reference(.shopNull)),
        .required(
          "lossLimits",
          .object(
            "What runs of `vq index` may take from the index, in percent.",
            [
              .required("once", .number("One run.", min: 0, max: 100)),
              .required("together", .number("The runs of seven nights.", min: 0, max: 100)),
            ])),
        .required(
          "lastRuns", .array("The last run of each feed, the latest one first.", of: lastRun)),
      ]))

  private static let lastRun = Schema.object(
    "The last run of a feed.",
    [
      .required("feed", .string("The name of the feed.")),
      .required("began", .integer("When it began, in seconds since 1970.", min: 0)),
      .optional(
        "ended",
        .integer(
          "When it ended, in seconds since 1970; absent if it is at work, or was killed.", min: 0)),
      .optional(
        "outcome",
        .choice("How it ended; absent if it has not.", of: RunRecord.Outcome.self)),
      .optional("generation", .integer("The generation after it.", min: 0)),
      .optional(
        "reason", .string("Why values were kept, nothing was removed, or the run failed.")),
      .required("isUndone", .boolean("True if a rollback has undone it.")),
      .required(
        "keptImages",
        .integer(
          "The images of which it kept an earlier version, because they could not be read or fetched.",
          min: 0)),
      .required(
        "kept",
        .array(
          "The old values that it kept.",
          of: .object(
            "A field of the entities of a type.",
            [
              .required("type", .reference(.entityType)),
              .required("field", .choice("The field.", of: CoverageField.self)),
              .required("entities", .integer("The number of entities.", min: 1)),
            ]))),
    ])

  private static let segment = Schema.object(
    "A file of signatures.",
    [
      .required("file", .string("Its name in the index.")),
      .required("type", .reference(.entityType)),
      .required("rows", .integer("The number of signatures.", min: 0)),
      .required("deadRows", .integer("The number of those that were replaced.", min: 0)),
      .required("bytes", .integer("Its length in bytes.", min: 0)),
    ])

  private static let readImages = Schema.object(
    "The images that some models have read.",
    [
      .required(
        "models", .map("The SHA-256 of each model, by the name of its file.", of: .string())),
      .required("images", .integer("The number of images.", min: 0)),
    ])

  private static let imageModel = Schema.object(
    "The model that computed the vectors of images.",
    [
      .required("name", .string("The name of its vectors.")),
      .required("files", .map("The SHA-256 of its files, by their names.", of: .string())),
      .optional(
        "kinds",
        .object(
          "How the likeness of vectors tells what is of one kind, as log-odds.",
          [
            .required("prior", .number("Those at a likeness of zero.")),
            .required("slope", .number("The addition for a likeness of one.")),
          ])),
    ])

  static let verification = Definition(
    "Verification",
    .object(
      "What `vq catalogue verify` found.",
      [
        .required("findings", .array("What is wrong; empty if nothing is.", of: .string())),
        .required(
          "unsealedSegments",
          .array(
            "The files of signatures without seals, which earlier versions wrote; `vq catalogue compact` adds the seals.",
            of: .string())),
        .required(
          "missingPictures",
          .object(
            "The images whose files cannot be opened.",
            [
              .required("count", .integer("Their number.", min: 0)),
              .required(
                "total", .integer("The number of images that are files, with them.", min: 0)),
              .required(
                "examples",
                .array(
                  "The first of them.",
                  of: .object(
                    "A missing image.",
                    [
                      .required("id", .string("The entity, such as `product:mug-red`.")),
                      .required("path", .string("The path, as it is stored.")),
                      .required("reason", .string("Why it cannot be opened.")),
                    ]))),
            ])),
      ]))

  static let upgrade = Definition(
    "Upgrade",
    .object(
      "What `vq catalogue upgrade` did.",
      [
        .required("from", .integer("The version of the tables that was found.", min: 1)),
        .required("to", .integer("The version of the tables now.", min: 1)),
        .required("entities", .integer("The number of converted entities.", min: 0)),
      ]))
}
