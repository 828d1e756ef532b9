import PixelMatch
import VisualQuery

/// Asks an index about its own images, and fits its confidence to the answers.
struct OwnFitting: Sendable {
  let pool: WorkerPool
  let console: Console
  let isQuiet: Bool

  /// Asks a catalogue about some of its images.
  ///
  /// - Parameter limit: The most images.
  func verdict(on catalogue: Catalogue, limit: Int = OwnImages.limit) async throws -> NullVerdict {
    try await verdict(
      on: catalogue, by: try await OwnImages(of: catalogue, limit: limit, pool: pool))
  }

  private func verdict(
    on catalogue: Catalogue, by own: OwnImages
  ) async throws -> NullVerdict {
    let matcher = Matcher(catalogue: catalogue, pool: pool)
    let line = ProgressLine("asking for own images", on: console.diagnostics)
    let photos = own.images.flatMap { image in
      (0..<own.editCount).map { (image: image, edit: $0) }
    }
    var questions: [OwnQuestion] = []
    var (done, unavailable) = (0, 0)
    try await forEachInOrder(photos, on: pool) { image, edit -> OwnQuestion? in
      guard let photo = try own.photo(of: image, edit: edit) else { return nil }
      return try await matcher.ask(
        forOwn: image.id, key: image.key, alike: image.alike, by: photo)
    } take: { question in
      done += 1
      if let question { questions.append(question) } else { unavailable += 1 }
      if !isQuiet { line.update(done: done, total: photos.count, refused: unavailable) }
    }
    line.finish()
    return NullVerdict(
      questions, unavailable: unavailable / own.editCount, sketch: own.sketch)
  }

  /// The fewest images of a shop that are asked without being told to, and the fewest questions after a run.
  static let leastQuestions = 64
  /// The images that are analyzed in twenty times the time of one question.
  private static let imagesOfQuestion = 400

  /// Asks a catalogue after a run of 'vq index', if it is large enough and has changed enough since it was asked.
  ///
  /// - Parameter signedCount: The images that the run analyzed; the more, the more questions are asked.
  /// - Returns: The answers, or `nil` if it was not asked.
  func refresh(
    _ directory: String, after signedCount: Int
  ) async throws -> OwnSummary? {
    let catalogue = try Catalogue(directory: directory)
    let isOld = catalogue.null.map { $0.calibration != Calibration.mark } ?? false
    guard signedCount > 0 || isOld,
      catalogue.null != nil || catalogue.imageCount >= Self.leastQuestions
    else { return nil }
    let limit = max(
      Self.leastQuestions, min(OwnImages.limit, signedCount / Self.imagesOfQuestion))
    let own = try await OwnImages(of: catalogue, limit: limit, pool: pool)
    if let null = catalogue.null, null.isFresh(for: own.sketch, calibration: Calibration.mark) {
      return nil
    }
    let null = try await verdict(on: catalogue, by: own).null
    // Images that cannot be opened now may have been asked before.
    guard null.withoutOwn.of > 0 else { return nil }
    return OwnSummary(
      answers: null, generation: try await Self.store(null, in: catalogue))
  }

  /// Stores answers with their catalogue, and returns its generation.
  static func store(_ null: ShopNull, in catalogue: Catalogue) async throws -> Int {
    var settings = ShopSettings()
    settings.null = null
    return try await Indexer(directory: catalogue.directory, settings: settings).putSettings()
  }
}
