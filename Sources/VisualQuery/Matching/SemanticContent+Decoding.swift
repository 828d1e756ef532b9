public import PixelMatch

extension SemanticContent {
  /// Decodes a picture as finely as a question about it needs.
  ///
  /// It computes for milliseconds without a pause: ``Matcher/content(decoding:labels:region:decoder:)``
  /// does it on threads of its own.
  ///
  /// - Throws: `DecodeError`; ``MatchError`` with the code `regionOutside`; `CancellationError`.
  public init(
    decoding bytes: [UInt8], labels: [String] = [], region: PictureRegion? = nil,
    decoder: ImageDecoder = ImageDecoder()
  ) throws {
    do {
      var side = QuerySignature.workingSide
      var part = region
      if let region { (part, side) = try Self.part(region, of: decoder.header(of: bytes)) }
      self.init(
        labels: labels, pixelBuffer: try decoder.decode(bytes, longerSide: side), region: part)
    } catch let error as DecodeError where error.code == .cancelled {
      throw CancellationError()
    }
  }

  /// A region in shares, and how large to decode the picture so that the region alone has the size
  /// of a working image, within limits.
  private static func part(
    _ region: PictureRegion, of header: ImageHeader
  ) throws(MatchError) -> (region: PictureRegion, side: Int) {
    let (width, height) =
      header.orientation.swapsSides
      ? (header.height, header.width) : (header.width, header.height)
    let part = try region.fractions(ofWidth: width, height: height)
    let share =
      max(part.width * Double(width), part.height * Double(height)) / Double(max(width, height))
    let side = QuerySignature.workingSide
    return (part, min(4 * side, Int(Double(side) / share)))
  }
}
