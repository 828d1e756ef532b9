#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import PixelMatch
import Synchronization
import VisualQuery

/// `/v1/fit`: what labelled photos teach a shop about its confidences, as `vq fit` does it.
///
/// Each photo is a request of its own, which waits its turn like a question; who stops asking has cancelled. What the photo says goes back
/// to the client, sealed (``AskedPhoto``), so that the server keeps nothing of it. The last request has what all of them said.
struct FitHandlers: Handlers {
  let shop: ShopContext

  /// The most photos of a fit.
  static let photoLimit = 500
  /// The most characters of the name of an edit.
  static let editLength = 100
  private static let (queryPart, imagePart) = ("query", "image")

  func listFits(_ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let catalogue = try self.catalogue.newest()
    return untagged(FitsDocument(catalogue.fits, own: catalogue.null))
  }

  // MARK: Photos

  /// A photo with what is known of it.
  private struct Photo: Sendable {
    let query: EvaluationQuery
    let image: [UInt8]
  }

  /// Asks with one photo, also as if the shop did not have what it shows.
  func askPhoto(_ request: HTTPRequest, _ form: MatchForm) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let photo = try photo(of: request.body, form)
    try await CheckHandlers(shop).checkTruth(of: [photo.query])
    let catalogue = try self.catalogue.newest()
    var matcher = Matcher(catalogue: catalogue, pool: pool)
    matcher.models = settings.models
    let asked = try await inTime(request) { [matcher] in
      AskedPhoto(try await self.outcome(of: photo, matcher), image: photo.image)
    }
    guard let token = asked.token(for: catalogue) else {
      throw Problem(
        .invalidField, "the name of the group that the photo shows is too long for a fit",
        field: "truth")
    }
    return untagged(AskedPhotoDocument(id: Base64URL.encoded(asked.mark), photo: token))
  }

  @concurrent private func outcome(
    of photo: Photo, _ matcher: Matcher
  ) async throws -> EvaluatedQuery {
    let decoder = ImageDecoder(limits: settings.decodeLimits, formats: settings.formats)
    let pixels: PixelBuffer
    do throws(DecodeError) {
      pixels = try decoder.decode(photo.image, longerSide: QuerySignature.workingSide)
    } catch {
      if error.code == .cancelled { throw CancellationError() }
      throw Problem(error, of: photo.image, limits: settings.decodeLimits)
    }
    return try await matcher.evaluateWithAndWithout(photo.query) { matcher in
      try await matcher.evaluate(photo.query, picture: pixels, withLabels: true)
    }
  }

  /// Does some work, and cancels it when the longest time of a check is over. A question of a fit has no deadline of its own: its answer must
  /// be whole.
  private func inTime<Value: Sendable>(
    _ request: HTTPRequest, _ run: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let end = request.arrival + ShopService.checkBudget
    guard ContinuousClock.now < end else { throw Self.isLate }
    let work = Task(executorPreference: pool) { try await run() }
    let timer = Task {
      try await Task.sleep(until: end, clock: .continuous)
      work.cancel()
    }
    defer { timer.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await work.value
      } onCancel: {
        work.cancel()
      }
    } catch is CancellationError where ContinuousClock.now >= end {
      throw Self.isLate
    }
  }

  private static let isLate = Problem(
    .timedOut,
    "the photo was not asked within \(Milliseconds.text(ShopService.checkBudget)) ms; try again",
    retryAfter: 5)

  private func photo(of body: [UInt8], _ form: MatchForm) throws -> Photo {
    guard case .multipart(let boundary) = form else {
      return try keptPhoto(RequestFields(json: body))
    }
    let parts = try FormParts(body, boundary, names: [Self.queryPart, Self.imagePart])
    guard let json = try parts.content(Self.queryPart, limit: BodyLimits.question) else {
      throw Problem(
        .invalidField, #"the form has no part 'query' with {"truth":[…]}"#, field: Self.queryPart)
    }
    guard let image = try parts.content(Self.imagePart) else {
      throw Problem(.invalidField, "the form has no part 'image'", field: Self.imagePart)
    }
    var fields = try RequestFields(json: json)
    guard
      let truth = try fields.words(
        "truth", limit: CheckHandlers.truthLimit, length: CheckHandlers.idLength)
    else {
      throw fields.problem(
        "truth", "the ids that are right, none if the shop has nothing of the kind")
    }
    let labels = try fields.words(
      "labels", limit: SemanticContent.labelLimit, length: SemanticContent.labelLength)
    let edit = try fields.text("edit", limit: Self.editLength)
    try fields.finish()
    let query = EvaluationQuery(truth: truth, labels: labels ?? [], edit: edit ?? "none")
    return Photo(query: query, image: image)
  }

  /// Returns the photo of an accepted statement, whose image was kept with consent.
  private func keptPhoto(_ given: RequestFields) throws -> Photo {
    var fields = given
    guard let number = try fields.integer("statement", in: 1...Int(Int32.max)) else {
      throw fields.problem("statement", "the number of a statement with an image")
    }
    try fields.finish()
    let kept = try KeptFeedback(existingIn: catalogue.directory)
    let found = try kept?.statements(before: number + 1, limit: 1).first
    guard let kept, let statement = found, statement.number == number else {
      throw Problem(.unknownStatement, "there is no statement \(number)", field: "statement")
    }
    guard let said = FeedbackEvaluationQuery(statement, image: ""),
      let image = try kept.image(of: number)
    else {
      throw Problem(
        .invalidFeedback,
        "statement \(number) waits to be accepted, names nothing right, or has no image that was kept",
        field: "statement")
    }
    return Photo(
      query: EvaluationQuery(truth: said.truth, labels: said.labels, edit: said.edit), image: image)
  }

  // MARK: The fit

  /// Fits to photos that were asked, and stores the fit if it is better.
  func fit(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    var fields = try RequestFields(json: request.body)
    let tokens =
      try fields.words(
        "photos", limit: Self.photoLimit, length: AskedPhoto.tokenLimit) ?? []
    let share = try fields.number("absentShare", in: ShopFitting.absentShares)
    let isDry = try fields.flag("dryRun") ?? false
    try fields.finish()
    guard !tokens.isEmpty else {
      throw fields.problem("photos", "a list of 1 to \(Self.photoLimit) photos that were asked")
    }
    return try await alone {
      let catalogue = try self.catalogue.newest()
      let verdict = FitVerdict(
        ShopFitting(
          try Self.photos(tokens, catalogue), absentShare: share ?? ShopFitting.usualAbsentShare))
      // A client that has gone, or whose time is over, has cancelled.
      try Task.checkCancellation()
      let isStored = verdict.outcome == .better && !isDry
      let generation =
        isStored
        ? try await self.store(catalogue.fits.addingNew(verdict.fit), request)
        : catalogue.generation
      return self.untagged(FitDocument(verdict, isStored: isStored, generation: generation))
    }
  }

  private static func photos(
    _ tokens: [String], _ catalogue: Catalogue
  ) throws(Problem) -> [EvaluatedQuery] {
    var places: [[UInt8]: Int] = [:]
    var queries: [EvaluatedQuery] = []
    for (place, token) in tokens.enumerated() {
      let photo: AskedPhoto
      do throws(MatchError) {
        photo = try AskedPhoto(token: token, catalogue: catalogue)
      } catch {
        var problem = Problem(error)
        problem.field = "photos[\(place)]"
        throw problem
      }
      if let former = places.updateValue(place, forKey: photo.mark) {
        throw Problem(
          .invalidField, "photos[\(place)] is the same photo as photos[\(former)]",
          field: "photos[\(place)]")
      }
      queries.append(photo.query)
    }
    return queries
  }

  /// Removes the newest fit, so that the one before counts.
  func undo(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    return try await alone {
      let catalogue = try self.catalogue.newest()
      guard catalogue.fits.current != nil else {
        throw Problem(.noFit, "the shop has no fit of labelled photos")
      }
      let left = catalogue.fits.undone
      let generation = try await self.store(left, request)
      var response = self.untagged(FitsDocument(left, own: catalogue.null))
      response.set("X-Generation", String(generation))
      return response
    }
  }

  /// Runs one change of the fits at a time: each begins with those that the one before has stored.
  private func alone(_ run: () async throws -> HTTPResponse) async throws -> HTTPResponse {
    let isFree = shop.isFitting.withLock { isFitting in
      defer { isFitting = true }
      return !isFitting
    }
    guard isFree else {
      throw Problem(.overloaded, "another fit is being made; try again", retryAfter: 5)
    }
    defer { shop.isFitting.withLock { $0 = false } }
    return try await run()
  }

  private func store(_ fits: ShopFits, _ request: HTTPRequest) async throws -> Int {
    do {
      return try await fits.store(in: catalogue.directory)
    } catch let error as CatalogueError {
      throw shop.problem(ofChange: error, request)
    }
  }
}

extension ShopFits {
  /// Returns the fits with a further one, which was made now and then counts.
  func addingNew(_ fit: ShopFit) -> ShopFits {
    var fit = fit
    fit.time = Int(Date.now.timeIntervalSince1970)
    return adding(fit)
  }

  /// Stores the fits as those of an index.
  ///
  /// - Returns: The new generation.
  func store(in directory: String) async throws -> Int {
    var settings = ShopSettings()
    settings.fits = self
    return try await Indexer(directory: directory, settings: settings).putSettings()
  }
}

/// A photo that was asked for a fit.
struct AskedPhotoDocument: Sendable, Encodable {
  /// The name of the photo: equal files have equal ones.
  let id: String
  /// The sealed content of the photo.
  let photo: String
}
