import PixelMatch
import VisualQuery

/// From a picture's name to its answer.
struct PictureSearch: Sendable {
  let matcher: Matcher
  let options: MatchOptions
  let labels: [String]
  let decoder: ImageDecoder

  /// What became of one picture.
  struct Answer: Sendable {
    /// The picture's name, or the labels where there is no picture.
    let query: String
    let elapsed: Duration
    let result: Result<MatchResponse, DecodeError>
  }

  /// Decodes a picture and asks what it shows; `nil` asks by the labels alone.
  ///
  /// The deadline is that of the search: a large PNG may take longer to decode than all the rest.
  @concurrent func answer(to picture: String?) async throws -> Answer {
    let elapsed = ProgressLine.stopwatch()
    let buffer: PixelBuffer?
    do throws(DecodeError) {
      buffer = try picture.map { (name) throws(DecodeError) in
        try decoder.decode(
          decoder.contents(ofOperand: name), longerSide: Signature.workingSide)
      }
    } catch {
      if error.code == .cancelled { throw CancellationError() }
      return Answer(query: picture ?? "", elapsed: elapsed(), result: .failure(error))
    }
    return try await ask(picture ?? labels.joined(separator: ","), buffer, elapsed)
  }

  private func ask(
    _ query: String, _ buffer: PixelBuffer?, _ elapsed: @Sendable () -> Duration
  ) async throws -> Answer {
    let response = try await matcher.values(
      for: SemanticContent(labels: labels, pixelBuffer: buffer), options: options)
    return Answer(query: query, elapsed: elapsed(), result: .success(response))
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

  init(schema: String, query: String? = nil, image: String? = nil, _ error: DecodeError) {
    self.schema = schema
    self.query = query
    self.image = image
    self.error = Failure(code: error.code.rawValue, message: error.message)
  }
}
