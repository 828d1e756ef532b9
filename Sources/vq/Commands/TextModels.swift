import Reading
import VisualQuery

/// The models that read text and encode images: their option, and work with them.
enum TextModels {
  static let models = Option<String?>.path(
    OptionText(
      "models", "read the text of images, and encode them, with the models of a folder",
      detail:
        "'Packaging/models.sh DIR' fetches those that read text, and DIR/image has the one that encodes images; see "
        + "docs/models.md. 'none' uses none.",
      environment: "VQ_MODELS", isRare: true),
    "DIR", of: .directories)

  /// Opens the models of a command line, or returns `nil` if it has none.
  static func open(_ arguments: ParsedArguments) throws -> ReadingModels? {
    try arguments[models].flatMap(open)
  }

  /// Opens the models of a folder, or returns `nil` for `none`.
  static func open(_ folder: String) throws -> ReadingModels? {
    if folder == "none" { return nil }
    do throws(ReadingError) {
      return try ReadingModels(folder: folder)
    } catch {
      throw CommandFailure(
        .failure, "--models \(folder): \(error.message)",
        advice: ["fetch models with: Packaging/models.sh DIR"])
    }
  }

  /// Opens the models of a command line for questions to a catalogue, and warns if others have read its images.
  static func open(
    _ arguments: ParsedArguments, for catalogue: Catalogue, on console: Console
  ) throws -> ReadingModels? {
    guard let models = try open(arguments) else { return nil }
    try warnOfOthers(models, catalogue, console)
    return models
  }

  static func warnOfOthers(
    _ models: ReadingModels, _ catalogue: Catalogue, _ console: Console
  ) throws {
    if models.text != nil, try catalogue.isReadOnlyByOthers(than: models) {
      console.diagnostics.warning(
        "other models have read the images of the index; only titles and brands are compared with text",
        advice: ["read them again with: vq catalogue read-text --models DIR"])
    }
    if let encoder = models.image, catalogue.imageModel?.name != encoder.name {
      console.diagnostics.warning(
        catalogue.imageModel == nil
          ? "the images of the index are not encoded; the model of --models does not count"
          : "another model has encoded the images of the index; that of --models does not count",
        advice: ["encode them with: vq catalogue embed --models DIR"])
    }
  }

  /// Computes the vectors of the images of an index that have none of the model.
  static func embed(
    _ directory: String, by encoder: ImageEncoder, pool: WorkerPool, isQuiet: Bool,
    on console: Console
  ) async throws -> CatalogueUpkeep.EmbeddingSummary {
    let line = ProgressLine("encoding images", on: console.diagnostics)
    defer { line.finish() }
    do {
      return try await CatalogueUpkeep(directory: directory, pool: pool).embed(by: encoder) {
        if !isQuiet { line.update(done: $0, total: $1, refused: $2) }
      }
    } catch let error as ReadingError {
      throw CommandFailure(.failure, "--models: \(error.message)")
    } catch is CancellationError {
      line.finish()
      throw CommandFailure(
        .interrupted, "interrupted; the vectors that were computed so far are saved",
        advice: ["to continue, run the same command again"])
    }
  }

  /// Returns what was computed, for people.
  static func sentence(_ summary: CatalogueUpkeep.EmbeddingSummary) -> String {
    let own =
      summary.supplied > 0
      ? "; \(DisplayText.count(summary.supplied, "image has", "images have")) a vector of the feed"
      : ""
    let kinds = summary.knowsKinds ? "" : "; too few things of known kinds to tell what is similar"
    return
      "\(DisplayText.count(summary.embedded, "image", "images")) encoded by \(summary.model)\(own)\(kinds)."
  }

  /// Warns of images that were not encoded.
  static func warn(of summary: CatalogueUpkeep.EmbeddingSummary, on console: Console) {
    guard summary.unavailable > 0, let reason = summary.firstReason else { return }
    console.diagnostics.warning(
      "\(DisplayText.count(summary.unavailable, "image", "images")) not encoded: "
        + DisplayText.escaped(reason) + (summary.unavailable > 1 ? ", …" : ""))
  }

  /// Reads the images of an index that the models have not read yet.
  static func read(
    _ directory: String, by models: ReadingModels, pool: WorkerPool, isQuiet: Bool,
    on console: Console
  ) async throws -> CatalogueUpkeep.TextSummary {
    let line = ProgressLine("reading text", on: console.diagnostics)
    defer { line.finish() }
    do {
      return try await CatalogueUpkeep(directory: directory, pool: pool).readText(by: models) {
        if !isQuiet { line.update(done: $0, total: $1, refused: $2) }
      }
    } catch let error as ReadingError {
      throw CommandFailure(.failure, "--models \(models.folder): \(error.message)")
    } catch is CancellationError {
      line.finish()
      throw CommandFailure(
        .interrupted, "interrupted; the text that was read so far is saved",
        advice: ["to continue, run the same command again"])
    }
  }

  /// Returns what was read, for people.
  static func sentence(_ summary: CatalogueUpkeep.TextSummary) -> String {
    let lines = DisplayText.count(summary.lines, "line", "lines")
    let codes = summary.codes > 0 ? " and \(DisplayText.count(summary.codes, "code", "codes"))" : ""
    return
      "\(DisplayText.count(summary.read, "image", "images")) read: \(lines) of text\(codes)."
  }

  /// Warns of images that were not read.
  static func warn(of summary: CatalogueUpkeep.TextSummary, on console: Console) {
    guard summary.unavailable > 0, let reason = summary.firstReason else { return }
    console.diagnostics.warning(
      "\(DisplayText.count(summary.unavailable, "image", "images")) not read: "
        + DisplayText.escaped(reason) + (summary.unavailable > 1 ? ", …" : ""))
  }
}
