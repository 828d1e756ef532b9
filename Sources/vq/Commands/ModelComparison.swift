import Reading
import VisualQuery

/// Evaluates the same queries with two models that encode images.
struct ModelComparison {
  /// The figures of one model.
  struct Figures: Sendable {
    /// The folder of the model as it was given.
    let folder: String
    /// The name of its vectors, or `nil` for none.
    let model: String?
    /// The number of images with a vector of it.
    let images: Int
    let report: EvaluationReport
    /// The number of queries with a list of what is similar, among those with a right entity of a known kind.
    let similarLists: Int
    /// The number of entities in these lists.
    let similarEntities: Int
    /// The share of these of the kind of a right entity, or `nil` if there are none.
    let similarOfKind: Double?
    /// The number of queries whose image could not be read.
    let failures: Int
  }

  private let folders: [String]
  private let evaluations: [Evaluation]

  /// - Parameters:
  ///   - folders: The two folders; `none` for none.
  ///   - evaluation: Makes the evaluation with the models of a folder.
  /// - Throws: ``CommandFailure`` if models cannot be opened, or if a folder has none that encodes images.
  init(_ folders: [String], _ evaluation: (ReadingModels?) -> Evaluation) throws {
    self.folders = folders
    evaluations = try folders.map { folder in
      let models = try TextModels.open(folder)
      guard folder == "none" || models?.image != nil else {
        throw CommandFailure(
          .failure,
          "--models \(folder) has no \(ImageEncoder.modelName), which encodes images: nothing is to be compared"
        )
      }
      return evaluation(models)
    }
  }

  /// Evaluates some files with each model.
  ///
  /// - Parameter directories: One index for all files, or one for each.
  func figures(of files: [String], in directories: [String]) async throws -> [Figures] {
    var figures: [Figures] = []
    for (folder, evaluation) in zip(folders, evaluations) {
      figures.append(try await self.figures(of: files, in: directories, folder, evaluation))
    }
    return figures
  }

  private func figures(
    of files: [String], in directories: [String], _ folder: String, _ evaluation: Evaluation
  ) async throws -> Figures {
    // The vectors of each index are computed once, whatever the number of its files.
    var copies: [String: EmbeddedIndex] = [:]
    defer { for copy in copies.values { copy.folder?.remove() } }
    var asked: [Evaluation.Asked] = []
    for (number, file) in files.enumerated() {
      let directory = directories.count == 1 ? directories[0] : directories[number]
      asked += try await evaluation.ask(file) {
        if let copy = copies[directory] { return copy.catalogue }
        let copy = try await embedded(directory, evaluation)
        copies[directory] = copy
        return copy.catalogue
      }
    }
    let queries = asked.compactMap { try? $0.outcome.get() }
    let listed = queries.compactMap(\.similar)
    let entities = listed.joined()
    return Figures(
      folder: folder, model: evaluation.models?.image?.name,
      images: copies.values.reduce(0) { $0 + $1.images }, report: EvaluationReport(queries),
      similarLists: listed.count { !$0.isEmpty }, similarEntities: entities.count,
      similarOfKind: entities.isEmpty
        ? nil : Double(entities.count { $0 }) / Double(entities.count),
      failures: asked.count - queries.count)
  }

  /// An index whose images have the vectors of a model.
  private struct EmbeddedIndex {
    let catalogue: Catalogue
    /// The folder of a copy, or `nil` if the index itself has the vectors.
    let folder: TemporaryFolder?
    let images: Int
  }

  /// Opens an index, or a copy of it with the vectors of the model.
  private func embedded(_ directory: String, _ evaluation: Evaluation) async throws -> EmbeddedIndex
  {
    let catalogue = try Catalogue(directory: directory)
    guard let encoder = evaluation.models?.image else {
      return EmbeddedIndex(catalogue: catalogue, folder: nil, images: 0)
    }
    let console = evaluation.console
    let line = ProgressLine("encoding images", on: console.diagnostics)
    defer { line.finish() }
    let copy: (folder: TemporaryFolder, summary: CatalogueUpkeep.EmbeddingSummary)
    do {
      copy = try await CatalogueUpkeep(directory: directory, pool: evaluation.pool).copy(
        embeddedBy: encoder
      ) {
        if !evaluation.isQuiet { line.update(done: $0, total: $1, refused: $2) }
      }
    } catch let error as ReadingError {
      throw CommandFailure(.failure, "--models: \(error.message)")
    }
    line.finish()
    let (folder, summary) = copy
    let images = catalogue.imageCount - summary.supplied - summary.unavailable
    guard images > 0 || catalogue.imageCount == 0 else {
      folder.remove()
      throw CommandFailure(
        .failure,
        summary.supplied > 0 && summary.unavailable == 0
          ? """
          all images of '\(directory)' have vectors that came with the feed, of neither model of --models; \
          index the feed without 'embeddings' to compare models
          """
          : """
          no image of '\(directory)' could be encoded by \(encoder.name): \
          \(summary.firstReason ?? "none can be read")
          """)
    }
    TextModels.warn(of: summary, on: console)
    if summary.supplied > 0 {
      console.diagnostics.warning(
        "\(DisplayText.count(summary.supplied, "image has", "images have")) a vector that came with the feed, of neither model of --models; it is not compared"
      )
    }
    do {
      return EmbeddedIndex(
        catalogue: try Catalogue(directory: folder.path), folder: folder, images: images)
    } catch {
      folder.remove()
      throw error
    }
  }
}

/// The JSON form of a comparison of models, `vq.evalModels/1`.
struct ModelComparisonDocument: Encodable, Sendable {
  let models: [ModelComparison.Figures]

  private enum Key: String, CodingKey { case schema, models }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("vq.evalModels/1", forKey: .schema)
    try container.encode(models.map { Model(figures: $0) }, forKey: .models)
  }

  private struct Model: Encodable {
    let figures: ModelComparison.Figures

    private enum Key: String, CodingKey {
      case folder, model, images, similarLists, similarEntities, similarOfKind, figures
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(figures.folder, forKey: .folder)
      try container.encode(figures.model, forKey: .model)
      try container.encode(figures.images, forKey: .images)
      try container.encode(figures.similarLists, forKey: .similarLists)
      try container.encode(figures.similarEntities, forKey: .similarEntities)
      try container.encode(
        figures.similarOfKind.map { ($0 * 10_000).rounded() / 10_000 }, forKey: .similarOfKind)
      try container.encode(EvaluationDocument(figures.report), forKey: .figures)
    }
  }
}

/// A comparison of models as text: their figures side by side.
struct ModelComparisonText {
  let figures: [ModelComparison.Figures]
  let console: Console

  private static let names = ["A", "B"]

  var text: String {
    var lines = zip(Self.names, figures).map { name, own in
      let model = own.model.map {
        "  \($0), \(DisplayText.count(own.images, "image", "images"))"
      }
      return DisplayText.escaped("\(name)  \(own.folder)\(model ?? "")")
    }
    let report = figures[0].report
    lines += [
      "",
      "\(report.recall?.queries ?? 0) queries with a correct entity, \(report.negatives) without",
      "",
    ]
    var table = TextTable(
      columns: [.init("", minimumWidth: 20)] + Self.names.map { .init($0, .right) }
        + [.init("B − A", .right)])
    func add(_ name: String, _ value: (ModelComparison.Figures) -> Double?) {
      let values = figures.map(value)
      if values.allSatisfy({ $0 == nil }) { return }
      var difference = ""
      if let a = values[0], let b = values[1] {
        difference = (b < a ? "−" : "+") + EvaluationText.share((b - a).magnitude)
      }
      table.append([name] + values.map(EvaluationText.share) + [difference])
    }
    func count(_ name: String, _ value: (ModelComparison.Figures) -> Int) {
      let values = figures.map(value)
      let difference = values[1] - values[0]
      table.append(
        [name] + values.map { "\($0)" }
          + [(difference < 0 ? "−" : "+") + "\(difference.magnitude)"])
    }
    add("recall@1") { $0.report.recall?.at1 }
    add("recall@5") { $0.report.recall?.at5 }
    add("mean reciprocal rank") { $0.report.meanReciprocalRank }
    add("correct above the cut-off") { $0.report.shownRight }
    add("wrong above the cut-off") { $0.report.shownWrong }
    add("correct above the cut-off or listed") { $0.report.lists.shownOrListed }
    add("lists with the correct one") { $0.report.lists.right }
    add("no match if none is correct") { $0.report.negativesEmpty }
    add("lists if none is correct") { $0.report.lists.givenIfNoneIsRight }
    count("queries with similar entities") { $0.similarLists }
    add("of these entities, of the same kind", \.similarOfKind)
    lines += table.lines(width: console.width, usesColor: console.usesColor)
    return lines.joined(separator: "\n") + "\n"
  }
}
