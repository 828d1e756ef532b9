import PixelMatch
import VisualQuery

/// From a picture's name to its answer.
struct PictureSearch: Sendable {
  let matcher: Matcher
  let options: MatchOptions
  let labels: [String]
  let region: PictureRegion?
  let decoder: ImageDecoder

  /// What became of one picture.
  struct Answer: Sendable {
    /// The picture's name, or the labels where there is no picture.
    let query: String
    let elapsed: Duration
    let result: Result<MatchResponse, PictureFailure>
  }

  /// Decodes a picture and asks what it shows; `nil` asks by the labels alone.
  ///
  /// The deadline is that of the search: a large PNG may take longer to decode than all the rest.
  @concurrent func answer(to picture: String?) async throws -> Answer {
    let elapsed = ProgressLine.stopwatch()
    let query = picture ?? labels.joined(separator: ",")
    let content: SemanticContent
    switch picture.map(content(of:)) {
    case nil: content = SemanticContent(labels: labels)
    case .success(let decoded)?: content = decoded
    case .failure(let failure)?:
      try failure.rethrowCancellation()
      return Answer(query: query, elapsed: elapsed(), result: .failure(failure))
    }
    let response = try await matcher.values(for: content, options: options)
    return Answer(query: query, elapsed: elapsed(), result: .success(response))
  }

  /// Decodes a picture, as finely as the region in it needs.
  func content(of picture: String) -> Result<SemanticContent, PictureFailure> {
    Result { () throws(PictureFailure) in
      let bytes = try decoded { () throws(DecodeError) in try decoder.contents(ofOperand: picture) }
      guard let region else {
        return SemanticContent(
          labels: labels, pixelBuffer: try decode(bytes, QuerySignature.workingSide))
      }
      return try content(of: bytes, in: region)
    }
  }

  private func decode(_ bytes: [UInt8], _ side: Int) throws(PictureFailure) -> PixelBuffer {
    try decoded { () throws(DecodeError) in try decoder.decode(bytes, longerSide: side) }
  }

  private func decoded<Value>(
    _ body: () throws(DecodeError) -> Value
  ) throws(PictureFailure) -> Value {
    do throws(DecodeError) {
      return try body()
    } catch {
      throw PictureFailure(error)
    }
  }

  /// A region is decoded so that it alone has the size of a working image, within limits.
  private func content(
    of bytes: [UInt8], in region: PictureRegion
  ) throws(PictureFailure) -> SemanticContent {
    let header = try decoded { () throws(DecodeError) in try decoder.header(of: bytes) }
    let (width, height) =
      header.orientation.swapsSides
      ? (header.height, header.width) : (header.width, header.height)
    let part: PictureRegion
    do throws(MatchError) {
      part = try region.fractions(ofWidth: width, height: height)
    } catch {
      throw PictureFailure(error)
    }
    let share =
      max(part.width * Double(width), part.height * Double(height)) / Double(max(width, height))
    let side = min(4 * QuerySignature.workingSide, Int(Double(QuerySignature.workingSide) / share))
    return SemanticContent(
      labels: labels, pixelBuffer: try decode(bytes, side), region: part)
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
