internal import PixelMatch

/// Finds candidates by posting lists that are kept outside the catalogue's files, and fetches their
/// signatures. It takes the place of all scans: an image is a candidate by its keypoints, or by equal
/// chunks of its hash. Colors and textures are compared, and not searched.
struct StoredCandidateStage: SearchStage {
  let signature: QuerySignature
  let segments: StoredSegments
  /// True if the whole image was searched before, so that its answer is kept if no shard is reached.
  var isRegion = false
  /// The most candidates by chunks of the hash.
  private static let hashLimit = 64
  static let step = QueryStep.shards
  static let cost = QueryPlan.longCost
  static let isScan = true

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    let keypoints = KeypointVotes(signature.keypoints, depth: .fetched)
    let chunks = HashChunkVotes(signature)
    let files = state.findings.searches.map { segments.names(of: $0.type) }
    var words: [String: WordQuestion] = [:]
    for (search, files) in zip(state.findings.searches, files) {
      for (live, file) in zip(search.segments, files) {
        words[file] = WordQuestion(
          words: keypoints.words(in: live.segment) + chunks.words,
          bounds: PostingBounds(of: live.segment))
      }
    }
    if words.isEmpty { return 1 }
    let answer = try await segments.store.lists(
      words, within: Self.share(of: state.query.remaining))
    try note(answer.outcome, in: &state)
    let found = zip(state.findings.searches, files).map { search, files in
      var found = rows(keypoints, answer, search.segments, files, state.query.shouldStop)
      for row in Self.rows(chunks, answer, search.segments, files) where found.votes[row] == nil {
        found.votes[row] = KeypointVoteCount()
      }
      return found
    }
    let signatures = try await segments.store.signatures(
      Self.rowsByFile(found, files), within: Self.share(of: state.query.remaining))
    try note(signatures.outcome, in: &state)
    for (index, var candidates) in found.enumerated() {
      let images = Self.images(signatures, files[index])
      candidates.votes = candidates.votes.filter { images[$0.key] != nil }
      state.findings.searches[index].hold(images)
      try state.add(candidates, to: index, in: catalogue)
    }
    let planned = found.reduce(0) { $0 + $1.plannedRows }
    let scanned = found.reduce(0) { $0 + $1.scannedRows }
    let reached = planned == 0 ? 1 : Double(scanned) / Double(planned)
    // If a shard fails after it sent its lists, its signatures are missing, and the stage is
    // not complete either.
    let isWhole = answer.outcome.isWhole && signatures.outcome.isWhole
    return isWhole ? reached : min(reached, QueryPlan.nearlyAll)
  }

  /// Keeps what the shards failed to do.
  private func note(
    _ outcome: StoreOutcome, in state: inout QueryState
  ) throws(CatalogueError) {
    if !isRegion, let failure = outcome.failure { throw failure }
    state.notes.shardFaults.add(outcome.missing, outcome.damaged)
  }

  /// Returns the time that the shards may take: half of the remaining time, so that what they find can still be
  /// compared.
  static func share(of remaining: () -> Duration?) -> Duration? {
    remaining().map { max($0 / 2, .milliseconds(1)) }
  }

  /// Counts the votes of one type.
  private func rows(
    _ keypoints: KeypointVotes, _ answer: StoredLists, _ segments: [LiveSegment],
    _ files: [String], _ shouldStop: () -> Bool
  ) -> CandidateRows {
    var tally = VoteTally()
    for (index, (live, file)) in zip(segments, files).enumerated() {
      tally.plannedRows += live.segment.count
      tally.scannedRows += min(answer.rowCounts[file] ?? 0, live.segment.count)
      guard let lists = answer.lists[file] else { continue }
      let votes = keypoints.rows(
        in: live, lists: lists, limit: VoteTally.limit, shouldStop: shouldStop)
      tally.votes += votes.map { (SegmentRow(segment: index, row: $0.row), $0) }
    }
    return tally.candidates
  }

  /// Returns the rows of one type that share the most chunks of the hash.
  private static func rows(
    _ chunks: HashChunkVotes, _ answer: StoredLists, _ segments: [LiveSegment], _ files: [String]
  ) -> [SegmentRow] {
    var all: [(row: SegmentRow, count: Int)] = []
    for (index, (live, file)) in zip(segments, files).enumerated() {
      guard let lists = answer.lists[file] else { continue }
      all += chunks.rows(in: live, lists: lists, limit: hashLimit).map {
        (SegmentRow(segment: index, row: $0.row), $0.count)
      }
    }
    return all.sorted { ($1.count, $0.row) < ($0.count, $1.row) }.prefix(hashLimit).map(\.row)
  }

  /// Returns the rows to fetch, by the names of the segments' files.
  static func rowsByFile(
    _ found: [CandidateRows], _ files: [[String]]
  ) -> [String: [Int]] {
    var rows: [String: [Int]] = [:]
    for (candidates, files) in zip(found, files) {
      for row in candidates.votes.keys.sorted() {
        rows[files[row.segment], default: []].append(row.row)
      }
    }
    return rows
  }

  /// Puts the fetched signatures of one type into a segment.
  static func images(
    _ found: StoredSignatures, _ files: [String]
  ) -> [SegmentRow: StoredImage] {
    var writer = SegmentWriter()
    var rows: [SegmentRow] = []
    for (index, file) in files.enumerated() {
      for (row, signature) in (found.signatures[file] ?? [:]).sorted(by: { $0.key < $1.key }) {
        writer.append(signature, key: 0)
        rows.append(SegmentRow(segment: index, row: row))
      }
    }
    guard !rows.isEmpty, let segment = try? SignatureSegment(bytes: writer.encoded(isSealed: false))
    else {
      return [:]
    }
    return Dictionary(
      uniqueKeysWithValues: rows.enumerated().map {
        ($1, StoredImage(segment: segment, row: $0))
      })
  }

  /// Fetches the signatures of the rows that are no candidates yet, at most as many as a pass keeps. Those that do not come are left out.
  ///
  /// - Returns: True if every shard answered completely.
  static func fetch(
    _ found: inout [CandidateRows], from stored: StoredSegments, to state: inout QueryState
  ) async throws -> Bool {
    let files = state.findings.searches.map { stored.names(of: $0.type) }
    var left = SegmentScanner.limit
    for index in found.indices {
      let new = found[index].votes.keys.filter {
        state.findings.searches[index].candidates[$0] == nil
      }
      let taken = Set(new.sorted().prefix(left))
      found[index].votes = found[index].votes.filter { taken.contains($0.key) }
      left -= taken.count
    }
    if left == SegmentScanner.limit { return true }
    let signatures = try await stored.store.signatures(
      rowsByFile(found, files),
      within: share(of: state.query.remaining))
    state.notes.shardFaults.add(signatures.outcome.missing, signatures.outcome.damaged)
    for index in found.indices {
      let images = images(signatures, files[index])
      found[index].votes = found[index].votes.filter { images[$0.key] != nil }
      state.findings.searches[index].hold(images)
    }
    return signatures.outcome.isWhole
  }
}
