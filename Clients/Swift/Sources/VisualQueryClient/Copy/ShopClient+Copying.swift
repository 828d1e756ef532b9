/// A batch of changes of a copy.
public struct CopyBatch: Sendable, Hashable {
  /// True if the copy must be emptied first.
  public let beginsAnew: Bool
  /// The entities to add or to replace.
  public let upserts: [Entity]
  /// The entities to remove.
  public let removals: [EntityID]
  /// The state to store together with these changes.
  public let state: CopyState
  /// The generation of the catalogue.
  public let generation: Int
}

extension ShopClient {
  /// Returns a page of the changes since a state; `nil` begins with all entities.
  public func changes(since state: String? = nil, limit: Int = 200) async throws -> Changes {
    try await get("sync", [("state", state), ("limit", String(limit))])
  }

  /// Brings a copy up to date.
  ///
  /// A copy without a state, in another language, or of another catalogue begins anew. An interrupted copy goes on from
  /// the state of its last batch.
  ///
  /// - Parameters:
  ///   - state: The state of the copy; `nil` if there is none.
  ///   - batchSize: The most changes of a batch, `1...1000`.
  ///   - apply: Stores the changes of a batch and its state, both or neither.
  /// - Returns: The state of the copy.
  public func updateCopy(
    from state: CopyState?, batchSize: Int = 200,
    applying apply: (CopyBatch) async throws -> Void
  ) async throws -> CopyState {
    var token = state.flatMap { $0.language == configuration.language ? $0.token : nil }
    var beginsAnew = token == nil
    while true {
      try Task.checkCancellation()
      let page: Changes
      do {
        page = try await changes(since: token, limit: batchSize)
      } catch let error as ClientError where error.code == .expired && token != nil {
        (token, beginsAnew) = (nil, true)
        continue
      }
      let state = CopyState(token: page.state, language: configuration.language)
      if beginsAnew || page.state != token {
        try await apply(
          CopyBatch(
            beginsAnew: beginsAnew, upserts: page.upserts, removals: page.tombstones, state: state,
            generation: page.generation))
      }
      (token, beginsAnew) = (page.state, false)
      if !page.hasMore { return state }
    }
  }
}
