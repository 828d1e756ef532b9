import VisualQuery

/// Errors for ids that no entity of an index has, with the nearest one that is there.
extension Matcher {
  private var lookup: EntityLookup { EntityLookup(catalogue: catalogue, pool: pool) }

  /// Checks the ids of an option.
  ///
  /// - Throws: ``CommandFailure`` with the exit code `usage`.
  func checkKnown(_ ids: [EntityID], option: String) async throws {
    guard let id = try await lookup.unknown(ids).first else { return }
    // An id is mistyped, or it is that of another type.
    let others = EntityType.allCases.filter { $0 != id.type }
    var nearest = try await lookup.nearestID(to: id.value, types: [id.type])
    for type in others {
      let other = EntityID(type: type, value: id.value)
      if try await lookup.unknown([other]).isEmpty { nearest = other }
    }
    throw CommandFailure(
      .usage,
      "\(option): there is no \(id.type.rawValue) '\(id.value)'"
        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }

  /// Checks the right answers of a query, which do not name their types.
  ///
  /// - Throws: ``CommandFailure`` with the exit code `failure`.
  func checkTruth(of query: EvaluationQuery, in file: String) async throws {
    for id in query.truth {
      let ids = EvaluationQuery.ids(named: id)
      guard try await lookup.unknown(ids).count == ids.count else { continue }
      let nearest = try await lookup.nearestID(to: id)
      throw CommandFailure(
        .failure,
        "'\(file)', query '\(query.query)': the index has no entity '\(id)' of 'truth'"
          + (nearest.map { "; did you mean '\($0.value)'?" } ?? ""))
    }
  }
}
