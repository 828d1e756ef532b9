internal import PixelMatch

/// What became of one entity in one query.
public struct Diagnosis: Sendable, Hashable {
  /// The entity.
  public let id: EntityID
  /// Where it was lost; `nil` where it is the first match.
  public let stage: LostStage?
  /// Its place among the matches, from 1; `nil` where it is none.
  public let rank: Int?
  /// Its confidence; `nil` where it was no candidate.
  public let confidence: Double?
  /// The least confidence of a match.
  public let minimumConfidence: Double
  /// The terms behind its confidence; none where it was no candidate.
  public let evidence: [Evidence]
  /// The first match, which may be this one.
  public let first: EntityID?
}

extension Matcher {
  /// Says where a query loses an entity that it should find.
  ///
  /// - Throws: What ``values(for:options:)`` throws.
  /// - Complexity: That of the query, and O(*n*) for *n* pictures in the catalogue.
  public func diagnosis(
    of id: EntityID, in content: SemanticContent, options: MatchOptions = MatchOptions()
  ) async throws -> Diagnosis {
    try await cancelling {
      try await withTaskExecutorPreference(pool) { try await diagnose(id, content, options) }
    }
  }

  @concurrent private func diagnose(
    _ id: EntityID, _ content: SemanticContent, _ options: MatchOptions
  ) async throws -> Diagnosis {
    let examined = try await examined(
      content, options, deadline: options.timeout.map { now() + $0 })
    let answer = try await answer(examined, content, options)
    let key = try catalogue.key(of: id)
    let scored = examined.scored.first { $0.key == key }
    let rank = answer.matches.firstIndex { $0.value.id == id }.map { $0 + 1 }
    let stage = try lostStage(key, id.type, rank: rank, examined)
    try catalogue.checkUnchanged()
    return Diagnosis(
      id: id, stage: stage, rank: rank,
      confidence: scored?.confidence, minimumConfidence: examined.cutOff,
      evidence: scored?.evidence ?? [], first: answer.matches.first?.value.id)
  }

  /// Where the entity of a key was lost.
  ///
  /// - Parameter rank: Its place among the matches, from 1.
  func lostStage(
    _ key: UInt32?, _ type: EntityType, rank: Int?, _ examined: Examination
  ) throws -> LostStage? {
    if let rank { return rank == 1 ? nil : .outranked }
    guard let key else { return .notIndexed }
    let scored = examined.scored.first { $0.key == key }
    if let scored, scored.confidence >= examined.cutOff { return .capped }
    if let signature = examined.signature {
      let pictures = flatness(of: key, type)
      if pictures.isEmpty { return .notIndexed }
      if signature.isFlat || pictures.allSatisfy({ $0 }) { return .tooFlat }
    }
    guard let scored else { return .notACandidate }
    guard let picture = scored.picture else { return .belowCutOff }
    if !picture.isChecked { return .notACandidate }
    return picture.alignment == nil ? .failedGeometry : .belowCutOff
  }

  /// Whether each picture of an entity is too plain.
  private func flatness(of key: UInt32, _ type: EntityType) -> [Bool] {
    catalogue.segments(of: type).flatMap { live in
      (0..<live.segment.count)
        .filter { live.isLive($0) && live.segment.key(at: $0) == key }
        .map(live.segment.isFlat)
    }
  }
}
