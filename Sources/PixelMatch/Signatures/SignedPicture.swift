/// The whole-image parts of a signature, and the intermediate results that other code needs.
struct SignedPicture {
  /// The size of the image as it is, at most ``Signature/workingSide``.
  private let ownSize: (width: Int, height: Int)
  let width: Int
  let height: Int
  let hashed: PDQCoefficients
  let colors: OklabPicture
  let pyramid: LumaPyramid
  let color: ColorHistogram
  let layout: ColorLayout
  let texture: TextureHistogram

  /// Computes the parts. Each row of the working image goes to the hash, to the pyramid for the
  /// keypoints, and to the smaller image for the colors.
  init(_ picture: PixelBuffer) {
    let working = picture.enlarged(toLongerSide: Signature.leastSide)
      .reduced(toLongerSide: Signature.workingSide)
    var corners = LumaPyramidBuilder(width: working.width, height: working.height)
    let parts = Self.hashAndColors(of: working) { corners.append(rgba: $0) }
    self.init(picture, parts, corners.finish())
  }

  /// Computes the parts that a glance at the image lacks.
  ///
  /// - Precondition: The glance is at `picture`.
  init(_ picture: PixelBuffer, after glance: ImageGlance) {
    var corners = LumaPyramidBuilder(width: glance.working.width, height: glance.working.height)
    glance.working.forEachRGBARow { row, _ in corners.append(rgba: row) }
    self.init(picture, (glance.hashed, glance.colors), corners.finish())
  }

  private init(
    _ picture: PixelBuffer, _ parts: (hashed: PDQCoefficients, colors: OklabPicture),
    _ pyramid: LumaPyramid
  ) {
    (hashed, colors, self.pyramid) = (parts.hashed, parts.colors, pyramid)
    ownSize = AreaReducer.size(
      of: (picture.width, picture.height), longerSide: Signature.workingSide)
    (width, height) = (pyramid.planes[0].width, pyramid.planes[0].height)
    let weights = PixelWeights(colors)
    color = ColorHistogram(colors, weights: weights)
    layout = ColorLayout(colors)
    texture = TextureHistogram(pyramid, colors, weights: weights)
  }

  /// Returns the hash and the colors of a working image, whose rows are read once.
  ///
  /// - Parameter body: A function that is called with each row.
  static func hashAndColors(
    of working: PixelBuffer, eachRow body: (Span<UInt8>) -> Void
  ) -> (hashed: PDQCoefficients, colors: OklabPicture) {
    let (width, height) = (working.width, working.height)
    let small = AreaReducer.size(of: (width, height), longerSide: Signature.colorSide)
    var hasher = PDQHasher(width: width, height: height)
    guard small != (width, height) else {
      working.forEachRGBARow { row, _ in
        hasher.append(rgba: row)
        body(row)
      }
      return (hasher.finish(), OklabPicture(working))
    }
    var reducer = AreaReducer(
      sourceWidth: width, sourceHeight: height, width: small.width, height: small.height)
    working.forEachRGBARow { row, _ in
      hasher.append(rgba: row)
      body(row)
      reducer.append(row)
    }
    return (hasher.finish(), OklabPicture(reducer.finish()))
  }

  /// The signature. The keypoints are found when it is read.
  var signature: Signature {
    Signature(
      width: UInt16(ownSize.width), height: UInt16(ownSize.height), pdq: hashed.hash,
      pdqQuality: UInt8(hashed.quality), color: color, layout: layout, texture: texture,
      keypoints: KeypointSet(pyramid))
  }
}
