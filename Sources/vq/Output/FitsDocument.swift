import VisualQuery

/// The JSON form of the fits of an index, `vq.fits/1`.
struct FitsDocument: Sendable, Encodable {
  let schema = "vq.fits/1"
  /// True if the last fit counts.
  let counts: Bool
  let fits: [ShopFit]
  let own: ShopNull?

  init(_ fits: ShopFits, own: ShopNull?) {
    counts = fits.current?.isOfThisCalibration ?? false
    (self.fits, self.own) = (fits.all, own)
  }
}
