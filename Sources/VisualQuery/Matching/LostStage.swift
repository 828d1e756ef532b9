internal import PixelMatch

/// Where a query lost an entity that it should have found.
public enum LostStage: String, Sendable, Hashable, Codable, CaseIterable {
  /// The catalogue has no such entity, or none of its pictures.
  case notIndexed
  /// The query's picture, or every picture of the entity, is too plain to be told from others.
  case tooFlat
  /// No scan, no vote and no label brought up one of its pictures, or others seemed so much likelier
  /// that its corners were not looked at.
  case notACandidate
  /// Its corners were looked at, and too few agree on where it lies.
  case failedGeometry
  /// It was found, and is less sure than the cut-off.
  case belowCutOff
  /// Others are surer.
  case outranked
  /// It is sure enough, and the limits on the number of matches left it out.
  case capped
}

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
    let result = try await withTaskExecutorPreference(pool) {
      try await diagnose(id, content, options)
    }
    try Task.checkCancellation()
    return result
  }

  @concurrent private func diagnose(
    _ id: EntityID, _ content: SemanticContent, _ options: MatchOptions
  ) async throws -> Diagnosis {
    let examined = try await examine(content, options)
    let answer = try await rankedAnswer(examined, options)
    let key = try catalogue.key(of: id)
    let scored = examined.scored.first { $0.key == key }
    let rank = answer.matches.firstIndex { $0.value.id == id }.map { $0 + 1 }
    return Diagnosis(
      id: id, stage: try lostStage(key, id.type, rank: rank, examined), rank: rank,
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
    guard let scored = examined.scored.first(where: { $0.key == key }) else {
      return lostBeforeScoring(key, type, examined)
    }
    if scored.confidence >= examined.cutOff { return .capped }
    guard let picture = scored.picture else { return .belowCutOff }
    if !picture.isChecked { return .notACandidate }
    return picture.alignment == nil ? .failedGeometry : .belowCutOff
  }

  private func lostBeforeScoring(
    _ key: UInt32, _ type: EntityType, _ examined: Examination
  ) -> LostStage {
    guard let signature = examined.signature else { return .notACandidate }
    var pictures = 0
    var flat = 0
    for live in catalogue.segments(of: type) {
      for row in 0..<live.segment.count
      where live.isLive(row) && live.segment.key(at: row) == key {
        pictures += 1
        if live.segment.isFlat(row) { flat += 1 }
      }
    }
    if pictures == 0 { return .notIndexed }
    return signature.isFlat || flat == pictures ? .tooFlat : .notACandidate
  }
}
