/// A step of the work on a query, whose time can be watched with ``Matcher/onStep``.
///
/// The steps are in the order in which they run. A query without text, for example, has no step ``text``.
package enum QueryStep: String, Sendable, Hashable, CaseIterable {
  /// The image is decoded.
  case decoding
  /// Filters and labels are looked up.
  case filters
  /// The image is compared with those of the catalogue by its hash and its colors, which ends the search if it is a copy of one.
  case glance
  /// The signature of the image is computed: hashes, colors, texture and keypoints.
  case signature
  /// Entities that share a label are found.
  case labels
  /// Codes are read and looked up.
  case codes
  /// The hashes of all images are scanned, and the nearest images compared.
  case hashes
  /// Keypoints vote for images.
  case votes
  /// The colors and textures of all images are scanned.
  case appearance
  /// The embeddings of all images are scanned.
  case embeddings
  /// Candidates are fetched from shards, in engine mode.
  case shards
  /// Text is read in the image and compared with that of the catalogue.
  case text
  /// The likeliest candidates are compared in detail, which ends the search if one of them is all that the image shows.
  case wholeImage
  /// The keypoints and colors of the best candidates are compared at aligned places.
  case geometry
  /// The patches of the best aligned candidates are compared.
  case patches
  /// Small things are looked for in windows of the image.
  case windows
  /// Parts of the image are searched on their own.
  case regions
  /// Candidates that colors contradict are compared with the image in neutral light.
  case light
  /// The candidates are ranked.
  case ranking
  /// The entities of the answer are looked up.
  case lookup
}

extension Matcher {
  /// The instant at which a step begins, or `nil` if nobody watches.
  func beginStep() -> ContinuousClock.Instant? { onStep == nil ? nil : .now }

  /// Tells the watcher that a step has ended.
  func endStep(_ step: QueryStep, since start: ContinuousClock.Instant?) {
    if let start { onStep?(step, .now - start) }
  }
}
