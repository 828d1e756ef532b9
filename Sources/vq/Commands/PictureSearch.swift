import PixelMatch
import VisualQuery

/// From a picture's name to its answer.
struct PictureSearch: Sendable {
  let matcher: Matcher
  let options: MatchOptions
  let labels: [String]
  let region: PictureRegion?
  var signature: QuerySignature?
  var continuation: String?
  let decoder: ImageDecoder

  /// What became of one picture.
  struct Answer: Sendable {
    /// The picture's name, or the labels where there is no picture.
    let query: String
    let elapsed: Duration
    let result: Result<MatchResponse, PictureFailure>
    /// The damage of the picture that was passed over.
    var damage: DecodeError?

    /// Labels that the catalogue does not know.
    var unmatchedLabels: [String] { (try? result.get())?.unmatchedLabels ?? [] }
  }

  /// Decodes a picture and asks what it shows; `nil` asks by the labels, the signature or the
  /// continuation alone.
  ///
  /// Reading and decoding the picture counts towards the deadline.
  @concurrent func answer(to picture: String?) async throws -> Answer {
    let elapsed = ProgressLine.stopwatch()
    let query = picture ?? labels.joined(separator: ",")
    if picture == nil, let continuation {
      let page = try await matcher.values(
        continuing: continuation, limit: options.limit, timeout: options.timeout)
      return Answer(query: "continuation", elapsed: elapsed(), result: .success(page))
    }
    var content = SemanticContent(labels: labels, signature: signature)
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
    let response = try await matcher.values(for: content, options: options)
    return Answer(
      query: query, elapsed: elapsed(), result: .success(response), damage: content.pictureDamage)
  }

  /// Decodes a picture, as finely as the region in it needs.
  ///
  /// - Throws: `CancellationError`.
  func content(of picture: String) async throws -> Result<SemanticContent, PictureFailure> {
    do {
      let elapsed = ProgressLine.stopwatch()
      let bytes = try decoder.contents(ofOperand: picture)
      return .success(
        try await matcher.content(
          decoding: bytes, labels: labels, region: region, decoder: decoder,
          timeout: options.timeout.map { $0 - elapsed() }))
    } catch let error as DecodeError {
      return .failure(PictureFailure(error))
    } catch let error as MatchError {
      return .failure(PictureFailure(error))
    }
  }
}

/// Why a picture gives no answer.
struct PictureFailure: Error, Sendable, Hashable {
  let code: String
  let message: String
  /// What could not be done with the picture.
  let verb: String

  init(_ error: DecodeError) {
    (code, message, verb) = (error.code.rawValue, error.message, "decode")
  }

  init(_ error: MatchError) {
    (code, message, verb) = (error.code.rawValue, error.message, "search")
  }

  /// The failure in a sentence.
  func sentence(about picture: String) -> String { "cannot \(verb) '\(picture)': \(message)" }

  /// A picture that was left half-decoded since the command was to stop is no failure of its own.
  func rethrowCancellation() throws {
    if code == DecodeError.Code.cancelled.rawValue { throw CancellationError() }
  }
}

extension ImageDecoder {
  /// Reads what an operand names: a file, or standard input for `-`.
  func contents(ofOperand name: String) throws(DecodeError) -> [UInt8] {
    try name == "-" ? contents(ofDescriptor: 0) : contents(ofFile: name)
  }
}

/// What stands in place of an answer where a picture cannot be decoded.
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
