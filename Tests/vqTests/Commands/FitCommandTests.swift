import Foundation
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

  @Test(arguments: [
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
