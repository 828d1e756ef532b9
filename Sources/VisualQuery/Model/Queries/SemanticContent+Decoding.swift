package import PixelMatch
internal import Reading

extension SemanticContent {
  /// Decodes an image as finely as a question about it needs.
  ///
  /// It computes for milliseconds without a pause:
  /// ``Matcher/content(decoding:labels:region:decoder:timeout:)`` does it on threads of its own.
  ///
  /// - Parameters:
  ///   - bytes: An image file in one of the decoder's formats.
  ///   - labels: Words for what is seen.
  ///   - region: The part of the image that is meant.
  ///   - decoder: The decoder of the image, which keeps to its limits.
  ///   - shouldStop: Asked between rows; `true` gives up the image: see ``isPictureLeftOut``.
  /// - Throws: `DecodeError`; ``MatchError`` with the code `regionOutside`; `CancellationError`.
  package init(
    decoding bytes: [UInt8], labels: [String] = [], region: PictureRegion? = nil,
    decoder: ImageDecoder = ImageDecoder(), shouldStop: () -> Bool = { false }
  ) throws {
    var side = QuerySignature.workingSide
    var part = region
    if let region {
      if let header = try Self.header(of: bytes, decoder, shouldStop) {
        (part, side) = try Self.part(region, of: header, decoder)
      }
    }
    let picture = try Self.picture(bytes, longerSide: side, decoder, shouldStop)
    self.init(labels: labels, decoded: picture, region: part)
    if region == nil, picture != nil {
      readCodes = try Self.codes(of: bytes, decoder, shouldStop)
    }
  }

  /// The longer side of an image in which codes are looked for: a module of a code that is an eighth as wide has two pixels.
  private static let codeSide = 2048

  /// Returns the codes of an image that was reduced, which has them more finely, or `nil` if it was not, or time does not suffice.
  private static func codes(
    of bytes: [UInt8], _ decoder: ImageDecoder, _ shouldStop: () -> Bool
  ) throws -> [ReadCode]? {
    guard let reader = CodeReader(), let header = try header(of: bytes, decoder, shouldStop),
      max(header.width, header.height) > QuerySignature.workingSide,
      decoder.byteCount(of: header, longerSide: codeSide) <= decoder.limits.memoryLimit,
      let picture = try? picture(bytes, longerSide: codeSide, decoder, shouldStop)
    else {
      try Task.checkCancellation()
      return nil
    }
    let codes = reader.codes(in: picture.pixels) { Task.isCancelled || shouldStop() }
    try Task.checkCancellation()
    return codes
  }

  /// The header of an image, or `nil` if the image was given up.
  private static func header(
    of bytes: [UInt8], _ decoder: ImageDecoder, _ shouldStop: () -> Bool
  ) throws -> ImageHeader? {
    do throws(DecodeError) {
      return try decoder.header(of: bytes) { Task.isCancelled || shouldStop() }
    } catch {
      guard error.code == .cancelled else { throw error }
    }
    try Task.checkCancellation()
    return nil
  }

  /// A decoded image, or `nil` if it was given up.
  private static func picture(
    _ bytes: [UInt8], longerSide: Int, _ decoder: ImageDecoder, _ shouldStop: () -> Bool
  ) throws -> DecodedPicture? {
    func isOver() -> Bool { Task.isCancelled || shouldStop() }
    do throws(DecodeError) {
      return try decoder.picture(bytes, longerSide: longerSide, shouldStop: isOver)
    } catch {
      guard error.code == .cancelled else { throw error }
    }
    try Task.checkCancellation()
    return nil
  }

  /// A region in shares, and how large to decode the image so that the region itself has the size
  /// of a working image, at most four times that size, and as far as memory suffices.
  private static func part(
    _ region: PictureRegion, of header: ImageHeader, _ decoder: ImageDecoder
  ) throws(MatchError) -> (region: PictureRegion, side: Int) {
    let (width, height) =
      header.orientation.swapsSides
      ? (header.height, header.width) : (header.width, header.height)
    let part = try region.fractions(ofWidth: width, height: height)
    let share =
      max(part.width * Double(width), part.height * Double(height)) / Double(max(width, height))
    let leastSide = QuerySignature.workingSide
    // The quotient for a share near zero would not fit into an integer.
    var side = Int(Double(leastSide) / max(share, 0.25))
    while side > leastSide,
      decoder.byteCount(of: header, longerSide: side) > decoder.limits.memoryLimit
    {
      side = max(leastSide, side / 2)
    }
    return (part, side)
  }
}
