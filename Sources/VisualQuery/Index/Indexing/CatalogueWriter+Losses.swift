/// What becomes of old values at the end of a run.
extension CatalogueWriter {
  /// Gives the entities of a run the form of their rows, as far as it was decided to, and publishes the result.
  ///
  /// - Parameter isRead: Returns whether the run read a row of an entity. The marks of others are of earlier runs.
  /// - Returns: The entities that changed.
  mutating func settle(
    _ decision: LossDecision, isRead: (EntityID) -> Bool
  ) throws(CatalogueError) -> [EntityID] {
    var settled: [EntityID] = []
    for (id, _, _) in try database.tables.kept.all() where isRead(id) {
      guard let existing = try existing(id), let stored = EntityTable.readableEntity(existing.json),
        let mark = try database.tables.kept.mark(of: existing.key),
        let row = EntityTable.readableEntity(mark.json)
      else { continue }
      let taken = decision.taken(mark.fields, row)
      if taken.isEmpty { continue }
      let rest = mark.fields.subtracting(taken)
      let losesImages = !taken.isDisjoint(with: .images)
      var signed = SignedEntity(
        value: row.keeping(losesImages ? rest : rest.union(.images), of: stored),
        images: losesImages ? [] : existing.images.map { SignedEntity.Image($0) }, refused: [],
        existing: existing, isWhole: true)
      signed.rowHash = mark.rowHash
      signed.formerMark = mark
      if !rest.isEmpty {
        signed.mark = KeptTable.Mark(fields: rest, json: mark.json, rowHash: mark.rowHash)
      }
      try put(signed)
      settled.append(id)
    }
    if !settled.isEmpty { _ = try finish() }
    return settled
  }
}
