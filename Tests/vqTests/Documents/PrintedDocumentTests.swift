@testable import ShopFeeds
@testable import ShopIndex
@testable import ShopSearch
@testable import ShopStore
import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// Compares what `--json` prints with the declarations in `Commands/Schemas`, in both directions: a property can be missing neither
/// there nor in what is printed.
@Suite struct PrintedDocumentTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Expects every line to be as declared, and every declared property to occur in some line.
  ///
  /// Would break if a property were added to a document and not declared, or the other way around.
  private func expect(
    _ lines: [String], of document: PrintedDocument,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var schema = try JSONSchema(Data(document.file.utf8))
    #expect(!lines.isEmpty, sourceLocation: sourceLocation)
    for line in lines {
      #expect(try schema.faults(ofLine: line) == [], "\(line)", sourceLocation: sourceLocation)
    }
    #expect(
      schema.declared.subtracting(schema.seen).sorted() == [], sourceLocation: sourceLocation)
  }

  private func lines(_ arguments: [String], status: Set<Int32> = [0]) throws -> [String] {
    let run = try RunningVQ(arguments)
    #expect(status.contains(run.status), "\(arguments): \(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func `each document is tested`() {
    let here = [
      "index", "catalogue", "doctor", "duplicates", "labels", "rules", "report", "eval", "diff",
      "why-not", "neighbors", "feedback", "hash", "copy", "feeds", "fit",
    ]
    // MatchSchemaTests has the answers of a match.
    #expect(Set(PrintedDocument.all.map(\.name)) == Set(here + ["match"]))
  }

  @Test func `the summary of a run`() throws {
    let feed = try folder.write(
      """
      {"type":"product","id":"a","title":"A","price_net":"3.20 EUR","images":["none.jpg"]}
      {"type":"product","id":"b","title":"B","images":["https://shop.example/b.jpg"]}
      """, to: "feed.jsonl")
    var printed = try lines(
      ["index", feed, "--index", folder.path + "/i.vq", "--json", "-q", "--dry-run"],
      status: [0, 1])
    let table = try folder.write("sku;name;price\na;Mug;9,90\n", to: "table.csv")
    let feeds = ["index", feed, table, folder.path + "/none.xml", "--json", "-q"]
    for currency in [["--currency", "EUR"], []] {
      printed += try lines(feeds + ["--index", folder.path + "/f.vq"] + currency, status: [1])
      // Without the currency, the old price stays.
      printed += try lines(
        ["index", table, "--json", "-q", "--index", folder.path + "/f.vq"], status: [0, 3])
    }
    printed += try lines(
      ["index", feed, "--index", folder.path + "/i.vq", "--json", "-q"], status: [0, 1])
    var progress = Indexer.Progress()
    progress.unprunedReason = "the feed is empty"
    progress.encoding = FeedEncoding(name: "latin1", isGuessed: false)
    progress.leftOut = ["draft": 2]
    progress.backlog = FetchBacklog(
      hosts: [.init(name: "shop.example", images: 20, checks: 5, rate: 2.5)])
    progress.unfetchedHosts = ["shop.example": 1]
    printed.append(
      try JSONLines.line(
        IndexDocument(
          progress, elapsed: .seconds(1), isDryRun: true, unlisted: 1, text: Self.text,
          vectors: Self.vectors, own: OwnSummary(answers: Self.own, generation: 2))))
    try expect(printed, of: .index)
  }

  private static let fit = dated(
    ShopFit(
      [.prior: -1.5], calibration: Calibration.mark, vectors: "m", photos: 100, products: 10))

  private static func dated(_ fit: ShopFit) -> ShopFit {
    var fit = fit
    fit.time = 1_764_386_100
    return fit
  }

  private static let own = ShopNull(
    calibration: Calibration.mark, withoutOwn: CountedShare(3, of: 9),
    withoutGroup: CountedShare(0, of: 4), present: CountedShare(8, of: 9), unavailable: 1,
    pairs: [.init(asked: "product:a", answered: "product:b", confidence: 0.99)], sketch: [1],
    fit: dated(
      ShopFit(
        [.prior: -1.5], calibration: Calibration.mark, vectors: "m", photos: 9, products: 9,
        isCareful: true)), fitted: CountedShare(1, of: 9))

  @Test func `the verdict on a fit, and the fits of an index`() async throws {
    let index = folder.path + "/i.vq"
    _ = try lines(["index", SampleShop.catalogue, "--index", index, "-q"])
    let queries = SampleShop.query("queries.jsonl")
    var printed = try lines(["fit", queries, "--index", index, "-q", "--json"], status: [1])
    printed += try lines(["fit", "--show", "--index", index, "--json"])
    var settings = ShopSettings()
    (settings.fits, settings.null) = (ShopFits([Self.fit]), Self.own)
    _ = try await Indexer(directory: index, settings: settings).putSettings()
    printed += try lines(["fit", "--show", "--index", index, "--json"])
    printed += try lines(["fit", "--undo", "--index", index, "--json"])
    printed += try lines(["fit", "--undo", "--own", "--index", index, "--json"])
    printed += try lines(["fit", "--own", "--index", index, "--json", "-q"], status: [0, 1])
    try expect(printed, of: .fit)
  }

  private static let text: CatalogueUpkeep.TextSummary = {
    var summary = CatalogueUpkeep.TextSummary(generation: 2)
    (summary.unavailable, summary.firstReason) = (1, "gone")
    return summary
  }()

  private static let vectors: CatalogueUpkeep.EmbeddingSummary = {
    var summary = CatalogueUpkeep.EmbeddingSummary(model: "m")
    (summary.unavailable, summary.firstReason, summary.generation) = (1, "gone", 2)
    return summary
  }()

  @Test func `the actions on an index`() throws {
    let index = try IndexedShop.path()
    var printed = try lines(["catalogue", "status", "--index", index, "--json"])
    let kinds = KindCalibration(.literal(#"{"prior":-3,"slope":9.5}"#))
    printed.append(
      try JSONLines.line(
        CatalogueUpkeep.Status(
          generation: 2, products: 1, stores: 1, images: 1,
          segments: [.init(file: "s", type: .product, rows: 1, deadRows: 0, bytes: 9)], bytes: 10,
          previousGeneration: 1, imagesRoot: "/images", outsideFolders: ["/other"],
          thumbnailSides: [160], publicFields: ["material"],
          links: ["product": "https://shop.example/{id}"], allowedSchemes: ["app"],
          text: [.init(models: ["reading.onnx": "00"], images: 1)],
          vectors: ImageModel(name: "m", files: ["image.onnx": "00"], kinds: kinds),
          fit: Self.fit, own: Self.own, lossLimits: LossLimits(), lastRuns: [])))
    let feed = try folder.write(
      #"{"type":"product","id":"a","title":"A","images":["a.jpg"]}"#, to: "feed.jsonl")
    let photo = try Data(contentsOf: URL(filePath: SampleShop.image("oats.jpg")))
    _ = try folder.write([UInt8](photo), to: "a.jpg")
    let other = folder.path + "/i.vq"
    _ = try lines(["index", feed, "--index", other, "-q"])
    try FileManager.default.removeItem(atPath: folder.path + "/a.jpg")
    printed += try lines(["catalogue", "verify", "--index", other, "--json"])
    printed += try lines(["catalogue", "upgrade", "--index", other, "--json"])
    printed += [try JSONLines.line(Self.text), try JSONLines.line(Self.vectors)]
    for price in [#","price":{"amount":"1","currency":"EUR"}"#, ""] {
      let rows = (0..<6).map { #"{"type":"product","id":"\#($0)","title":"A"\#(price)}"# }
      let night = try folder.write(rows.joined(separator: "\n"), to: "night.jsonl")
      _ = try lines(["index", night, "--index", folder.path + "/n.vq", "-q"], status: [0, 3])
    }
    printed += try lines(["catalogue", "status", "--index", folder.path + "/n.vq", "--json"])
    try expect(printed, of: .catalogue)
  }

  @Test func `the feeds of an index`() throws {
    let index = ["--index", folder.path + "/i.vq"]
    let table = try folder.write("sku;name;price\n1;Mug;9,90\n", to: "table.csv")
    let options = ["-q", "--currency", "EUR", "--locale", "de", "--encoding", "utf-8"]
    _ = try lines(["index", table, "--map", "title=name"] + options + index)
    let rows = try folder.write(#"{"type":"product","id":"2","title":"A"}"#, to: "rows")
    _ = try lines(["index", rows, "-q"] + index)
    _ = try folder.write("sku;name\n2;A\n", to: "rows")
    _ = try lines(["index", rows, "-q"] + index, status: [3])
    try expect(try lines(["feeds", "--json"] + index), of: .feeds)
  }

  @Test func `what is found wrong, and alike`() throws {
    let image = SampleShop.image("oats.jpg")
    let rows = ["a", "b"].map {
      #"{"type":"product","id":"\#($0)","title":"Oats \#($0)","labels":["oats"],"images":["\#(image)"]}"#
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    let index = folder.path + "/i.vq"
    _ = try lines([
      "index", feed, "--index", index, "-q", "--images-root", SampleShop.folder.path,
    ])
    let ofImage = CatalogueDoctor.Finding(
      kind: .flatPicture, id: "product:a", detail: "d", cure: "c", image: 0)
    try expect(
      try lines(["doctor", "--index", index, "--json"], status: [0, 1])
        + [JSONLines.line(ofImage)], of: .doctor)
    try expect(try lines(["duplicates", "--index", index, "--json"]), of: .duplicates)
    try UnmatchedLabels(directory: index).count(["goblet"])
    try expect(
      try lines(["labels", "--index", index, "--json"])
        + lines(["labels", "--unmatched", "--index", index, "--json"]), of: .labels)
  }

  @Test func `rules and statements`() throws {
    let index = folder.path + "/i.vq"
    let feed = try folder.write(
      #"{"type":"product","id":"a","title":"A","labels":["mug"],"added":"2026-11-01","stock":3}"#,
      to: "feed.jsonl")
    _ = try lines(["index", feed, "--index", index, "-q", "--public", "added,stock"])
    let rules = try folder.write(
      """
      {"rules":[{"name":"r","off":true,"do":"boost","factor":2,"by":{"field":"stock","from":0,"to":9},
      "entities":["product:a"],"where":["availability=inStock"],"withLabel":["mug"],
      "newerThan":{"field":"added","days":30},"from":"2026-01-01T00:00:00Z","until":"2027-01-01T00:00:00Z",
      "when":{"labels":["mug"],"categories":["mug"],"pages":["home"],"languages":["de"]}}]}
      """, to: "rules.json")
    _ = try lines(["rules", "--set", rules, "--index", index])
    try expect(try lines(["rules", "--json", "--index", index]), of: .rules)
    _ = try KeptFeedback(directory: index).add(
      FeedbackStatement.Content(
        query: FeedbackQuery(labels: ["mug"], signatureText: nil),
        chosen: EntityID(type: .product, value: "a"), rejected: []),
      state: .active, author: "shop", time: 86_400, image: nil)
    try expect(try lines(["feedback", "list", "--json", "--index", index]), of: .feedback)
  }

  @Test func `the numbers of searches`() throws {
    let index = folder.path + "/i.vq"
    _ = try lines(["index", SampleShop.catalogue, "--index", index, "-q"])
    _ = try SearchNumbers(directory: index)
    try expect(
      try lines(["report", "--index", index, "--json"]) + [JSONLines.line(SearchReport.full)],
      of: .report)
  }

  @Test func `evaluations and comparisons`() throws {
    let index = try IndexedShop.path()
    let (mug, plant) = (SampleShop.query("q01-mug.jpg"), SampleShop.query("q10-plant.jpg"))
    let broken = try folder.write("not an image", to: "broken.jpg")
    let queries = try folder.write(
      """
      {"image":"\(mug)","truth":["mug-blue"],"edit":"room"}
      {"image":"\(plant)","truth":[],"edit":"room"}
      {"image":"\(broken)","truth":["mug-red"]}
      """, to: "queries.jsonl")
    let figures = ["m", nil].map {
      ModelComparison.Figures(
        folder: "f", model: $0, images: 1, report: EvaluationReport([]), similarLists: 1,
        similarEntities: 2, similarOfKind: $0 == nil ? nil : 0.5, failures: 0)
    }
    try expect(
      try lines(["eval", queries, "--index", index, "--json", "-q"], status: [0, 1, 4])
        + [JSONLines.line(ModelComparisonDocument(models: figures))], of: .eval)
    let moved = AnswerComparison.Moved(
      id: EntityID(type: .product, value: "a"), before: 1, after: 2, rule: "r")
    let outcome = AnswerComparison.Outcome(
      query: "q", change: .order, before: nil, after: nil, isRight: nil, moved: [moved])
    let rules = try folder.write(
      #"{"rules":[{"name":"r","do":"hide","entities":["product:mug-red"]}]}"#, to: "rules.json")
    try expect(
      try lines(["diff", queries, "--index", index, "--rules", rules, "--json"], status: [1, 4])
        + [JSONLines.line(outcome)], of: .diff)
    let whyNot = ["why-not", mug, "--index", index, "--json", "--expect"]
    let id = EntityID(type: .store, value: "a")
    let word = ReadWord(text: "camp", agrees: true, corners: [])
    let diagnosis = Diagnosis(
      id: id, missReason: .hidden, rank: nil, stocks: nil, confidence: 0.5, minimumConfidence: 0.6,
      evidence: [], first: nil,
      sighting: Sighting(
        id: id, confidence: 0.5, evidence: [], imagePosition: nil, alignment: nil, words: [word]),
      likeliest: nil, rule: "r")
    try expect(
      try lines(whyNot + ["product:mug-red"]) + lines(whyNot + ["product:mug-blue"])
        + [JSONLines.line(WhyNotDocument(query: "q", diagnosis))], of: .whyNot)
  }

  @Test func `neighbors`() throws {
    let (folder, _) = try RunningVQ.indexingSampleShop()
    let index = folder.path + "/shop.vq"
    _ = try RunningVQ(["catalogue", "set", "--images-root", folder.path, "--index", index])
    try expect(
      try [IndexedShop.path(), index].flatMap {
        try lines(["neighbors", "mug-red", "--index", $0, "--json"])
      }, of: .neighbors)
  }

  @Test func `hashes and copies`() throws {
    let broken = try folder.write("not an image", to: "broken.jpg")
    let pictures =
      SampleShop.folder.deletingLastPathComponent().path
      + "/Tests/PixelMatchTests/Conformance/pictures/"
    let profile = try folder.write(
      PNGFile.inserting(
        [PNGFile.profileChunk([1, 2, 3])],
        into: PNGFile.rgb(
          width: 64, height: 64, pixels: [UInt8](repeating: 90, count: 3 * 64 * 64),
          isInterlaced: false)), to: "profile.png")
    try expect(
      try lines(
        ["hash", profile, pictures + "profile-p3.jpg", broken, "--query", "--json"], status: [0, 4]),
      of: .hash)
    try expect(
      [
        try JSONLines.line(
          CopyCommand.Document(generation: 1, products: 2, stores: 3, images: 4, digest: "5d"))
      ], of: .copy)
  }
}

extension SearchReport {
  /// A report that has everything that one may have.
  static var full: SearchReport {
    let sums = SearchReport.Sums()
    let row = SearchReport.Row(name: "x", sums: sums)
    return SearchReport(
      from: "2026-11-01", until: "2026-11-02", total: sums, byDay: [row], byKey: [row],
      byLanguage: [row], byRule: [row], byModel: [row], byArm: [row], ranks: [.init(rank: 1)],
      emptyLabels: [.init(label: "goblet", searches: 12)],
      emptyRegions: [.init(region: "top left, small", searches: 12)],
      difference: .init(openedPerSearch: 0.1, low: -0.1, high: 0.3),
      excess: .init(days: ["2026-11-01"], merged: 1, events: 2, labels: 3, sides: 4))
  }
}
