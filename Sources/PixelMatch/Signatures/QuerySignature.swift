/// The signature of a query image. It has more parts than a signature, because a query is analyzed
/// in more ways than the images that it is compared with.
public struct QuerySignature: Sendable, Hashable {
  /// The longest side, in pixels, of the image that a query is computed from. It exceeds
  /// ``Signature/workingSide``, because the object of interest may be small in the image.
  public static let workingSide = 1024
  /// The number of pixels of the image for one of the working image above which finer keypoints are looked for.
  private static let finerRatio = 1.3

  /// One view of the image as a whole.
  package struct View: Sendable, Hashable {
    /// The left and upper edge of the view in the whole working image, in pixels.
    package let origin: SIMD2<Int>
    /// The width and height of the view in pixels of the working image.
    package let size: SIMD2<Int>
    /// The hashes of the view, rotated and mirrored, in the order of `DihedralVariant.allCases`.
    package let variants: [PDQHash]
    /// The quality of the hashes, `0...100`; ≤ 49 is too flat.
    package let pdqQuality: UInt8
    /// The color histogram.
    package let color: ColorHistogram
    /// The color layout.
    package let layout: ColorLayout
    /// The texture histogram.
    package let texture: TextureHistogram

    init(
      origin: SIMD2<Int>, size: SIMD2<Int>, variants: [PDQHash], pdqQuality: UInt8,
      color: ColorHistogram, layout: ColorLayout, texture: TextureHistogram
    ) {
      (self.origin, self.size, self.variants) = (origin, size, variants)
      (self.pdqQuality, self.color) = (pdqQuality, color)
      (self.layout, self.texture) = (layout, texture)
    }

    init(_ signed: SignedPicture, origin: SIMD2<Int>, size: SIMD2<Int>) {
      self.origin = origin
      self.size = size
      variants = DihedralVariant.allCases.map(signed.hashed.hash(of:))
      pdqQuality = UInt8(signed.hashed.quality)
      color = signed.color
      layout = signed.layout
      texture = signed.texture
    }
  }

  /// The width and height of the working image in pixels, at most ``Signature/workingSide``.
  package let size: SIMD2<Int>
  /// The whole image, then the image without its plain borders if it has some.
  package let views: [View]
  /// The keypoints of the image.
  package let keypoints: QueryKeypoints
  /// The colors of the image.
  let colors: QueryColors
  /// The marks by which patches are compared if the image stays where it is; `nil` if the image itself is searched.
  package let marks: PatchMarks?

  /// Computes the signature of an upright image of any size, to be sent in its place.
  ///
  /// Decode with ``ImageDecoder/decode(_:longerSide:shouldStop:)`` and ``workingSide``, so that no
  /// larger image is in memory.
  ///
  /// - Complexity: O(pixels).
  public init(_ picture: PixelBuffer) {
    // `shouldStop` never returns true, so the result is never `nil`.
    self.init(picture, shouldStop: { false })!
  }

  /// Computes the signature of an upright image, and can be stopped between steps of a few
  /// milliseconds.
  ///
  /// - Parameters:
  ///   - picture: The image.
  ///   - shouldStop: A function that is called between steps; `true` makes the result `nil`.
  public init?(_ picture: PixelBuffer, shouldStop: () -> Bool) {
    self.init(picture, isSent: true, shouldStop: shouldStop)
  }

  /// Computes the signature of an upright image.
  ///
  /// - Parameters:
  ///   - isSent: False if it is searched beside the image, which needs no ``marks``.
  ///   - glance: What a glance at the image has computed already, or `nil` if there was none.
  ///   - findsKeypoints: False if the keypoints are left out.
  package init?(
    _ picture: PixelBuffer, isSent: Bool, after glance: ImageGlance? = nil,
    findsKeypoints: Bool = true, shouldStop: () -> Bool
  ) {
    if shouldStop() { return nil }
    let large = Self.large(picture)
    if shouldStop() { return nil }
    let signed = glance.map { SignedPicture(large, after: $0) } ?? SignedPicture(large)
    if shouldStop() { return nil }
    size = SIMD2(signed.width, signed.height)
    colors = QueryColors(signed.colors)
    let ratio = Double(large.width) / Double(signed.width)
    let fine = findsKeypoints && ratio > Self.finerRatio ? LumaPyramid(large) : nil
    keypoints = findsKeypoints ? QueryKeypoints(signed.pyramid, fine: fine) : .none
    if shouldStop() { return nil }
    marks = isSent ? PatchMarks(fine ?? LumaPyramid(large)) : nil
    if shouldStop() { return nil }
    var views = [View(signed, origin: .zero, size: size)]
    if let content = ContentBounds(signed.colors) {
      let scale = Double(large.width) / Double(signed.colors.width)
      let part = content.scaled(by: scale, within: SIMD2(large.width, large.height))
      let inner = SignedPicture(large.cropped(x: part.x, y: part.y))
      let bounds = content.scaled(by: scale / ratio, within: size)
      views.append(
        View(
          inner, origin: SIMD2(bounds.x.lowerBound, bounds.y.lowerBound),
          size: SIMD2(bounds.x.count, bounds.y.count)))
    }
    self.views = views
  }

  /// Returns an image in the size from which finer keypoints and views are computed.
  static func large(_ picture: PixelBuffer) -> PixelBuffer {
    picture.enlarged(toLongerSide: Signature.leastSide).reduced(toLongerSide: workingSide)
  }

  init(
    size: SIMD2<Int>, views: [View], keypoints: QueryKeypoints, colors: QueryColors,
    marks: PatchMarks?
  ) {
    (self.size, self.views) = (size, views)
    (self.keypoints, self.colors, self.marks) = (keypoints, colors, marks)
  }

  /// The 99th percentile of the chroma in Oklab, `0...0.4`: some 0.004 in an image without color.
  package var chroma: Double { Double(colors.chroma) / 1000 }

  /// The degree to which the image has color, `0...1`.
  package var colorfulness: Double { colors.colorfulness }

  /// A Boolean value that indicates whether the image is too plain to be identified by its hash or
  /// its keypoints.
  package var isFlat: Bool {
    views.allSatisfy { $0.pdqQuality < Signature.trustedQuality } && keypoints.count < 8
  }

  /// A Boolean value that indicates whether the image is one plain area, so that only labels can
  /// describe it.
  package var isBlank: Bool { views[0].pdqQuality == 0 && keypoints.count == 0 }
}
