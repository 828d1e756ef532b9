import PixelMatch
import VisualQuery

/// `vq hash`: prints the PDQ hashes of images, as in public hash banks.
enum HashCommand {
  static let json = Option<Bool>.flag(OptionText("json", "one JSON object per line and image"))

  static let query = Option<Bool>.flag(
    OptionText(
      "query", "print the signature for 'vq match --signature'",
      detail: "About two kilobytes of text that replace the image, except for its keypoints."))

  static let keypoints = Option<Bool>.flag(
    OptionText(
      "keypoints", "print that signature with its keypoints",
      detail:
        "At most 18 kilobytes, 24 as text, that give nearly the answers of the image, but for the parts that would be searched on their own: "
        + "'regions' in the answer names them."))

  static let command = CommandDescription(
    name: "hash",
    summary: "print the PDQ hash of images",
    examples: [
      "vq hash mug.jpg",
      "vq hash --json *.jpg",
      "vq hash --query mug.jpg",
    ],
    operand: OperandDescription(
      placeholder: "IMAGE", count: 1...Int.max,
      summary: "a file such as JPEG, PNG or WebP; '-' for standard input", completion: .files),
    options: [
      json.description, query.description, keypoints.description,
      PictureLimits.maxBytes.description,
      PictureLimits.maxPixels.description, PictureLimits.formats.description,
    ],
    notes: [
      HelpSection(
        title: "JSON form",
        text: """
          One object per line and image, in the order given.
            {"schema":"vq.hash/1","image":"mug.jpg","pdq":"64 hex digits","quality":100,
             "variants":{"rotate90":"64 hex digits",…}}
          The hash is computed from the pixels as they are stored, as in other tools: the \
          orientation that a camera recorded is reported in 'orientation' but not applied. \
          A color profile changes the signature of --query only, which has its name as 'profile'.
          """)
    ],
    exitCodes: [.success, .failure, .usage, .undecodablePicture, .interrupted],
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let decoder = ImageDecoder(
      limits: PictureLimits.limits(of: arguments), formats: arguments[PictureLimits.formats])
    let pool = WorkerPool()
    let form: SignatureForm? =
      arguments[keypoints] ? .whole : arguments[query] ? .compact : nil
    var code = ExitCode.success
    try await forEachInOrder(arguments.operands, on: pool) { picture in
      try await hash(picture, decoder, form)
    } take: { outcome in
      let (picture, result) = outcome
      switch result {
      case .success(let document):
        if arguments[json] {
          try console.output.writeJSON(document)
        } else if let signature = document.querySignature {
          try console.output.writeLine(signature)
        } else {
          try console.output.writeLine(
            "\(document.pdq)  \(document.quality)  \(DisplayText.escaped(picture))")
        }
      case .failure(let error):
        code = .undecodablePicture
        console.diagnostics.error("cannot decode '\(picture)': \(error.message)")
        if arguments[json] {
          try console.output.writeJSON(
            PictureErrorDocument(
              schema: HashDocument.schemaName, image: picture, PictureFailure(error)))
        }
      }
    }
    return code
  }

  /// The forms of a query's signature.
  private enum SignatureForm { case compact, whole }

  /// Hashes an image. An image that cannot be decoded is a result, too.
  @concurrent private static func hash(
    _ picture: String, _ decoder: ImageDecoder, _ form: SignatureForm?
  ) async throws -> (String, Result<HashDocument, DecodeError>) {
    let result = Result { () throws(DecodeError) in
      let bytes = try decoder.contents(ofOperand: picture)
      var document = HashDocument(
        picture, try decoder.header(of: bytes), try decoder.pdqCoefficients(of: bytes))
      if let form {
        let side = QuerySignature.workingSide
        let decoded = try decoder.picture(bytes, longerSide: side)
        let signature = QuerySignature(decoded.pixels)
        document.querySignature = form == .whole ? signature.text : signature.compactText
        document.profile = decoded.profile.map(ProfileDocument.init)
      }
      return document
    }
    if case .failure(let error) = result, error.code == .cancelled { throw CancellationError() }
    return (picture, result)
  }
}

/// The JSON form of a hash, `vq.hash/1`.
struct HashDocument: Encodable, Sendable {
  static let schemaName = "vq.hash/1"

  let schema = Self.schemaName
  let image: String
  let pdq: String
  let quality: Int
  let orientation: Int
  let variants: [String: String]
  var querySignature: String?
  /// The color space that the signature was computed from, if it is not sRGB.
  var profile: ProfileDocument?

  init(_ image: String, _ header: ImageHeader, _ coefficients: PDQCoefficients) {
    self.image = FileName.readable(image)
    pdq = coefficients.hash.hex
    quality = coefficients.quality
    orientation = Int(header.orientation.rawValue)
    variants = Dictionary(
      uniqueKeysWithValues: DihedralVariant.allCases.filter { $0 != .original }
        .map { ($0.rawValue, coefficients.hash(of: $0).hex) })
  }
}
