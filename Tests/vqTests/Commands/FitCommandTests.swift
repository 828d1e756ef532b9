import Foundation
import PixelMatch
import TestSupport
import Testing
import VisualQuery

/// `vq fit`, and what other commands do with the fit of an index.
@Suite struct FitCommandTests {
  private let folder: TemporaryDirectory
  private var index: String { folder.path + "/shop.vq" }

  init() throws { folder = try RunningVQ.indexingSampleShop().folder }

  /// A fit with a prior, which corrects the calibration of this program or another one.
  private func store(_ priors: Double..., calibration: String = Calibration.mark) async throws {
    var settings = ShopSettings()
    settings.fits = ShopFits(
      priors.map {
        ShopFit(
          [.prior: $0], calibration: calibration, vectors: nil, photos: 120, products: 30)
      })
    _ = try await Indexer(directory: index, settings: settings).putSettings()
  }

  private func vq(_ words: String...) throws -> RunningVQ {
    try RunningVQ(words + ["--index", index])
  }

  @Test func `few photos give a verdict with its numbers, and nothing is stored`() throws {
    let queries = SampleShop.query("queries.jsonl")
    let run = try vq("fit", queries, "-q")
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.output.contains("correct above the cut-off") && run.output.contains("log loss"))
    #expect(run.output.hasSuffix("Nothing is stored: a fit needs 100 photos of 10 products.\n"))
    let json = try vq("fit", queries, "-q", "--json", "--dry-run")
    #expect(json.status == 0 && json.output.contains(#""verdict":"tooFew""#))
    #expect(json.output.contains(#""stored":false"#))
    #expect(try vq("fit", "--show").output == "No fit.\n")
    #expect(try vq("fit", "--undo").status == 1)
  }

  @Test func `a fit is shown, told by the status, exported, imported and undone`() async throws {
    try await store(-0.25, -0.5)
    let show = try vq("fit", "--show").output
    #expect(show.contains("FORMER") && show.contains("-0.250") && show.contains("-0.500"))
    #expect(show.contains("Fitted to 120 photos of 30 products, with no vectors."))
    #expect(try vq("catalogue", "status").output.contains("fit         to 120 photos of the shop"))
    let exported = try folder.write(try vq("catalogue", "export").output, to: "export.jsonl")
    let copy = folder.path + "/copy.vq"
    #expect(try RunningVQ(["catalogue", "import", exported, "--index", copy]).status == 0)
    #expect(
      try RunningVQ(["fit", "--show", "--json", "--index", copy]).output
        == vq("fit", "--show", "--json").output)
    #expect(try RunningVQ(["index", SampleShop.catalogue, "--index", index, "-q"]).status == 0)
    #expect(try vq("fit", "--show").output == show)
    #expect(try vq("fit", "--undo").output.contains("has the fit before again"))
    #expect(try vq("fit", "--undo").output.contains("has no fit any more"))
    #expect(try vq("fit", "--show").output == "No fit.\n")
  }

  /// Would break if an answer did not say why it is less sure here than elsewhere, or if it differed after an undone fit.
  @Test func `answers follow the fit, and are as before once it is undone`() async throws {
    let photo = SampleShop.query("q01-mug.jpg")
    let question = ["match", photo, "--json", "--min-confidence", "0", "--index", index]
    func answer() throws -> String {
      let text = try RunningVQ(question).output
      // The time and the generation differ anyway, and the continuation with them.
      return text.replacing(
        #/"(elapsedMs|generation)":[0-9.]+|"continuation":"[^"]*"/#, with: "")
    }
    let plain = try answer()
    try await store(-2)
    let fitted = try answer()
    #expect(fitted != plain && fitted.contains(#""kind":"fit""#))
    #expect(try vq("match", photo, "--explain").output.contains("vq fit"))
    let difference = try vq("diff", SampleShop.query("queries.jsonl"), "--json")
    #expect(difference.status == 1 || difference.status == 0)
    _ = try vq("fit", "--undo")
    #expect(try answer() == plain)
  }

  @Test func `a fit of another calibration does not count, and that is said`() async throws {
    let photo = SampleShop.query("q01-mug.jpg")
    try await store(-4, calibration: "00000000")
    let run = try vq("match", photo, "--json")
    #expect(!run.output.contains(#""kind":"fit""#))
    #expect(run.errors.contains("the fit of the index does not count"))
    #expect(try vq("fit", "--show").output.contains("It does not count"))
    #expect(try vq("catalogue", "status").output.contains("does not count"))
    #expect(try vq("fit", "--show", "--json").output.contains(#""counts":false"#))
  }

  /// The answers of a shop to its own images, with a fit that lowers confidences.
  private func storeOwn(_ prior: Double, calibration: String = Calibration.mark) async throws {
    var settings = ShopSettings()
    settings.null = ShopNull(
      calibration: calibration, withoutOwn: CountedShare(21, of: 100),
      withoutGroup: CountedShare(0, of: 40), present: CountedShare(97, of: 100), unavailable: 0,
      pairs: [
        .init(asked: "product:kettle", answered: "product:jug", confidence: 0.99),
        .init(asked: "product:mug-red", answered: "product:mug-blue", confidence: 0.9),
      ], sketch: [1],
      fit: ShopFit(
        [.prior: prior], calibration: calibration, vectors: nil, photos: 100, products: 90,
        isCareful: true), fitted: CountedShare(2, of: 100))
    _ = try await Indexer(directory: index, settings: settings).putSettings()
  }

  @Test func `a shop asks for its own images, and the answers are stored and told`() async throws {
    let run = try vq("fit", "--own", "-q", "--json")
    #expect(run.output.contains(#""schema":"vq.fit-own/1""#), "\(run.errors)")
    #expect(run.output.contains(#""stored":true"#))
    let status = try vq("catalogue", "status").output
    #expect(
      status.contains("own images  of 100 questions about things that you do not have, about "))
    #expect(try vq("doctor").output.contains("own images: of 100 questions"))
    let again = try vq("fit", "--own", "-q", "--dry-run")
    #expect(again.output.contains("sure of a thing that the shop lacks"))
    #expect(again.output.contains("Nothing is stored."))
    let show = try vq("fit", "--show", "--json").output
    let own = try #require(show.firstRange(of: #""own":"#))
    #expect(run.output.contains(show[own.upperBound...].prefix(100)))
  }

  @Test func `the fit of own images counts, is exported, and gives way to labelled photos`()
    async throws
  {
    let photo = SampleShop.query("q07-kettle.jpg")
    func answer() throws -> String {
      try RunningVQ(["match", photo, "--json", "--min-confidence", "0", "--index", index]).output
    }
    try await storeOwn(-2)
    #expect(try answer().contains(#""kind":"fit""#))
    let show = try vq("fit", "--show").output
    #expect(
      show.hasPrefix("No fit.\n\nOwn images: of 100 questions about things that you do not have, "))
    #expect(show.contains("about 21 (14 to 30) would get a sure answer by the general calibration"))
    #expect(show.contains("and about 2 (1 to 7) do by the fit of your images"))
    #expect(show.contains("the nearest pairs are product:kettle and product:jug, product:mug-red"))
    let exported = try folder.write(try vq("catalogue", "export").output, to: "export.jsonl")
    let copy = folder.path + "/copy.vq"
    #expect(try RunningVQ(["catalogue", "import", exported, "--index", copy]).status == 0)
    #expect(try RunningVQ(["fit", "--show", "--index", copy]).output == show)
    try await store(0)
    #expect(try vq("fit", "--show").output.contains("It does not count: the fit of labelled"))
    let labelled = try answer()
    #expect(labelled.contains(#""kind":"fit""#))
    _ = try vq("fit", "--undo")
    #expect(try vq("fit", "--undo").errors.contains("vq fit --undo --own"))
    #expect(try vq("fit", "--undo", "--own").output.contains("no fit of its own images any more"))
    #expect(try !answer().contains(#""kind":"fit""#))
    #expect(try vq("catalogue", "status").output.contains("about 21 (14 to 30) would get"))
    #expect(try vq("fit", "--undo", "--own").status == 1)
  }

  @Test func `a fit of own images by another calibration does not count`() async throws {
    try await storeOwn(-2, calibration: "00000000")
    let run = try vq("match", SampleShop.query("q07-kettle.jpg"), "--json")
    #expect(!run.output.contains(#""kind":"fit""#))
    #expect(run.errors.contains("the fit of the index does not count"))
    #expect(run.errors.contains("vq fit --own"))
    #expect(try vq("catalogue", "status").output.contains("does not count: it belongs to another"))
  }

  /// Would break if small shops were asked at each run, if a large one never were, or if one that has hardly changed were asked again.
  @Test func `a run asks for the own images of a larger shop, and again once much has changed`()
    throws
  {
    func row(_ number: Int) -> String {
      #"{"type":"product","id":"p\#(number)","title":"T","images":["\#(number).jpg"]}"#
    }
    for number in 0..<80 {
      let picture = SyntheticPicture.scene(width: 96, height: 96, seed: UInt64(number + 1))
      _ = try folder.write(picture.jpeg(quality: 90), to: "\(number).jpg")
    }
    let index = folder.path + "/large.vq"
    func run(_ count: Int, _ options: String...) throws -> RunningVQ {
      let feed = try folder.write((0..<count).map(row).joined(separator: "\n"), to: "feed.jsonl")
      return try RunningVQ(["index", feed, "--index", index] + options)
    }
    func status() throws -> String {
      try RunningVQ(["catalogue", "status", "--index", index]).output
    }
    let small = try run(40, "--own-images", "auto")
    #expect(small.status == 0 && !small.output.contains("Own images"), "\(small.errors)")
    let off = try run(64)
    #expect(off.status == 0 && !off.output.contains("Own images"))
    #expect(try !status().contains("own images"))
    let asked = try run(65, "--own-images", "auto")
    #expect(
      asked.output.contains("Own images: of 100 questions"), "\(asked.output) \(asked.errors)")
    #expect(try status().contains("own images  of 100 questions"))
    let again = try run(66, "--own-images", "auto")
    #expect(again.output.contains("1 new") && !again.output.contains("Own images"))
    #expect(try status().contains("own images  of 100 questions"))
    let changed = try run(80, "--own-images", "auto", "--json")
    #expect(changed.output.contains(#""own":{"answers":{"#))
  }

  @Test(arguments: [
    ["--own", "x.jsonl"], ["--own", "--absent", "0.2"], ["--own", "--with-feedback"],
    ["--own", "--show"], ["--own", "--models", "none"], ["--own", "--undo", "--dry-run"],
    ["--show", "--undo"], ["--show", "x.jsonl"], ["--undo", "--dry-run"], [],
    ["x.jsonl", "--absent", "0.95"], ["--show", "--absent", "0.2"],
  ])
  func `options that cannot be combined are refused`(words: [String]) throws {
    let run = try RunningVQ(["fit"] + words + ["--index", index])
    #expect(run.status == 2 && run.output.isEmpty, "\(words): \(run.errors)")
  }

  @Test func `without an image, what people said is counted and left out`() throws {
    _ = try KeptFeedback(directory: index).add(
      FeedbackStatement.Content(
        query: FeedbackQuery(
          labels: [],
          signatureText: try RunningVQ(["hash", "--query", SampleShop.query("q01-mug.jpg")])
            .output.trimmingCharacters(in: .whitespacesAndNewlines)),
        chosen: EntityID(type: .product, value: "mug-red"), rejected: []),
      state: .active, author: "shop", time: 86_400, image: nil)
    let run = try vq("fit", "--with-feedback", "-q")
    #expect(run.status == 1 && run.errors.contains("1 statement has no image that was kept"))
    #expect(run.errors.contains("there are no labelled photos"))
    let picture = try Data(contentsOf: URL(fileURLWithPath: SampleShop.query("q07-kettle.jpg")))
    _ = try KeptFeedback(directory: index).add(
      FeedbackStatement.Content(
        query: FeedbackQuery(
          labels: [],
          signatureText: try RunningVQ(["hash", "--query", SampleShop.query("q07-kettle.jpg")])
            .output.trimmingCharacters(in: .whitespacesAndNewlines)),
        chosen: EntityID(type: .product, value: "kettle"), rejected: []),
      state: .active, author: "shop", time: 86_401, image: Array(picture))
    let asked = try vq("fit", "--with-feedback", "-q")
    #expect(asked.output.hasPrefix("1 photo of 1 product, 0 of what the shop lacks"))
  }
}
