internal import PixelMatch

/// The search among the images of one entity type.
struct TypeSearch: Sendable {
  /// The most candidates whose geometry is verified: the best by votes, and the best by score.
  private static let (verifiedByVotes, verifiedByScore) = (96, 48)
  /// The number of these that are verified first, by votes and by score alike.
  private static let verifiedFirst = 8
  /// The most candidates that are compared once more with a part of the image.
  private static let lookedAtAgain = 32
  /// The most candidates with one image, besides those that have a label of the query: no comparison can tell more of them apart.
  private static let copyLimit = 32
  /// The most candidates whose patches are compared in one part of the image, and in all.
  private static let (comparedByPatches, comparedInAll) = (4, 12)

  let type: EntityType
  let segments: [LiveSegment]
  private(set) var comparison: ImageComparison
  private(set) var candidates: [SegmentRow: Candidate] = [:]
  /// The signatures that were fetched, if the segments have none.
  private var fetched: [SegmentRow: StoredImage] = [:]
  /// The candidates whose geometry is verified, chosen before the first of them is.
  private var planned: VerifiedRows?
  /// The first of the candidates with the same image, for those that have one, and the candidates that are the first with each hash.
  private var (copied, firsts): ([SegmentRow: SegmentRow], [PDQHash: [SegmentRow]]) = ([:], [:])
  /// The number of further candidates with the image of a first one.
  private var copyCounts: [SegmentRow: Int] = [:]

  /// - Parameter covered: Boxes of the query that show other things.
  init(
    _ type: EntityType, _ segments: [LiveSegment], _ signature: QuerySignature,
    outside covered: [ImageBox] = []
  ) {
    self.type = type
    self.segments = segments
    comparison = ImageComparison(signature, in: segments, outside: covered)
  }

  /// Compares the query's embedding with those of the images from now on, and of the candidates so far.
  ///
  /// - Parameters:
  ///   - directions: The directions that are fitted to the catalogue, if there are some.
  ///   - sample: Segments that tell how near embeddings usually are, or `nil` for those of the search.
  ///   - shouldStop: Asked while the embedding is prepared; `true` leaves it out.
  mutating func compare(
    _ embedding: ImageEmbedding, by directions: EmbeddingDirections?,
    sample: [LiveSegment]? = nil, shouldStop: () -> Bool
  ) {
    comparison.compare(
      embedding, in: sample ?? segments, by: directions, shouldStop: shouldStop)
    for row in candidates.keys {
      let distinction = comparison.distinction(of: image(row))
      candidates[row]?.measured.embedding = distinction
    }
  }

  /// A candidate image with an embedding.
  struct EmbeddedImage: Sendable {
    /// The cosine of the angle to the query's embedding.
    let cosine: Double
    /// See ``Evidence/Kind/embedding``, here without a limit.
    let distinction: Double
    /// The index among the entity's images.
    let position: Int
  }

  /// Returns the candidate image of each entity whose embedding is nearest to the query's.
  func nearest(to embedding: ImageEmbedding) -> [UInt32: EmbeddedImage] {
    var nearest: [UInt32: EmbeddedImage] = [:]
    for candidate in candidates.values {
      let stored = image(candidate.row)
      guard let cosine = stored.segment.embedding(at: stored.row)?.similarity(to: embedding) else {
        continue
      }
      let position = position(of: candidate)
      let best = nearest[candidate.key]
      if best.map({ ($0.cosine, -$0.position) < (cosine, -position) }) ?? true {
        nearest[candidate.key] = EmbeddedImage(
          cosine: cosine, distinction: comparison.unlimitedDistinction(of: stored),
          position: EntityValue.imageIndex(ofPosition: position))
      }
    }
    return nearest
  }

  /// The keys of the rows that are not candidates yet.
  func newKeys(of rows: some Collection<SegmentRow>) -> Set<UInt32> {
    Set(rows.lazy.filter { candidates[$0] == nil }.map(key))
  }

  private func key(of row: SegmentRow) -> UInt32 {
    segments[row.segment].segment.key(at: row.row)
  }

  /// Returns where the signature of a row is.
  private func image(_ row: SegmentRow) -> StoredImage {
    fetched[row] ?? StoredImage(segment: segments[row.segment].segment, row: row.row)
  }

  /// Holds the signatures of some rows.
  mutating func hold(_ images: [SegmentRow: StoredImage]) {
    fetched.merge(images) { $1 }
  }

  /// Compares new rows with the query and records the votes of all.
  ///
  /// - Parameter labels: The value of ``Evidence/Kind/labels`` for the entity of a key.
  mutating func add(_ found: CandidateRows, labels: (UInt32) -> Double?) {
    planned = nil
    let new = found.votes.keys.filter { candidates[$0] == nil }.sorted()
    beginReading(.appearance, of: new)
    var copies: [SegmentRow: [SegmentRow]] = [:]
    for row in new {
      let first = firstWithImage(of: row)
      if first != row, !found.areNamed {
        copies[first, default: []].append(row)
      } else {
        if first != row { copied[row] = first }
        take(row, labels: labels(key(of: row)))
      }
    }
    for (first, rows) in copies { takeSome(of: rows, with: first, labels) }
    for (row, votes) in found.votes where votes.best > 0 { candidates[row]?.votes = votes }
  }

  /// Makes a row a candidate.
  private mutating func take(_ row: SegmentRow, labels: Double?) {
    candidates[row] = Candidate(
      row: row, key: key(of: row), measured: comparison.measure(image(row)), labels: labels)
  }

  /// Makes those rows with one image candidates that have a label of the query, and of the others as many as there is room for, evenly spaced:
  /// the variants of one product often are side by side, and an image counts as common if different products have it.
  private mutating func takeSome(
    of rows: [SegmentRow], with first: SegmentRow, _ labels: (UInt32) -> Double?
  ) {
    var others: [SegmentRow] = []
    for row in rows {
      let rarity = labels(key(of: row))
      if rarity ?? 0 > 0 {
        copied[row] = first
        take(row, labels: rarity)
      } else {
        others.append(row)
      }
    }
    let room = min(others.count, Self.copyLimit - copyCounts[first, default: 0])
    for index in 0..<max(0, room) {
      let row = others[index * others.count / room]
      copied[row] = first
      take(row, labels: labels(key(of: row)))
    }
    copyCounts[first, default: 0] += room
  }

  /// Returns the first of the candidates with the image of a row, which may be the row itself.
  private mutating func firstWithImage(of row: SegmentRow) -> SegmentRow {
    let stored = image(row)
    let hash = stored.segment.pdq(at: stored.row)
    if let known = firsts[hash]?.first(where: { image($0).isSamePicture(as: stored) }) {
      return known
    }
    firsts[hash, default: []].append(row)
    return row
  }

  /// Returns the candidate that stands for all with its image.
  private func first(of row: SegmentRow) -> SegmentRow { copied[row] ?? row }

  /// Returns the first elements with some different images, and all others with one of these images.
  private func prefix<Element>(
    _ limit: Int, of ranked: some Sequence<Element>, row: (Element) -> SegmentRow
  ) -> [Element] {
    var images: Set<SegmentRow> = []
    return ranked.filter { element in
      let image = first(of: row(element))
      if images.contains(image) { return true }
      return images.count < limit && images.insert(image).inserted
    }
  }

  /// Tells the system to read ahead a part of some rows, before the first of them is needed.
  private func beginReading(_ part: SignatureSegment.RowPart, of rows: [SegmentRow]) {
    let stored = rows.filter { fetched[$0] == nil }
    for (segment, rows) in Dictionary(grouping: stored, by: \.segment) {
      segments[segment].segment.beginReading(part, of: rows.map(\.row))
    }
  }

  /// Verifies the geometry of the candidates that are worth it and were not verified yet, the best first.
  ///
  /// - Returns: The share that was verified before the search had to stop.
  mutating func verifyGeometry(shouldStop: () -> Bool) -> Double {
    let rows = rowsToVerify()
    return verifyGeometry(of: rows.first + rows.others, shouldStop: shouldStop)
  }

  /// Verifies the geometry of a few candidates: the best by votes, and the best by score.
  ///
  /// - Returns: A search among these alone, and the best score of the others; `nil` if the search had to stop before.
  mutating func verifyFirst(shouldStop: () -> Bool) -> (search: TypeSearch, others: Double)? {
    let rows = rowsToVerify()
    planned = rows
    guard verifyGeometry(of: rows.first, shouldStop: shouldStop) == 1 else { return nil }
    var search = self
    let first = Set(rows.first)
    search.candidates = candidates.filter { first.contains($0.key) }
    return (search, rows.bestOther)
  }

  /// Verifies the geometry of some candidates that were not verified yet, in this order.
  ///
  /// - Returns: The share that was verified before the search had to stop.
  @discardableResult
  mutating func verifyGeometry(
    of planned: [SegmentRow], shouldStop: () -> Bool
  ) -> Double {
    let rows = planned.filter { candidates[$0]?.isGeometryVerified == false }
    beginReading(.alignment, of: rows)
    var verified: [Copy: ImageComparison.Measurement] = [:]
    for (done, row) in rows.enumerated() {
      if shouldStop() { return Double(planned.count - rows.count + done) / Double(planned.count) }
      guard var candidate = candidates[row] else { continue }
      let votes = candidate.votes
      let isMirrored = votes.best > 0 ? votes.isMirrored : candidate.measured.variant.isMirrored
      let copy = Copy(row: first(of: row), isMirrored: isMirrored)
      if let known = verified[copy] {
        candidate.measured.takeAlignment(of: known)
      } else {
        comparison.verify(&candidate.measured, image(row), isMirrored: isMirrored)
        verified[copy] = candidate.measured
      }
      candidate.isGeometryVerified = true
      candidates[row] = candidate
    }
    return 1
  }

  /// An image as it is verified once, whatever number of candidates have it.
  private struct Copy: Hashable {
    let row: SegmentRow
    let isMirrored: Bool
  }

  /// A candidate that agrees with the query so clearly that others may share what agrees.
  struct Witness: Sendable {
    let row: SegmentRow
    let key: UInt32
    let stored: StoredImage
    /// The row that stands for all with the same image.
    let picture: SegmentRow
    let hash: Double
    /// The parts of the query in which keypoints agree, or `nil` if those are few.
    let claim: ImageClaim?
  }

  /// The candidates whose hash is near that of the query, or whose keypoints agree with it, in the order of their rows.
  var witnesses: [Witness] {
    candidates.values.compactMap { candidate -> Witness? in
      let (hash, alignment) = (candidate.measured.hash, candidate.measured.alignment)
      let isAligned = (alignment?.inliers ?? 0) >= Rivals.claimingInliers
      guard isAligned || hash >= Commonness.sharedHash.lowerBound else { return nil }
      return Witness(
        row: candidate.row, key: candidate.key, stored: image(candidate.row),
        picture: first(of: candidate.row), hash: hash, claim: isAligned ? alignment?.claim : nil)
    }.sorted { $0.row < $1.row }
  }

  /// Adds rows that keypoints of a part of the image align. Of several alignments of one row, the whole image's
  /// included, the first one with the most inliers is kept.
  ///
  /// - Parameter labels: The value of ``Evidence/Kind/labels`` for the entity of a key.
  mutating func addAligned(
    _ found: [(row: SegmentRow, alignment: Alignment)], labels: (UInt32) -> Double?
  ) {
    func inliers(_ row: SegmentRow) -> Int { candidates[row]?.measured.alignment?.inliers ?? 0 }
    for (row, alignment) in found where alignment.inliers > inliers(row) {
      if candidates[row] == nil {
        let first = firstWithImage(of: row)
        if first == row {
          take(row, labels: labels(key(of: row)))
        } else {
          takeSome(of: [row], with: first, labels)
        }
      }
      guard var candidate = candidates[row] else { continue }
      candidate.measured.alignment = alignment
      comparison.compareColors(&candidate.measured, image(row))
      candidate.isGeometryVerified = true
      candidate.isFromWindow = true
      candidates[row] = candidate
    }
  }

  /// The images whose patches are worth comparing and were not: the best image of each entity, as ``mergeBestImages(into:_:frame:)``
  /// chooses it, those with the most inliers first. Several images of one entity would leave out its siblings, and so would several
  /// entities of one image.
  fileprivate func rowsToCompareByPatches() -> [SegmentRow] {
    let aligned = Set(
      candidates.values.lazy.filter {
        ($0.measured.alignment?.inliers ?? 0) >= Rivals.claimingInliers
      }.map(\.key))
    typealias Found = (candidate: Candidate, evidence: MeasuredEvidence, rank: (Double, Int))
    var best: [UInt32: Found] = [:]
    for candidate in candidates.values where aligned.contains(candidate.key) {
      var evidence = candidate.evidence(comparison)
      evidence.embedding = nil
      let rank = (evidence.score, -position(of: candidate))
      if let other = best[candidate.key], other.rank >= rank { continue }
      best[candidate.key] = (candidate, evidence, rank)
    }
    let ranked = best.values.filter { $0.evidence.inliers >= Rivals.claimingInliers }.sorted {
      ($1.evidence.inliers, $0.candidate.row) < ($0.evidence.inliers, $1.candidate.row)
    }
    // Limits the number of candidates for each part of the query. If it counted candidates for
    // other parts, those of one thing in the image would leave no room for those of another.
    var (chosen, copies): ([Found], [Found]) = ([], [])
    for found in ranked {
      let image = first(of: found.candidate.row)
      if chosen.contains(where: { first(of: $0.candidate.row) == image }) {
        copies.append(found)
        continue
      }
      guard chosen.count < Self.comparedInAll else { continue }
      let rivals = chosen.count { !Rivals.areApart($0.evidence, found.evidence) }
      if rivals < Self.comparedByPatches { chosen.append(found) }
    }
    return (chosen + copies).map(\.candidate).filter { $0.measured.patches == nil }.map(\.row)
  }

  /// The index of a candidate among the images of its entity.
  private func position(of candidate: Candidate) -> Int {
    Int(segments[candidate.row.segment].segment.tag(at: candidate.row.row))
  }

  /// Forgets how patches compare, since other alignments were found: those of all are compared again, or of none.
  fileprivate mutating func forgetPatches() {
    for row in candidates.keys { candidates[row]?.measured.patches = nil }
  }

  /// Compares the patches of some candidates, unless the search has to stop.
  ///
  /// - Returns: True if all were compared.
  fileprivate mutating func comparePatches(
    of rows: [SegmentRow], _ check: PatchCheck, shouldStop: () -> Bool
  ) -> Bool {
    var compared: [SegmentRow: ImageComparison.Measurement] = [:]
    for row in rows {
      if shouldStop() { return false }
      guard var candidate = candidates[row] else { continue }
      if let known = compared[first(of: row)], known.alignment == candidate.measured.alignment {
        candidate.measured.patches = known.patches
      } else {
        comparison.comparePatches(&candidate.measured, image(row), check)
        compared[first(of: row)] = candidate.measured
      }
      candidates[row] = candidate
    }
    return true
  }

  /// Returns the number of candidates that are images of an entity.
  func imageCount(of key: UInt32) -> Int { candidates.values.count { $0.key == key } }

  /// Returns a search of a part of the image among the best candidates of the whole image.
  func narrowed(to signature: QuerySignature) -> TypeSearch {
    var search = TypeSearch(type, segments, signature)
    search.fetched = fetched
    (search.copied, search.firsts, search.copyCounts) = (copied, firsts, copyCounts)
    for known in candidatesToLookAtAgain() {
      search.candidates[known.row] = Candidate(
        row: known.row, key: known.key, votes: known.votes,
        measured: search.comparison.measure(image(known.row)), labels: known.labels)
    }
    return search
  }

  /// Returns a search among the best candidates of the whole image, which the marks of its signature align, too, or `nil` if the search is to
  /// stop.
  func narrowed(toMarksOf check: PatchCheck, shouldStop: () -> Bool) -> TypeSearch? {
    var search = self
    search.candidates = [:]
    for var known in candidatesToLookAtAgain() {
      if shouldStop() { return nil }
      let stored = image(known.row)
      if let alignment = known.measured.alignment {
        known.measured.alignment = check.realigned(alignment, of: stored.row, in: stored.segment)
        comparison.compareColors(&known.measured, stored)
        known.measured.patches = nil
      }
      search.candidates[known.row] = known
    }
    return search
  }

  /// The candidates that are compared once more, the best aligned first.
  private func candidatesToLookAtAgain() -> [Candidate] {
    let ranked = candidates.values.map {
      (inliers: $0.measured.alignment?.inliers ?? 0, votes: $0.votes.best, candidate: $0)
    }.sorted {
      ($1.inliers, $1.votes, $0.candidate.row) < ($0.inliers, $0.votes, $1.candidate.row)
    }.map(\.candidate)
    return prefix(Self.lookedAtAgain, of: ranked) { $0.row }
  }

  /// Compares the colors of a candidate at aligned places once more, without some boxes of the query.
  mutating func compareColors(of row: SegmentRow, outside covered: [ImageBox]) {
    guard var candidate = candidates[row] else { return }
    comparison.compareColors(&candidate.measured, image(row), outside: covered)
    candidates[row] = candidate
  }

  /// The candidates whose geometry is worth verifying.
  private struct VerifiedRows {
    /// The best by votes and by score, the best by score first.
    var first: [SegmentRow] = []
    /// The others, the best by score first.
    var others: [SegmentRow] = []
    /// The best score of a candidate that is not among the first ones.
    var bestOther = -Double.infinity
  }

  private func rowsToVerify() -> VerifiedRows {
    if let planned { return planned }
    // Computes each score once, because the sort below reads it many times.
    let ranked = candidates.values.map {
      (score: $0.evidence(comparison).score, votes: $0.votes.best, row: $0.row)
    }.sorted {
      ($1.score, $0.row) < ($0.score, $1.row)
    }
    // Images count once, however many candidates have them: they are verified once.
    func best(_ count: Int, of indices: some Sequence<Int>) -> [Int] {
      prefix(count, of: indices) { ranked[$0].row }
    }
    let byVotes = best(
      Self.verifiedByVotes,
      of: ranked.indices.filter { ranked[$0].votes > 0 }
        .sorted { (ranked[$1].votes, $0) < (ranked[$0].votes, $1) })
    let first = Set(best(Self.verifiedFirst, of: ranked.indices))
      .union(best(Self.verifiedFirst, of: byVotes))
    let others = Set(best(Self.verifiedByScore, of: ranked.indices)).union(byVotes)
      .subtracting(first)
    var rows = VerifiedRows()
    rows.first = first.sorted().map { ranked[$0].row }
    rows.others = others.sorted().map { ranked[$0].row }
    rows.bestOther =
      ranked.indices.first { !first.contains($0) }.map { ranked[$0].score } ?? -.infinity
    return rows
  }

  /// Keeps the best image of each entity in `best`; of equal scores the entity's earlier image. Embeddings do not count in this: that of
  /// another image, which the model finds nearer, is kept beside it, as are the measurements in which other images of the entity are
  /// nearer. Adds all images to the nearest ones, but for those that many groups have: an entity with no other is as one without an image.
  ///
  /// - Parameter own: Returns what is shared of the evidence for a candidate, or `nil` if nothing is.
  func mergeBestImages(
    into best: inout BestImages, _ nearest: inout NearestImages, frame: ImageFrame,
    own: (Candidate) -> Commonness.Own?
  ) {
    for candidate in candidates.values {
      let stored = image(candidate.row)
      let position = position(of: candidate)
      let own = own(candidate)
      if own == Commonness.Own.nothing { continue }
      var evidence = candidate.evidence(comparison)
      var embedding = evidence.embedding
      evidence.embedding = nil
      var highest = evidence.features
      let score = highest.dot(Calibration.coefficients.step1)
      nearest.add(candidate.key, score: MeasuredEvidence.scoreOfContent(highest))
      let known = best.place(of: candidate.key)
      if let known {
        let other = best.images[known].image
        embedding = other.embedding.map { max($0, embedding ?? 0) } ?? embedding
        highest = highest.highest(with: other.highest)
        if (other.score, -other.position) >= (score, -position) {
          best.images[known].image.embedding = embedding
          best.images[known].image.highest = highest
          continue
        }
      }
      let image = BestImage(
        row: candidate.row, stored: stored, type: type, evidence: evidence, score: score,
        weighed: highest, embedding: embedding, highest: highest,
        tier: comparison.tier(candidate.measured, stored),
        position: EntityValue.imageIndex(ofPosition: position),
        isGeometryVerified: candidate.isGeometryVerified,
        alignment: candidate.measured.alignment, size: stored.segment.size(at: stored.row),
        frame: frame, own: own)
      if let known { best.images[known].image = image } else { best.append(image, candidate.key) }
    }
  }
}

/// The best image of each entity, in an array: images are large and slow to move, as a growing dictionary would do with them.
struct BestImages: Sendable {
  fileprivate(set) var images: [(key: UInt32, image: BestImage)] = []
  private var places: [UInt32: Int] = [:]

  /// The index of an entity's image.
  fileprivate func place(of key: UInt32) -> Int? { places[key] }

  /// - Precondition: The entity has no image yet.
  fileprivate mutating func append(_ image: BestImage, _ key: UInt32) {
    places[key] = images.count
    images.append((key, image))
  }

  /// The images, sorted by their keys.
  var inOrderOfKeys: [(key: UInt32, image: BestImage)] {
    // Sorts indices instead of images.
    images.indices.sorted { images[$0].key < images[$1].key }.map { images[$0] }
  }
}

/// The outcome of a comparison of patches.
enum PatchOutcome: Sendable {
  /// None were left to be compared.
  case unchanged
  /// All were compared.
  case compared
  /// The search had to stop before, and nothing has changed.
  case stopped
}

extension [TypeSearch] {
  /// Compares the patches of the best aligned candidates with the image that is searched: of all or of none, since one whose siblings
  /// were not compared would seem to be the only one.
  ///
  /// - Parameter image: The image, or `nil` if only its signature is known. If that has no marks, nothing is compared.
  mutating func comparePatches(
    with image: PixelBuffer?, _ signature: QuerySignature, shouldStop: () -> Bool
  ) -> PatchOutcome {
    let rows = map { $0.rowsToCompareByPatches() }
    guard rows.contains(where: { !$0.isEmpty }) else { return .unchanged }
    if shouldStop() { return .stopped }
    let made =
      image.map { PatchCheck($0, signature, shouldStop: shouldStop) } ?? PatchCheck(signature)
    guard let check = made else { return image == nil ? .unchanged : .stopped }
    var compared = self
    for index in indices {
      guard compared[index].comparePatches(of: rows[index], check, shouldStop: shouldStop) else {
        return .stopped
      }
    }
    self = compared
    return .compared
  }

  /// Forgets how patches compare, since other alignments were found.
  mutating func forgetPatches() {
    for index in indices { self[index].forgetPatches() }
  }
}

/// The image of an entity that looks most like the query.
struct BestImage: Sendable {
  let row: SegmentRow
  let stored: StoredImage
  let type: EntityType
  var evidence: MeasuredEvidence
  /// The evidence with the colors that were seen, or `nil` if they count.
  var seen: MeasuredEvidence?
  /// The score of the evidence.
  var score: Double
  /// The values whose sum is the score, each with its factor of the first step.
  var weighed: EvidenceVector
  /// The value of ``Evidence/Kind/embedding`` of the image of the entity whose embedding is the nearest.
  var embedding: Double?
  /// The regressors of ``MeasuredEvidence/features``, each the highest of any image of the entity.
  var highest: EvidenceVector
  let tier: MatchTier
  /// The index of the image among the entity's images.
  let position: Int
  let isGeometryVerified: Bool
  /// True if the query is a copy of it as a whole (``CopySearch``): its place is known, and no keypoints were compared.
  var isWholeCopy = false
  let alignment: Alignment?
  /// The size of its working image in pixels.
  let size: (width: Int, height: Int)
  /// The place of the searched image within the query's.
  let frame: ImageFrame
  /// The part of the evidence that few groups share, or `nil` if that is all of it.
  var own: Commonness.Own? = nil

  /// The value of the embedding in the score.
  var weighedEmbedding: Double { weighed[.embedding] }

  /// The score by all else than the embedding.
  var scoreWithoutEmbedding: Double {
    score - Calibration.coefficients.step1[.embedding] * weighedEmbedding
  }

  /// Takes the colors out of the evidence, as far as they contradict what geometry says.
  mutating func leaveColorsOut() {
    let all = evidence
    evidence.leaveColorsOut()
    if evidence != all { seen = all }
  }
}
