/// What is computed from the picture of a query: more than a signature holds, since a query is looked
/// at in more ways than the pictures that it is held against.
public struct QuerySignature: Sendable, Hashable {
  /// The longest side of the picture that a query looks at: what it is asked about may be small in
  /// it.
  public static let workingSide = 1024

  /// One way to see the picture as a whole.
  public struct View: Sendable, Hashable {
    /// Left and upper edge of the view in the whole working image, in pixels.
    public let origin: SIMD2<Int>
    /// Width and height of the view in the same pixels.
    public let size: SIMD2<Int>
    /// The hashes of the view turned and mirrored, in the order of `DihedralVariant.allCases`.
    public let variants: [PDQHash]
    /// How much the hashes can be trusted, `0...100`; ≤ 49 is too flat.
    public let pdqQuality: UInt8
    /// How much there is of each color.
    public let color: ColorHistogram
    /// Which color is where.
    public let layout: ColorLayout
    /// How much there is of each texture.
    public let texture: TextureHistogram

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

  /// Width and height of the working image in pixels, at most ``Signature/workingSide``.
  public let size: SIMD2<Int>
  /// The whole picture, then what is left of it without plain borders, where it has some.
  public let views: [View]
  /// The picture's corners.
  public let keypoints: QueryKeypoints
  /// The picture's colors.
  let colors: OklabPicture

  /// Computes the signature of an upright picture of any size.
  ///
  /// Decode with ``ImageDecoder/decode(_:longerSide:shouldStop:)`` and ``workingSide`` so that no
  /// larger picture stands in memory.
  ///
  /// - Complexity: O(pixels).
  public init(_ picture: PixelBuffer) {
    // Nothing stops it.
    self.init(picture, shouldStop: { false })!
  }

  /// The same, given up between its steps, of some milliseconds each, when it is to stop.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - shouldStop: Asked between steps; `true` makes the result `nil`.
  public init?(_ picture: PixelBuffer, shouldStop: () -> Bool) {
    if shouldStop() { return nil }
    let large = picture.reduced(toLongerSide: Self.workingSide)
    if shouldStop() { return nil }
    let signed = SignedPicture(large)
    if shouldStop() { return nil }
    size = SIMD2(signed.width, signed.height)
    colors = signed.colors
    let ratio = Double(large.width) / Double(signed.width)
    keypoints = QueryKeypoints(
      signed.pyramid, fine: ratio > 1.3 ? (LumaPyramid(large), ratio) : nil)
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

  init(size: SIMD2<Int>, views: [View], keypoints: QueryKeypoints, colors: OklabPicture) {
    (self.size, self.views) = (size, views)
    (self.keypoints, self.colors) = (keypoints, colors)
  }

  /// Whether the picture is too plain to be told from others by its hash or its corners.
  public var isFlat: Bool {
    views.allSatisfy { $0.pdqQuality < Signature.trustedQuality } && keypoints.count < 8
  }

  /// Whether the picture is one plain area, so that only words can tell what it shows.
  public var isBlank: Bool { views[0].pdqQuality == 0 && keypoints.count == 0 }
}
