internal import PixelMatch

/// A row of one of the segments that a query searches.
struct SegmentRow: Sendable, Hashable, Comparable {
  /// The index of the segment.
  let segment: Int
  /// The row within the segment.
  let row: Int

  static func < (a: SegmentRow, b: SegmentRow) -> Bool {
    (a.segment, a.row) < (b.segment, b.row)
  }
}

/// The place of an image's signature: a segment of the catalogue, or one that was made of fetched
/// signatures.
struct StoredImage: Sendable {
  let segment: SignatureSegment
  let row: Int
}

/// The weight of the keypoint votes for an image.
struct KeypointVoteCount: Sendable, Hashable {
  /// The votes for the image as it is.
  var upright = 0
  /// The votes for its mirror image.
  var mirrored = 0

  var best: Int { max(upright, mirrored) }

  /// True if a clear majority of the votes is for the mirrored image. Few images are mirrored, and either form can
  /// lead by a few votes by chance.
  var isMirrored: Bool { 2 * mirrored > 3 * upright }
}

/// The rows that a stage found in the images of one type, and how much of them it looked at.
struct CandidateRows: Sendable {
  /// Each row with its votes, which are zero if a scan found it.
  var votes: [SegmentRow: KeypointVoteCount] = [:]
  var scannedRows = 0
  var plannedRows = 0
  /// True if something else than an image tells their entities apart, such as words: then all are candidates, however many have one image.
  var areNamed = false
}

/// An image that may show what the query shows, and what was measured of it.
struct Candidate: Sendable {
  let row: SegmentRow
  /// The key of the entity that the image belongs to.
  let key: UInt32
  var votes = KeypointVoteCount()
  var measured: ImageComparison.Measurement
  /// The value of ``Evidence/Kind/labels``, or `nil` if no label of the query is known.
  let labels: Double?
  var isGeometryVerified = false
  /// True if its alignment is that of a window, which keypoints have proposed.
  var isFromWindow = false

  /// The evidence for it.
  ///
  /// - Parameter comparison: The comparison that measured it.
  func evidence(_ comparison: ImageComparison) -> MeasuredEvidence {
    MeasuredEvidence(
      hash: measured.hash, color: measured.color, texture: measured.texture, votes: votes.best,
      inliers: measured.alignment?.inliers ?? 0, agreement: measured.agreement,
      residual: measured.residual, contradiction: measured.contradiction, labels: labels,
      embedding: measured.embedding, embeddingFactor: comparison.embeddingFactor,
      patches: measured.patches, colorfulness: comparison.colorfulness,
      claim: measured.alignment?.claim ?? ImageClaim(), isFromWindow: isFromWindow)
  }
}
