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

  private struct Known {
    var servers: [PostgresServer] = []
    /// The instant from which on the list is read again, or `nil` while all shards answer.
    var readAgain: ContinuousClock.Instant? = .now
  }

  init(_ location: PostgresLocation) { catalogue = PostgresServer(location) }

  // MARK: Questions

  // `lateral` and `offset 0` make each word one look-up by both columns of the key, whatever the server
  // knows of the tables: with `= any(…)` and no statistics it would read all lists of a segment.

  func lists(
    _ words: [String: [UInt32]], within limit: Duration?
  ) async throws -> StoredLists {
    let names = words.keys.sorted()
    let parts = names.enumerated().map { ordinal, name in
      """
      select \(ordinal), w.word, null::bigint, p.posts from vq.posted s \
      cross join unnest(\(Self.array(words[name] ?? []))::int[]) w(word) cross join lateral \
      (select posts from vq.post where segment = s.id and word = w.word offset 0) p \
      where s.name = \(Self.quoted(name)) union all select \(ordinal), null, rows, null from vq.posted where name = \(Self.quoted(name))
      """
    }
    let answers = try await ask(limit) { _, _ in parts }
    var lists: [String: [(word: UInt32, bytes: [UInt8])]] = [:]
    var found = StoredLists(missing: answers.missing)
    for row in answers.rows where names.indices.contains(row.integer(0)) {
      let name = names[row.integer(0)]
      if row.isNull(1) {
        found.rowCounts[name, default: 0] += row.integer(2)
      } else {
        lists[name, default: []].append((UInt32(row.integer(1)), row.bytes(3)))
      }
    }
    for (name, all) in lists { found.lists[name] = PostingLists(all) }
    return found
  }

  func signatures(
    _ rows: [String: [Int]], within limit: Duration?
  ) async throws -> StoredSignatures {
    let names = rows.keys.sorted()
    let answers = try await ask(limit) { number, count in
      names.enumerated().compactMap { ordinal, name in
        let shard = PostgresShard(number: number, location: nil)
        let own = (rows[name] ?? []).filter { shard.has($0, of: count) }
        if own.isEmpty { return nil }
        return """
          select \(ordinal), r.row, p.bytes from vq.posted s \
          cross join unnest(\(Self.array(own))::bigint[]) r(row) cross join lateral \
          (select bytes from vq.signature where segment = s.id and row = r.row offset 0) p \
          where s.name = \(Self.quoted(name))
          """
      }
    }
    var found = StoredSignatures(missing: answers.missing)
    for row in answers.rows where names.indices.contains(row.integer(0)) {
      found.signatures[names[row.integer(0)], default: [:]][row.integer(1)] = row.bytes(2)
    }
    return found
  }

  private static func array(_ numbers: [some BinaryInteger]) -> String {
    "'{" + numbers.map { String($0) }.joined(separator: ",") + "}'"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  // MARK: Shards

  private struct Answers: Sendable {
    var rows: [PostgresRow] = []
    var missing: [Int: CatalogueError] = [:]
  }

  /// Asks all shards side by side.
  ///
  /// - Parameter parts: Returns what to ask a shard, by its number and the number of shards: queries
  ///   with the same columns. If there are none, it is not asked.
  private func ask(
    _ limit: Duration?, _ parts: @escaping @Sendable (Int, Int) -> [String]
  ) async throws -> Answers {
    let end = ContinuousClock.now + min(limit ?? Self.standardLimit, Self.standardLimit)
    let servers = try await servers(until: end)
    var answers = Answers()
    await withTaskGroup(of: (Int, Result<[PostgresRow], CatalogueError>).self) { group in
      for (number, server) in servers.enumerated() {
        let queries = parts(number, servers.count)
        if queries.isEmpty { continue }
        group.addTask(executorPreference: threads) {
          do throws(CatalogueError) {
            return (number, .success(try server.rows(of: queries, until: end)))
          } catch {
            return (number, .failure(error))
          }
        }
      }
      for await (number, answer) in group {
        switch answer {
        case .success(let rows): answers.rows += rows
        case .failure(let error): answers.missing[number] = error
        }
      }
    }
    try Task.checkCancellation()
    if !answers.missing.isEmpty {
      let next = ContinuousClock.now + Self.listInterval
      known.withLock { $0.readAgain = min($0.readAgain ?? next, next) }
    }
    if answers.missing.count == servers.count,
      let error = answers.missing.values.first(where: { $0.code != .timedOut })
    {
      throw error
    }
    return answers
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
      known.withLock { $0 = Known(servers: servers, readAgain: nil) }
      return servers
    } catch let error as CatalogueError where !kept.isEmpty && error.code != .missing {
      return kept
    }
  }
}
