/// The numbers that are stored for one image.
///
/// Every part is computed from the same working image, so that an image is decoded and read once.
public struct Signature: Sendable, Hashable {
  /// The version, which changes whenever the same image would get different bytes. Signatures of
  /// different versions cannot be compared.
  public static let version: UInt16 = 7

  /// The longest side of a working image in pixels; a larger image is first reduced to it.
  public static let workingSide = 512
  /// The longest side of a working image to which a smaller image is enlarged: a piece of a screenshot has few keypoints, and of
  /// other sizes than those of the shop's image.
  package static let leastSide = 320
  /// The size of the working image in pixels.
  package var workingSize: (width: Int, height: Int) {
    Self.workingSize(of: (Int(width), Int(height)))
  }

  /// Returns the size of the working image of an image, whose own size is at most ``workingSide``.
  static func workingSize(of size: (width: Int, height: Int)) -> (width: Int, height: Int) {
    PixelBuffer.enlargedSize(of: size, toLongerSide: leastSide)
  }

  /// The longest side, in pixels, of the image that colors are computed from.
  static let colorSide = 128

  /// The lowest quality of a hash that PDQ's authors trust.
  public static let trustedQuality = 50

  /// The width in pixels of the image, reduced to at most ``workingSide`` but not enlarged.
  public let width: UInt16
  /// Its height.
  public let height: UInt16
  /// The hash of the brightness distribution. It survives new colors, blur and compression.
  public let pdq: PDQHash
  /// The quality of the hash, `0...100`; ≤ 49 is too flat.
  public let pdqQuality: UInt8
  /// The color histogram. It survives another pose and another crop.
  package let color: ColorHistogram
  /// The color layout.
  package let layout: ColorLayout
  /// The texture histogram. It survives another pose, crop and light.
  package let texture: TextureHistogram
  /// The keypoints. They survive crops, rotation, occlusion and perspective.
  package let keypoints: KeypointSet
  /// The features that the caller's model computed for the image, or `nil` if there are none.
  package var embedding: ImageEmbedding?

  /// Makes a signature from its parts. Histograms are kept in sixteen grades a bin.
  package init(
    width: UInt16, height: UInt16, pdq: PDQHash, pdqQuality: UInt8, color: ColorHistogram,
    layout: ColorLayout, texture: TextureHistogram, keypoints: KeypointSet,
    embedding: ImageEmbedding? = nil
  ) {
    self.width = width
    self.height = height
    self.pdq = pdq
    self.pdqQuality = pdqQuality
    self.color = color.graded
    self.layout = layout
    self.texture = texture.graded
    self.keypoints = keypoints
    self.embedding = embedding
  }

  /// Computes the signature of an upright image of any size.
  ///
  /// Decode with ``ImageDecoder/decode(_:longerSide:shouldStop:)`` and ``workingSide``, so that no
  /// larger image is in memory.
  ///
  /// - Complexity: O(pixels).
  public init(_ picture: PixelBuffer) {
    self = SignedPicture(picture).signature
  }
}
