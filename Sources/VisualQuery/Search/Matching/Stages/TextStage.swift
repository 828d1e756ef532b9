internal import PixelMatch
internal import Reading

/// Reads the text of the image, compares it with that of the catalogue, and proposes the entities that agree best.
struct TextStage: SearchStage {
  /// The image, or `nil` if only its signature is known.
  let image: PixelBuffer?
  /// The lines that the device has read.
  let texts: [TextLine]
  let models: ReadingModels?
  let threads: Int
  static let step = QueryStep.text
  static let cost = 2 * QueryPlan.longCost

  /// The most entities that are proposed.
  private static let limit = 32
  /// The efforts of reading, each with the least time until the deadline that it requires: the longer side of the
  /// image in which lines are looked for, and the most lines that are read.
  private static let efforts: [(time: Duration, side: Int, lines: Int)] = [
    (.milliseconds(400), 640, 12), (.milliseconds(120), 448, 8), (.zero, 320, 4),
  ]
  /// The share of the time left that reading may take, since geometry is to follow.
  private static let share = 0.75
  /// The most threads that read one image.
  private static let threadLimit = 2

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    var (lines, done) = (texts, 1.0)
    if let image, let reader = models?.text {
      let reading =
        if let early = state.reading {
          early
        } else {
          try await Self.read(
            image, reader, remaining: state.query.remaining(), threads: threads,
            shouldStop: state.query.shouldStop)
        }
      lines += reading.lines
      if !reading.isComplete { done = reading.lines.isEmpty ? 0 : 0.5 }
    }
    guard !lines.isEmpty else { return done }
    guard let index = try catalogue.textIndex(readBy: models?.text == nil ? nil : models?.files)
    else {
      return 0
    }
    guard let agreements = index.agreements(of: lines, shouldStop: state.query.shouldStop) else {
      return state.query.shouldStop() ? 0 : done
    }
    state.findings.texts = agreements
    let isWhole = try await propose(
      agreements.best(Self.limit), agreements, to: &state, in: catalogue)
    return isWhole ? done : min(done, QueryPlan.nearlyAll)
  }

  /// Reads the text of an image, as far as the time suffices.
  ///
  /// - Parameter remaining: The time until the deadline, or `nil` if there is none.
  @concurrent static func read(
    _ image: PixelBuffer, _ reader: TextReader, remaining: Duration?, threads: Int,
    shouldStop: @escaping @Sendable () -> Bool
  ) async throws -> TextReading {
    let end = remaining.map { ContinuousClock.now + $0 * Self.share }
    let effort =
      Self.efforts.first { effort in remaining.map { $0 >= effort.time } ?? true }
      ?? Self.efforts[Self.efforts.count - 1]
    let options = TextReader.Options(
      side: effort.side, lineLimit: effort.lines, threads: min(threads, Self.threadLimit))
    do {
      return try await reader.text(
        in: image, options: options, until: end, shouldStop: shouldStop)
    } catch is ReadingError {
      // If the model fails on an image, the query still gets an answer, and the text counts as not read.
      var reading = TextReading()
      reading.isComplete = false
      return reading
    }
  }

  /// - Returns: True if the signatures of all that was proposed could be read.
  private func propose(
    _ keys: [UInt32], _ agreements: TextAgreements, to state: inout QueryState,
    in catalogue: Catalogue
  ) async throws -> Bool {
    let ids = try catalogue.ids(keys: keys)
    if state.findings.searches.isEmpty {
      let allowed = keys.filter { key in ids[key].map { state.query.allows(key, $0.type) } ?? false
      }
      let others = allowed.prefix(2).map(agreements.agreement)
      for key in allowed {
        guard let type = ids[key]?.type, state.query.types.contains(type) else { continue }
        let own = agreements.agreement(with: key)
        let rival = key == allowed.first ? others.dropFirst().first ?? 0 : others[0]
        let evidence = Calibration.evidence(onlyOfText: agreements, key, lead: own - rival)
        state.findings.addByWords(
          ScoredEntity(
            key: key, type: type, evidence: evidence,
            confidence: Calibration.confidence(evidence), tier: .label))
      }
      return true
    }
    var found = state.findings.searches.map { _ in CandidateRows(areNamed: true) }
    for (index, search) in state.findings.searches.enumerated() {
      for key in keys where ids[key]?.type == search.type && state.query.allows(key, search.type) {
        for place in try catalogue.rows(of: key, search.type) {
          let row = SegmentRow(segment: place.segment, row: place.row)
          found[index].votes[row] = KeypointVoteCount()
        }
      }
    }
    let isWhole =
      if let stored = catalogue.stored {
        try await StoredCandidateStage.fetch(&found, from: stored, to: &state)
      } else {
        true
      }
    for (index, rows) in found.enumerated() { try state.add(rows, to: index, in: catalogue) }
    return isWhole
  }
}
