/// A first look at a query's image: its hash and its colors, the cheapest parts of a ``QuerySignature``.
///
/// They tell whether the image may be a copy of one of the catalogue's. The signature takes them over.
package struct ImageGlance: Sendable {
  /// The working image.
  let working: PixelBuffer
  let hashed: PDQCoefficients
  let colors: OklabPicture
  /// The hashes of the image, rotated and mirrored, in the order of `DihedralVariant.allCases`.
  package let variants: [PDQHash]
  /// The color layout.
  package let layout: ColorLayout

  /// Looks at an upright image of any size, or returns `nil` if it was told to stop.
  ///
  /// - Parameter shouldStop: A function that is called between steps.
  /// - Complexity: O(pixels).
  package init?(_ picture: PixelBuffer, shouldStop: () -> Bool) {
    let large = QuerySignature.large(picture)
    if shouldStop() { return nil }
    working = large.reduced(toLongerSide: Signature.workingSide)
    if shouldStop() { return nil }
    (hashed, colors) = SignedPicture.hashAndColors(of: working) { _ in }
    variants = DihedralVariant.allCases.map(hashed.hash(of:))
    layout = ColorLayout(colors)
  }

  /// The quality of the hashes, `0...100`.
  package var pdqQuality: UInt8 { UInt8(hashed.quality) }

  /// The width and height of the working image in pixels.
  package var size: (width: Int, height: Int) { (working.width, working.height) }

  /// Returns the signature of the image that was looked at, without keypoints, which are most of the work; `nil` if it was told to stop.
  package func signatureWithoutKeypoints(
    of picture: PixelBuffer, shouldStop: () -> Bool
  ) -> QuerySignature? {
    QuerySignature(
      picture, isSent: false, after: self, findsKeypoints: false, shouldStop: shouldStop)
  }
}
