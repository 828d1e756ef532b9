public import PixelMatch
public import Reading

/// The content of a question: the thing that somebody points at, as pixels, as words, or as both.
///
/// The counterpart of Apple's `SemanticContentDescriptor`.
public struct SemanticContent: Sendable {
  /// The largest number of product codes.
  package static let codeLimit = 16
  /// The largest number of characters of a product code.
  package static let codeLength = 32
  /// The largest number of lines of text.
  package static let textLimit = 64
  /// The largest number of characters of a line of text.
  package static let textLength = 200
  /// The largest number of characters of the words beside an image.
  package static let wordsLength = 200
  /// Labels beyond these are not looked at.
  package static let labelLimit = 64
  /// Unicode scalars of a label beyond these are not looked at. Scalars and not characters are counted
  /// because one character may consist of any number of scalars.
  package static let labelLength = 100

  /// Coarse English words for what is seen, in no order. Unknown ones cost nothing.
  public var labels: [String]
  /// The image, upright.
  public var pixelBuffer: PixelBuffer?
  /// The part of the image that is meant; `nil` means all of it.
  public var region: PictureRegion?
  /// The product codes that were read on the device, at most 16. A right one comes before all images.
  public var codes: [String] = []
  /// The lines of text that were read on the device, at most 64.
  public var texts: [TextLine] = []
  /// The words that a person says beside the image or its labels, such as "this, but in green", at most 200 characters; empty
  /// for none. They tell which of several like things is meant.
  public var text = ""
  /// The signature that a client computed of an image that it keeps; it counts if there is no image.
  public var signature: QuerySignature?
  /// The embedding of the image, or of the region if there is one; `nil` if no model was run. It counts if the
  /// catalogue has embeddings of the same model.
  public var embedding: ImageEmbedding?

  /// A Boolean value that indicates whether there was an image that is missing here because its decoding took too
  /// long. The answer is then that of the labels, and incomplete.
  package private(set) var isPictureLeftOut = false
  /// The codes that were read in the image's file at a finer resolution than that of ``pixelBuffer``, or `nil` if none were looked
  /// for in it.
  package var readCodes: [ReadCode]?
  /// True if the question has an image, decoded in time or not.
  package var hasImage: Bool { pixelBuffer != nil || signature != nil || isPictureLeftOut }
  /// The damage of the image's file that was passed over; `nil` if none was found.
  package private(set) var pictureDamage: DecodeError?
  /// The color space that the image's file declares, and whether its pixels were converted from it;
  /// `nil` if they are sRGB.
  package private(set) var pictureProfile: PictureProfile?

  /// The pixels that are asked about: those of the region, or of the whole image; `nil` without pixels.
  ///
  /// - Throws: ``MatchError`` with the code `regionOutside`.
  package var searchedPixels: PixelBuffer? {
    get throws(MatchError) {
      guard let pixelBuffer, let region else { return pixelBuffer }
      return try pixelBuffer.cropped(to: region)
    }
  }

  /// Labels within the limits.
  package static func bounded(_ labels: [String]) -> [String] {
    labels.prefix(labelLimit).map(bounded)
  }

  /// The part of a label that is looked at.
  package static func bounded(_ label: String) -> String {
    String(label.unicodeScalars.prefix(labelLength))
  }

  /// Makes a question from labels, an image or both.
  public init(
    labels: [String] = [], pixelBuffer: PixelBuffer? = nil, region: PictureRegion? = nil,
    signature: QuerySignature? = nil
  ) {
    self.labels = labels
    self.pixelBuffer = pixelBuffer
    self.region = region
    self.signature = signature
  }

  /// Makes a question of an image from a file, or, without one, of the labels that came with a
  /// image that could not be decoded in time.
  package init(labels: [String], decoded picture: DecodedPicture?, region: PictureRegion?) {
    self.init(labels: labels, pixelBuffer: picture?.pixels, region: region)
    isPictureLeftOut = picture == nil
    pictureDamage = picture?.damage
    pictureProfile = picture?.profile
  }

  /// Leaves the image out, since the deadline passed before it was analyzed.
  package mutating func leavePictureOut() { isPictureLeftOut = true }
}
