internal import PixelMatch

/// The squares of a long image, such as a page of a marketplace with the thing above and text below. Each has a signature of its own,
/// because a thing on such an image is too small to be found once the whole is reduced.
enum LongImage {
  /// The ratio of the sides beyond which an image is long.
  static let ratio = 2.5
  /// The share of a side by which squares that follow each other differ, at the most.
  private static let step = 0.5
  /// The most squares of an image, and the ratio up to which they overlap.
  private static let (limit, overlappedRatio) = (24, 12.0)
  /// The shorter side from which on a square shows enough to be found.
  private static let leastSide = 96

  /// Returns whether an image of a size is long.
  static func isLong(width: Int, height: Int) -> Bool {
    Double(max(width, height)) > ratio * Double(min(width, height))
      && min(width, height) >= leastSide
  }

  /// Returns the signatures of an encoded image: that of the whole, and those of its squares if it is long.
  ///
  /// - Throws: ``DecodeError``.
  static func signatures(
    of bytes: [UInt8], _ decoder: ImageDecoder
  ) throws(DecodeError) -> [Signature] {
    let whole = Signature(try decoder.decode(bytes, longerSide: Signature.workingSide))
    let header = try decoder.header(of: bytes)
    guard isLong(width: header.width, height: header.height) else { return [whole] }
    let (longer, shorter) = (
      max(header.width, header.height), min(header.width, header.height)
    )
    let shown = min(Double(longer) / Double(shorter), overlappedRatio)
    let side = min(longer, Int(shown * Double(Signature.workingSide)))
    return [whole] + squares(of: try decoder.decode(bytes, longerSide: side))
  }

  /// Returns the signatures of an image in memory.
  static func signatures(of image: PixelBuffer) -> [Signature] {
    let whole = Signature(image)
    return isLong(width: image.width, height: image.height) ? [whole] + squares(of: image) : [whole]
  }

  /// Returns the signatures of the squares that show something.
  private static func squares(of image: PixelBuffer) -> [Signature] {
    let (side, length) = (min(image.width, image.height), max(image.width, image.height))
    let places = Double(length - side) / (step * Double(side))
    let count = min(limit, Int(places.rounded(.up)) + 1)
    return (0..<count).compactMap { number in
      let start = count == 1 ? 0 : (length - side) * number / (count - 1)
      let part = start..<start + side
      let square =
        image.width < image.height
        ? image.cropped(x: 0..<side, y: part) : image.cropped(x: part, y: 0..<side)
      let signature = Signature(square)
      let isFlat =
        signature.pdqQuality < Signature.trustedQuality && signature.keypoints.count < 8
      return isFlat ? nil : signature
    }
  }
}

extension SignedEntity.Image {
  /// True if it is a square of a long image.
  var isSquare: Bool { position >= EntityValue.imageLimit }

  /// Takes the signatures of a new image: that of the whole, and those of its squares.
  mutating func take(_ signatures: [Signature]) {
    signature = signatures.first
    squareSignatures = Array(signatures.dropFirst())
  }

  /// Returns the image with its squares.
  ///
  /// - Parameter stored: The images of the entity that are stored, among them the squares of an unchanged image.
  func withSquares(among stored: [ImageTable.Record]) -> [SignedEntity.Image] {
    var squares: [SignedEntity.Image] = []
    func add(_ number: Int, _ signature: Signature?, _ previous: ImageTable.Record?) {
      var square = SignedEntity.Image(
        position: EntityValue.position(ofSquare: number, ofImage: position), path: path,
        byteCount: byteCount, modified: modified, contentHash: contentHash, signature: signature,
        previous: previous)
      square.isShared = isShared
      squares.append(square)
    }
    if let previous {
      for record in stored
      where record.position != previous.position && record.contentHash == previous.contentHash
        && EntityValue.imageIndex(ofPosition: record.position) == previous.position
      {
        add(record.position / EntityValue.imageLimit, nil, record)
      }
    } else {
      for (number, signature) in squareSignatures.enumerated() { add(number + 1, signature, nil) }
    }
    return [self] + squares
  }
}
