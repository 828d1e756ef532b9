import PixelMatch
import VisualQuery

/// Answers queries by the names of their images.
struct PictureSearch: Sendable {
  var matcher: Matcher
  /// The question besides its images.
  let question: Question
  /// The most matches of the next page; `nil` for the limit of the continuation's question.
  var pageLimit: Int?
  let decoder: ImageDecoder
  /// Finds the public part of the matched entities; `nil` if all of them is shown.
  var lookup: EntityLookup?
  /// True if answers keep the data that a report shows.
  var isReported = false
  /// True if matches are explained to a person: then nothing is left unmeasured.
  var isExplained = false
  /// True if the time of each step is measured.
  var isProfiled = false

  /// The options of each query; without a deadline that was asked for, there is none.
  var options: MatchOptions {
    var options = question.options(timeout: question.deadline)
    options.endsEarly = !isExplained
    return options
  }
  private var labels: [String] { question.labels ?? [] }

  /// The outcome of one query.
  struct Answer: Sendable {
    /// The name of the image, or the labels if there is no image.
    let query: String
    let elapsed: Duration
    let result: Result<MatchResponse, PictureFailure>
    /// The damage of the image, if it was searched with its intact part.
    var damage: DecodeError?
    /// The color space that the image's file declares; `nil` for sRGB.
    var profile: PictureProfile?
    /// True if there was an image, or the signature of one.
    var hasPicture = true
    /// The public part of the matched entities, if it was asked for.
    var projection: PublicProjection?
    /// The reduced image, for a report.
    var jpeg: [UInt8]?
    /// The time of each step, if it was measured.
    var times: StepTimes?

    /// The labels that the catalogue does not know.
    var unmatchedLabels: [String] { (try? result.get())?.unmatchedLabels ?? [] }
  }

  /// Decodes an image and searches with it; `nil` searches with only the labels, the signature or the
  /// continuation.
  ///
  /// The deadline includes reading and decoding the image.
  @concurrent func answer(to picture: String?) async throws -> Answer {
    guard isProfiled else { return try await search(with: picture) }
    let (recorder, clock) = (StepRecorder(), WatchedClock())
    var profiled = self
    profiled.matcher = matcher.timed(by: clock)
    profiled.matcher.onStep = {
      clock.end($0)
      recorder.add($0, $1)
    }
    var answer = try await profiled.search(with: picture)
    // Without a deadline, nothing looks at the clock.
    let blocks = question.deadline == nil ? [:] : clock.blocks
    answer.times = recorder.times(of: answer.elapsed, blocks: blocks)
    return answer
  }

  @concurrent private func search(with picture: String?) async throws -> Answer {
    let elapsed = ProgressLine.stopwatch()
    let query = picture ?? (labels.isEmpty ? words : labels.joined(separator: ","))
    if picture == nil, let continuation = question.continuation {
      let page = try await matcher.values(
        continuing: continuation, limit: pageLimit, refresh: question.refreshes ?? false,
        timeout: question.deadline)
      return Answer(
        query: "continuation", elapsed: elapsed(), result: .success(page),
        projection: try await projection(of: page))
    }
    var content = SemanticContent(labels: labels, signature: question.signature)
    content.text = words
    var options = options
    if let picture {
      switch try await self.content(of: picture) {
      case .success(let decoded): content = decoded
      case .failure(let failure):
        try failure.rethrowCancellation()
        return Answer(query: query, elapsed: elapsed(), result: .failure(failure))
      }
      options.timeout = options.timeout.map { max(.zero, $0 - elapsed()) }
    }
    content.embedding = question.embedding
    let response = try await matcher.values(for: content, options: options)
    var answer = Answer(
      query: query, elapsed: elapsed(), result: .success(response), damage: content.pictureDamage,
      profile: content.pictureProfile, hasPicture: picture != nil || question.signature != nil,
      projection: try await projection(of: response))
    if isReported {
      answer.jpeg = try content.searchedPixels.map(ReportSource.reduced)
    }
    return answer
  }

  private func projection(of response: MatchResponse) async throws -> PublicProjection? {
    try await lookup?.publicProjection(of: response.entityIDs)
  }

  /// The words beside the image.
  private var words: String { question.text ?? "" }

  /// Decodes an image at the resolution that its region needs, and takes the words beside it.
  ///
  /// - Throws: `CancellationError`.
  func content(of picture: String) async throws -> Result<SemanticContent, PictureFailure> {
    do {
      let elapsed = ProgressLine.stopwatch()
      let isOver = matcher.isOver(after: question.deadline)
      guard let bytes = try decoder.contents(ofOperand: picture, until: isOver) else {
        var content = SemanticContent(labels: labels, decoded: nil, region: question.region)
        content.text = words
        return .success(content)
      }
      var content = try await matcher.content(
        decoding: bytes, labels: labels, region: question.region, decoder: decoder,
        timeout: question.deadline.map { $0 - elapsed() })
      content.text = words
      return .success(content)
    } catch let error as DecodeError {
      return .failure(PictureFailure(error))
    } catch let error as MatchError {
      return .failure(PictureFailure(error))
    }
  }
}

extension PictureSearch.Answer {
  /// The answer as a report shows it.
  var reported: MatchPage.Query {
    let name = FileName.readable(query)
    return switch result {
    case .success(let response):
      MatchPage.Query(
        name: name, jpeg: jpeg, response: response, failure: nil, times: times)
    case .failure(let failure):
      MatchPage.Query(
        name: name, jpeg: nil, response: nil, failure: failure.sentence(about: name))
    }
  }
}

/// The reason why a query has no answer.
struct PictureFailure: Error, Sendable, Hashable {
  let code: String
  let message: String
  /// The verb of the step that failed: decode or search.
  let verb: String

  init(_ error: DecodeError) {
    (code, message, verb) = (error.code.rawValue, error.message, "decode")
  }

  init(_ error: MatchError) {
    (code, message, verb) = (error.code.rawValue, error.message, "search")
  }

  /// A sentence about the failure.
  func sentence(about picture: String) -> String { "cannot \(verb) '\(picture)': \(message)" }

  /// Rethrows a cancellation: an image whose decoding was cancelled is not a failure of its own.
  func rethrowCancellation() throws {
    if code == DecodeError.Code.cancelled.rawValue { throw CancellationError() }
  }
}

extension ImageDecoder {
  /// Reads the file that an operand names, or standard input for `-`.
  func contents(
    ofOperand name: String, shouldStop: () -> Bool = { Task.isCancelled }
  ) throws(DecodeError) -> [UInt8] {
    try name == "-"
      ? contents(ofDescriptor: 0, shouldStop: shouldStop)
      : contents(ofFile: name, shouldStop: shouldStop)
  }

  /// Reads the file that an operand names; `nil` if the deadline passed before its end.
  fileprivate func contents(
    ofOperand name: String, until isOver: () -> Bool
  ) throws(DecodeError) -> [UInt8]? {
    do throws(DecodeError) {
      return try contents(ofOperand: name, shouldStop: { Task.isCancelled || isOver() })
    } catch {
      guard error.code == .cancelled, !Task.isCancelled else { throw error }
      return nil
    }
  }
}

/// The document that replaces an answer if an image cannot be decoded.
struct PictureErrorDocument: Encodable, Sendable {
  struct Failure: Encodable, Sendable {
    let code: String
    let message: String
  }

  let schema: String
  let query: String?
  let image: String?
  let error: Failure

  init(schema: String, query: String? = nil, image: String? = nil, _ error: PictureFailure) {
    self.schema = schema
    self.query = query
    self.image = image
    self.error = Failure(code: error.code, message: error.message)
  }
}
