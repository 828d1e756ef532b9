/// All that is remembered of one picture.
///
/// Every part is computed from the same working image, so that a picture is decoded and read once.
public struct Signature: Sendable, Hashable {
  /// Changes whenever the same picture would get other bytes. Signatures of different versions do
  /// not compare.
  public static let version: UInt16 = 3

  /// The longest side of a working image in pixels; a larger picture is reduced to it first.
  public static let workingSide = 512
  /// The longest side of the picture that colors are taken from.
  static let colorSide = 128

  /// PDQ's authors distrust a hash of less quality than this.
  public static let trustedQuality = 50

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
  /// How much there is of each texture: survives another pose, crop and light.
  public let texture: TextureHistogram
  /// Its corners: survive crops, turns, occlusion and perspective.
  public let keypoints: KeypointSet

  /// Makes a signature from its parts.
  public init(
    width: UInt16, height: UInt16, pdq: PDQHash, pdqQuality: UInt8, color: ColorHistogram,
    layout: ColorLayout, texture: TextureHistogram, keypoints: KeypointSet
  ) {
    self.width = width
    self.height = height
    self.pdq = pdq
    self.pdqQuality = pdqQuality
    self.color = color
    self.layout = layout
    self.texture = texture
    self.keypoints = keypoints
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
