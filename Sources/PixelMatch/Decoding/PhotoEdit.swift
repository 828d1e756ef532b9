/// A mild edit that makes a shop's image look as if somebody had cut it out of a page or taken a photo of it: it is cropped, reduced, turned a little, seen in a
/// warmer light and saved again. The same number gives the same edit, in the same bytes on every machine: all of it is done with integers.
package struct PhotoEdit: Sendable, Hashable {
  /// The parts that are cut off at the left, at the top, at the right and at the bottom, in shares of the side; ``shares`` are all of it.
  private let cut: [Int]
  /// The longer side in pixels, and the quality of the file on libjpeg's scale.
  private let (side, quality): (Int, Int)
  /// The tangent of half the angle, in ``shares``.
  private let halfTangent: Int
  /// The factors of red, green and blue; ``shares`` are 1.
  private let gains: [Int]

  private static let shares = 1024
  /// The most that is cut off at each side, the largest tangent of half an angle (5°), and the lightest and the most that light and warmth change.
  private static let (mostCut, mostTurn, mostDarker, mostWarmer) = (62, 45, 102, 82)

  /// Makes the edit of a number: even ones are pieces of a page, and odd ones photos.
  package init(number: UInt64) {
    var random = SplitMix(state: number)
    let isPhoto = number & 1 == 1
    cut = (0..<4).map { _ in random.below(Self.mostCut + 1) }
    (side, quality) = isPhoto ? (640, 80) : (420, 62)
    halfTangent = isPhoto ? random.below(2 * Self.mostTurn + 1) - Self.mostTurn : 0
    let light = Self.shares - (isPhoto ? random.below(Self.mostDarker + 1) : 0)
    let warmth = isPhoto ? random.below(Self.mostWarmer + 1) : 0
    gains = [
      light, light - light * warmth / (2 * Self.shares), light - light * warmth / Self.shares,
    ]
  }

  /// Returns an edited image.
  ///
  /// - Complexity: O(pixels).
  package func applied(to image: PixelBuffer) -> PixelBuffer {
    func kept(_ length: Int, _ start: Int, _ end: Int) -> Range<Int> {
      length * start / Self.shares..<length - length * end / Self.shares
    }
    let part = image.cropped(
      x: kept(image.width, cut[0], cut[2]), y: kept(image.height, cut[1], cut[3]))
    let edited = turned(part.reduced(toLongerSide: side))
    let decoder = ImageDecoder()
    // A build without codecs has no images that could be edited.
    guard let file = try? decoder.jpeg(of: edited, longerSide: side, quality: quality) else {
      return edited
    }
    return (try? decoder.decode(file, longerSide: side)) ?? edited
  }

  /// Returns an image that is turned around its center, in another light. Beyond its borders, these go on.
  private func turned(_ image: PixelBuffer) -> PixelBuffer {
    let (width, height) = (image.width, image.height)
    let whole = image.cropped(x: 0..<width, y: 0..<height).bytes
    let (one, tangent) = (Self.shares * Self.shares, halfTangent * halfTangent)
    // The parts of the rotation, of 65 536, by the half angle.
    let cosine = ((one - tangent) << 16) / (one + tangent)
    let sine = ((2 * halfTangent * Self.shares) << 16) / (one + tangent)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(whole.count)
    for y in 0..<height {
      for x in 0..<width {
        let (u, v) = (2 * x - width + 1, 2 * y - height + 1)
        // A place in the image, of which 256 are a pixel.
        let fromX = (cosine * u + sine * v) >> 9 + (width - 1) << 7
        let fromY = (cosine * v - sine * u) >> 9 + (height - 1) << 7
        let place = (
          x: max(0, min((width - 1) << 8, fromX)), y: max(0, min((height - 1) << 8, fromY))
        )
        let (left, top) = (place.x >> 8, place.y >> 8)
        let (right, bottom) = (min(left + 1, width - 1), min(top + 1, height - 1))
        let (shareX, shareY) = (place.x & 255, place.y & 255)
        for channel in 0..<3 {
          func value(_ column: Int, _ row: Int) -> Int {
            Int(whole[4 * (row * width + column) + channel])
          }
          let upper = value(left, top) * (256 - shareX) + value(right, top) * shareX
          let lower = value(left, bottom) * (256 - shareX) + value(right, bottom) * shareX
          let mean = (upper * (256 - shareY) + lower * shareY + 32768) >> 16
          pixels.append(UInt8(min(255, mean * gains[channel] / Self.shares)))
        }
        pixels.append(255)
      }
    }
    return PixelBuffer(pixels: pixels, width: width, height: height)
  }
}
