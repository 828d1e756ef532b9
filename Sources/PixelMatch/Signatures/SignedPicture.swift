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
    ownSize = AreaReducer.size(
      of: (picture.width, picture.height), longerSide: Signature.workingSide)
    (width, height) = (working.width, working.height)
    let small = AreaReducer.size(of: (width, height), longerSide: Signature.colorSide)
    var hasher = PDQHasher(width: width, height: height)
    var corners = LumaPyramidBuilder(width: width, height: height)
    if small == (width, height) {
      working.forEachRGBARow { row, _ in
        hasher.append(rgba: row)
        corners.append(rgba: row)
      }
      colors = OklabPicture(working)
    } else {
      var reducer = AreaReducer(
        sourceWidth: width, sourceHeight: height, width: small.width, height: small.height)
      working.forEachRGBARow { row, _ in
        hasher.append(rgba: row)
        corners.append(rgba: row)
        reducer.append(row)
      }
      colors = OklabPicture(reducer.finish())
    }
    hashed = hasher.finish()
    pyramid = corners.finish()
    let weights = PixelWeights(colors)
    color = ColorHistogram(colors, weights: weights)
    layout = ColorLayout(colors)
    texture = TextureHistogram(pyramid, colors, weights: weights)
  }

  /// The signature. The keypoints are found when it is read.
  var signature: Signature {
    Signature(
      width: UInt16(ownSize.width), height: UInt16(ownSize.height), pdq: hashed.hash,
      pdqQuality: UInt8(hashed.quality), color: color, layout: layout, texture: texture,
      keypoints: KeypointSet(pyramid))
  }
}
