import VisualQuery

/// Errors for ids that no entity of an index has, with the nearest one that is there.
extension Matcher {
  private var lookup: EntityLookup { EntityLookup(catalogue: catalogue, pool: pool) }

  /// Checks the ids of an option.
  ///
  /// - Throws: ``CommandFailure`` with the exit code `usage`.
  func checkKnown(_ ids: [EntityID], option: String) async throws {
    guard let id = try await lookup.unknown(ids).first else { return }
    // The id may be mistyped, or be the id of an entity of another type.
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

  /// Checks the right answers of queries, which do not name their types.
  ///
  /// - Throws: ``CommandFailure`` with the exit code `failure`, which names the first of the missing ones.
  func checkTruth(of queries: [EvaluationQuery], in file: String) async throws {
    var seen: Set<String> = []
    var missing: [(id: String, query: String)] = []
    for query in queries {
      for id in query.truth where seen.insert(id).inserted {
        let ids = EvaluationQuery.ids(named: id)
        if try await lookup.unknown(ids).count == ids.count { missing.append((id, query.query)) }
      }
    }
    guard let first = missing.first else { return }
    let nearest = try await lookup.nearestID(to: first.id)
    let further = missing.dropFirst().prefix(5).map { "'\($0.id)' of query '\($0.query)'" }
    let rest = missing.count - 1 - further.count
    throw CommandFailure(
      .failure,
      "'\(file)', query '\(first.query)': the index has no entity '\(first.id)' of 'truth'"
        + (nearest.map { "; did you mean '\($0.value)'?" } ?? ""),
      advice: further.isEmpty
        ? []
        : [
          "it also lacks " + further.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        ]
    )
  }
}

extension EntityID {
  /// Reads `store:harbour` as the id of a store, and any other text as the id of a product.
  init(operand text: String) {
    for type in EntityType.allCases where text.hasPrefix("\(type.rawValue):") {
      self.init(type: type, value: String(text.dropFirst(type.rawValue.count + 1)))
      return
    }
    self.init(type: .product, value: text)
  }
}
