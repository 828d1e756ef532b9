/// Asks servers whether the links of entities lead anywhere, politely: one request at a time with pauses, for the first byte only, and
/// no further ones to a host that does not respond.
package struct LinkChecker: Sendable {
  /// The number of links that are checked by default, and the largest number that can be asked for.
  package static let limits = (standard: 500, largest: 10_000)
  /// The pause after a request.
  private static let pause = Duration.milliseconds(200)
  /// The number of requests to a host without a response after which no more are sent to it.
  private static let patience = 3

  /// The result of a check.
  package struct Result: Sendable, Hashable {
    /// A finding for each entity whose link answers 404 or 410.
    package internal(set) var findings: [CatalogueDoctor.Finding] = []
    /// The number of links that were checked.
    package internal(set) var checked = 0
    /// The number of links beyond the limit.
    package internal(set) var omitted = 0
    /// The number of links of hosts that are not allowed, and of those whose server did not respond or refused to tell.
    package internal(set) var unknown = 0
  }

  private let catalogue: Catalogue
  private let pool: WorkerPool
  private let policy: FetchPolicy
  private let limit: Int
  private let pause: Duration

  /// Makes a checker.
  ///
  /// - Parameters:
  ///   - policy: The hosts that are asked, and the time limit of a request.
  ///   - limit: The most links. If there are more, those that are checked are spread over all.
  package init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(), policy: FetchPolicy,
    limit: Int = Self.limits.standard
  ) {
    self.init(catalogue: catalogue, pool: pool, policy: policy, limit: limit, pause: Self.pause)
  }

  init(
    catalogue: Catalogue, pool: WorkerPool = WorkerPool(), policy: FetchPolicy, limit: Int,
    pause: Duration
  ) {
    self.catalogue = catalogue
    self.pool = pool
    self.policy = policy
    self.limit = max(1, min(limit, Self.limits.largest))
    self.pause = pause
  }

  /// Checks the links.
  ///
  /// - Parameter progress: Called with the number of links so far, and of those that are checked in all.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  package func check(
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws -> Result {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let client = try HTTPClient(policy: policy)
      let links = try links()
      let chosen = Self.spread(links.count, limit).map { links[$0] }
      var result = Result()
      result.omitted = links.count - chosen.count
      var failures: [String: Int] = [:]
      for (number, link) in chosen.enumerated() {
        try Task.checkCancellation()
        progress(number, chosen.count)
        let host = CurlURL(link.url)?.host.lowercased() ?? ""
        guard failures[host, default: 0] < Self.patience else {
          result.unknown += 1
          continue
        }
        do throws(FetchError) {
          let request = HTTPClient.Request(
            url: link.url, accept: "*/*", fields: ["Range": "bytes=0-0"])
          let response = try client.get(request) { Task.isCancelled }
          failures[host] = 0
          result.checked += 1
          switch response.status {
          case 404, 410: result.findings.append(Self.finding(link.id, link.url, response.status))
          case 401, 403, 429, 500...599: result.unknown += 1
          default: break
          }
        } catch {
          switch error.code {
          case .cancelled: throw CancellationError()
          case .missing:
            failures[host] = 0
            result.checked += 1
            result.findings.append(Self.finding(link.id, link.url, 404))
          case .unavailable, .busy, .later:
            failures[host, default: 0] += 1
            result.unknown += 1
          // The page exists, but is longer than what is read.
          case .unusable: result.checked += 1
          case .notAllowed:
            result.unknown += 1
            continue
          }
        }
        if number + 1 < chosen.count { try await Task.sleep(for: pause) }
      }
      return result
    }
  }

  /// Returns the links of all entities, in the order of types and ids.
  private func links() throws -> [(id: EntityID, url: String)] {
    let settings = catalogue.links
    return try catalogue.read { database throws(CatalogueError) in
      var links: [(id: EntityID, url: String)] = []
      try database.entities.forEach { _, _, _, json throws(CatalogueError) in
        guard let value = EntityTable.readableEntity(json),
          let url = settings.handoff(for: value).url,
          ["https:", "http:"].contains(where: url.lowercased().hasPrefix)
        else { return }
        links.append((value.id, url))
      }
      return links
    }.sorted { $0.id < $1.id }
  }

  /// Returns at most `limit` of `count` indices, in equal distances.
  static func spread(_ count: Int, _ limit: Int) -> [Int] {
    count <= limit ? Array(0..<count) : (0..<limit).map { $0 * count / limit }
  }

  private static func finding(_ id: EntityID, _ url: String, _ status: Int)
    -> CatalogueDoctor.Finding
  {
    CatalogueDoctor.Finding(
      kind: .brokenLink, id: id.description,
      detail: "has the link '\(url)', which answers \(status)",
      cure: "correct its 'url' or the template of links, or remove the entity")
  }
}
