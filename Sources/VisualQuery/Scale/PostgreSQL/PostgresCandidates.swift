internal import PixelMatch
internal import Synchronization

/// The candidates of engine mode: posting lists and signatures from all shards, asked side by side.
///
/// Each question is one round trip to each shard. It ends with its deadline, on the server too. A shard
/// that fails leaves the answers of the others as they are.
final class PostgresCandidates: CandidateStore {
  private let catalogue: PostgresServer
  private let threads = WorkerPool(width: 16)
  private let known = Mutex(Known())

  /// The longest time for a question without a deadline.
  private static let standardLimit = Duration.seconds(10)
  /// The time after which the list of shards is read again if one of them failed.
  private static let listInterval = Duration.seconds(1)
  /// The time after which shards without an index of vectors are asked for one again.
  private static let vectorInterval = Duration.seconds(60)

  private struct Known {
    var servers: [PostgresServer] = []
    /// The instant from which on the list is read again, or `nil` while all shards answer.
    var readAgain: ContinuousClock.Instant? = .now
    /// See ``hasVectors``.
    var hasVectors: Bool?
    /// The instant from which on shards that had no index of vectors are asked again.
    var askAgain = ContinuousClock.now
  }

  init(_ location: PostgresLocation) { catalogue = PostgresServer(location) }

  // MARK: Questions

  func lists(
    _ words: [String: WordQuestion], within limit: Duration?
  ) async throws -> StoredLists {
    let (answers, outcome) = try await ask(limit, recordsOf: Array(words.keys)) {
      ListQuestion(words, shard: $0, of: $1, records: $2)
    }
    var lists: [String: [(word: UInt32, bytes: [UInt8])]] = [:]
    var found = StoredLists(outcome: outcome)
    for answer in answers {
      lists.merge(answer.lists, uniquingKeysWith: +)
      found.rowCounts.merge(answer.rowCounts, uniquingKeysWith: +)
    }
    for (name, all) in lists { found.lists[name] = PostingLists(all) }
    return found
  }

  func signatures(
    _ rows: [String: [Int]], within limit: Duration?
  ) async throws -> StoredSignatures {
    let (answers, outcome) = try await ask(limit, recordsOf: Array(rows.keys)) {
      SignatureQuestion(rows, shard: $0, of: $1, records: $2)
    }
    var found = StoredSignatures(outcome: outcome)
    for answer in answers {
      found.signatures.merge(answer.signatures) { $0.merging($1) { $1 } }
    }
    return found
  }

  var hasVectors: Bool? {
    known.withLock { $0.hasVectors == false && $0.askAgain <= .now ? nil : $0.hasVectors }
  }

  func nearest(
    to embedding: ImageEmbedding, in rowCounts: [String: Int], count: Int, within limit: Duration?
  ) async throws -> StoredNeighbors? {
    let (answers, outcome) = try await ask(limit, recordsOf: []) { shard, shardCount, _ in
      VectorQuestion(embedding, rowCounts, count: count, shard: shard, of: shardCount)
    }
    // A server without the table rejects the statement.
    let isLacking = outcome.missing.values.contains { $0.code == .missing }
    known.withLock {
      if isLacking { $0.askAgain = .now + Self.vectorInterval }
      if isLacking || !answers.isEmpty { $0.hasVectors = !isLacking }
    }
    if isLacking { return nil }
    var found = StoredNeighbors(outcome: outcome)
    for answer in answers { found.rows.merge(answer.rows, uniquingKeysWith: +) }
    return found
  }

  // MARK: Shards

  /// Asks all shards side by side.
  ///
  /// - Parameters:
  ///   - names: The segments whose records the question needs.
  ///   - question: Returns the question to a shard, of a number of shards, with the records that it has.
  /// - Returns: The questions that were answered.
  private func ask<Asked: ShardQuestion>(
    _ limit: Duration?, recordsOf names: [String],
    _ question: @escaping @Sendable (PostgresShard, Int, [String: PostedRecord.State]) -> Asked
  ) async throws -> (answers: [Asked], outcome: StoreOutcome) {
    let end = ContinuousClock.now + min(limit ?? Self.standardLimit, Self.standardLimit)
    let servers = try await servers(until: end)
    var outcome = StoreOutcome(partCount: servers.count)
    var answers: [Asked] = []
    await withTaskGroup(of: (Int, Result<Asked, CatalogueError>).self) { group in
      for (number, server) in servers.enumerated() {
        let (shard, count) = (PostgresShard(number: number, location: nil), servers.count)
        if question(shard, count, [:]).queries.isEmpty { continue }
        group.addTask(executorPreference: threads) {
          do throws(CatalogueError) {
            let records = names.isEmpty ? [:] : try server.records(of: names, until: end)
            let asked = question(shard, count, records)
            return (number, .success(try server.answer(to: asked, until: end)))
          } catch {
            return (number, .failure(error))
          }
        }
      }
      for await (number, answer) in group {
        switch answer {
        case .success(let answer):
          answers.append(answer)
          outcome.damaged[number] = answer.damaged
        case .failure(let error): outcome.missing[number] = error
        }
      }
    }
    try Task.checkCancellation()
    if !outcome.missing.isEmpty {
      let next = ContinuousClock.now + Self.listInterval
      known.withLock { $0.readAgain = min($0.readAgain ?? next, next) }
    }
    return (answers, outcome)
  }

  /// Returns the shards in their order.
  private func servers(until end: ContinuousClock.Instant) async throws -> [PostgresServer] {
    let (kept, isDue) = known.withLock { known in
      (known.servers, known.readAgain.map { $0 <= .now } ?? false)
    }
    guard isDue || kept.isEmpty else { return kept }
    do {
      let shards = try await withTaskExecutorPreference(threads) { @concurrent [catalogue] in
        try catalogue.use(until: end) { connection throws(CatalogueError) in
          try PostgresShard.all(connection)
        }
      }
      guard !shards.isEmpty else {
        throw CatalogueError(
          code: .missing,
          message: """
            the catalogue is not made for engine mode; run \
            'vq postgres init --shard self --index \(catalogue.location.connectionText)'
            """)
      }
      let servers = shards.map { shard in
        guard let location = shard.location else { return catalogue }
        return kept.first { $0.location == location } ?? PostgresServer(location)
      }
      known.withLock { ($0.servers, $0.readAgain) = (servers, nil) }
      return servers
    } catch let error as CatalogueError where !kept.isEmpty && error.code != .missing {
      return kept
    }
  }
}
