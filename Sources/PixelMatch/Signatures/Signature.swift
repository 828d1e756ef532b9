/// All that is remembered of one picture.
///
/// Every part is computed from the same working image, so that a picture is decoded and read once.
public struct Signature: Sendable, Hashable {
  /// Changes whenever the same picture would get other bytes. Signatures of different versions do
  /// not compare.
  public static let version: UInt16 = 1

  /// The longest side of a working image in pixels; a larger picture is reduced to it first.
  public static let workingSide = 512
  /// The longest side of the picture that colors are taken from.
  static let colorSide = 128

  /// Width of the working image in pixels.
  public let width: UInt16
  /// Height of the working image in pixels.
  public let height: UInt16
  /// How the brightness is distributed: survives new colors, blur and compression.
  public let pdq: PDQHash
  /// How much the hash can be trusted, `0...100`; ≤ 49 is too flat.
  public let pdqQuality: UInt8
  /// How much there is of each color: survives another pose and another crop.
  public let color: ColorHistogram
  /// Which color is where.
  public let layout: ColorLayout

  /// Makes a signature from its parts.
  public init(
    width: UInt16, height: UInt16, pdq: PDQHash, pdqQuality: UInt8, color: ColorHistogram,
    layout: ColorLayout
  ) {
    self.width = width
    self.height = height
    self.pdq = pdq
    self.pdqQuality = pdqQuality
    self.color = color
    self.layout = layout
  }

  /// Computes the signature of an upright picture of any size.
  ///
  /// Decode with ``ImageDecoder/decode(_:longerSide:shouldStop:)`` and ``workingSide`` so that no
  /// larger picture stands in memory.
  ///
  /// - Complexity: O(pixels).
  public init(_ picture: PixelBuffer) {
    self = SignedPicture(picture).signature
  }
}

/// A picture's signature, and the cosine terms that its hash came from.
private struct SignedPicture {
  let signature: Signature
  let hashed: PDQCoefficients

  /// Each row of the working image goes to the hash and to the smaller picture for the colors.
  init(_ picture: PixelBuffer) {
    let working = picture.reduced(toLongerSide: Signature.workingSide)
    let (width, height) = (working.width, working.height)
    let small = AreaReducer.size(of: (width, height), longerSide: Signature.colorSide)
    var hasher = PDQHasher(width: width, height: height)
    let colors: OklabPicture
    if small == (width, height) {
      working.forEachRGBARow { row, _ in hasher.append(rgba: row) }
      colors = OklabPicture(working)
    } else {
      var reducer = AreaReducer(
        sourceWidth: width, sourceHeight: height, width: small.width, height: small.height)
      working.forEachRGBARow { row, _ in
        hasher.append(rgba: row)
        reducer.append(row)
      }
      colors = OklabPicture(reducer.finish())
    }
    hashed = hasher.finish()
    signature = Signature(
      width: UInt16(width), height: UInt16(height), pdq: hashed.hash,
      pdqQuality: UInt8(hashed.quality), color: ColorHistogram(colors),
      layout: ColorLayout(colors))
  }
}

/// What is computed from the picture of a query: its signature, and its hash under all variants.
public struct QuerySignature: Sendable, Hashable {
  /// The picture's signature.
  public let signature: Signature
  /// The hashes of the picture turned and mirrored, in the order of `DihedralVariant.allCases`.
  public let variants: [PDQHash]

  /// Computes the signature of an upright picture of any size.
  ///
  /// - Complexity: O(pixels).
  public init(_ picture: PixelBuffer) {
    let signed = SignedPicture(picture)
    signature = signed.signature
    variants = DihedralVariant.allCases.map(signed.hashed.hash(of:))
  }
}
