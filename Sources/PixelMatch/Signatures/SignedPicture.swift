/// The whole-image parts of a signature, and the intermediate results that other code needs.
struct SignedPicture {
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
  ///
  /// A small image is enlarged for all but the hash, which is that of the image as it is.
  ///
  /// - Parameter original: The image as it is, if `picture` was enlarged before.
  init(_ picture: PixelBuffer, enlargedFrom original: PixelBuffer? = nil) {
    let working = picture.enlarged(toLongerSide: Signature.leastSide)
      .reduced(toLongerSide: Signature.workingSide)
    let isEnlarged = max(picture.width, picture.height) < Signature.leastSide
    let original = original ?? (isEnlarged ? picture : nil)
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
    hashed = original.map(PDQHasher.coefficients) ?? hasher.finish()
    pyramid = corners.finish()
    let weights = PixelWeights(colors)
    color = ColorHistogram(colors, weights: weights)
    layout = ColorLayout(colors)
    texture = TextureHistogram(pyramid, colors, weights: weights)
  }

  /// The signature. The keypoints are found when it is read.
  var signature: Signature {
    Signature(
      width: UInt16(width), height: UInt16(height), pdq: hashed.hash,
      pdqQuality: UInt8(hashed.quality), color: color, layout: layout, texture: texture,
      keypoints: KeypointSet(pyramid))
  }
}
