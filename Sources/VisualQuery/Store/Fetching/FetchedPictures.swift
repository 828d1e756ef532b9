internal import PixelMatch
internal import Synchronization

/// The images that were fetched over HTTP, stored in `fetched.sqlite` beside the catalogue.
///
/// They are not part of a generation: if the file is lost, they are fetched again. A stored image
/// is revalidated (RFC 9110, 13) at most once per run.
package final class FetchedPictures: Sendable {
  /// The file's name within a catalogue's directory.
  package static let fileName = "fetched.sqlite"
  /// The number of images that are fetched at a time.
  package static let width = 16
  /// The longest accepted `Retry-After`, in seconds.
  private static let pauseLimit = 10

  /// A stored image.
  package struct Picture: Sendable {
    package let byteCount: Int
    package let contentHash: Int
    /// The bytes, if they were fetched just now; otherwise ``FetchedPictures/bytes(of:)`` returns
    /// them.
    package let bytes: [UInt8]?
    /// The reason why the image is from an earlier run, or `nil` if it is current.
    package var staleReason: String?
  }

  private let client: HTTPClient
  private let pool = WorkerPool(width: FetchedPictures.width)
  /// The database, or `nil` in a dry run without one.
  private let store: Mutex<CatalogueConnection>?
  private let isDryRun: Bool
  private let run: Int
  /// The tasks that wait for an image that another task is fetching.
  private let underWay = Mutex<[String: [Waiter]]>([:])
  private let hosts = Mutex<[String: HostRecord]>([:])
  private let fetched = Atomic(0)

  /// The number of images that were fetched by this object.
  package var fetchedCount: Int { fetched.load(ordering: .relaxed) }

  /// Opens or creates the file of images of the catalogue in `directory`.
  ///
  /// - Parameter isDryRun: True if nothing is stored.
  /// - Throws: ``CatalogueError``.
  package init(directory: String, policy: FetchPolicy, isDryRun: Bool) throws(CatalogueError) {
    client = try HTTPClient(policy: policy)
    self.isDryRun = isDryRun
    let path = directory + "/" + Self.fileName
    if isDryRun {
      run = 0
      store = try FileStatus.exists(path) ? Mutex(CatalogueConnection(reading: path)) : nil
      return
    }
    let connection: CatalogueConnection
    do throws(CatalogueError) {
      connection = try CatalogueConnection(path: path, mode: .write)
      // Images that a power cut loses are fetched again; the log keeps the others intact.
      try connection.execute(
        """
        PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS pictures(
          url TEXT PRIMARY KEY, run INTEGER NOT NULL, etag TEXT, lastModified TEXT,
          contentHash INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS runs(number INTEGER PRIMARY KEY) STRICT;
        DELETE FROM runs WHERE number < (SELECT max(number) FROM runs);
        INSERT INTO runs DEFAULT VALUES;
        """)
    } catch  where [.corrupt, .notACatalogue].contains(error.code) {
      throw CatalogueError(
        code: .corrupt,
        message: "'\(path)' is damaged; remove it, and the next index run fetches its images again")
    }
    run = connection.lastInsertedRow
    store = Mutex(connection)
  }

  /// Returns whether the name of an image is an http or https URL.
  package static func isAddress(_ name: String) -> Bool {
    let start = name.prefix(8).lowercased()
    return start.hasPrefix("http://") || start == "https://"
  }

  // MARK: Requests

  /// Returns the current version of an image, and fetches it unless the stored one is still valid.
  ///
  /// - Throws: ``FetchError``, or ``CatalogueError`` if the image cannot be stored.
  package func current(_ url: String) async throws -> Picture {
    while true {
      let stored = try stored(url)
      if let stored, stored.isOfThisRun { return stored.picture }
      let isFirst = underWay.withLock { underWay in
        if underWay[url] != nil { return false }
        underWay[url] = []
        return true
      }
      if !isFirst {
        if let picture = try await picture(underWay: url) { return picture }
        continue
      }
      let result = await result(url, stored)
      let waiting = underWay.withLock { $0.removeValue(forKey: url) } ?? []
      for waiter in waiting { waiter.resume(with: result.map(Optional.some)) }
      return try result.get()
    }
  }

  private typealias Waiter = CheckedContinuation<Picture?, any Error>

  /// Waits for an image that another task is fetching; returns `nil` if that has just ended.
  private func picture(underWay url: String) async throws -> Picture? {
    try await withCheckedThrowingContinuation { (waiter: Waiter) in
      let isUnderWay = underWay.withLock { underWay in
        underWay[url]?.append(waiter)
        return underWay[url] != nil
      }
      if !isUnderWay { waiter.resume(returning: nil) }
    }
  }

  private func result(_ url: String, _ stored: StoredPicture?) async -> Result<Picture, any Error> {
    let stop = Atomic(false)
    return await withTaskCancellationHandler {
      await withTaskExecutorPreference(pool) { @concurrent in
        do {
          return .success(try await self.fetch(url, stored) { stop.load(ordering: .relaxed) })
        } catch {
          return .failure(error)
        }
      }
    } onCancel: {
      stop.store(true, ordering: .relaxed)
    }
  }

  /// Returns the bytes of a stored image, or `nil` if there is none.
  package func bytes(of url: String) throws(CatalogueError) -> [UInt8]? {
    try store?.withLock { connection throws(CatalogueError) in
      try Self.bytes(of: url, from: connection)
    }
  }

  /// Returns the bytes of an image that was fetched for the catalogue in `directory`, for its
  /// readers.
  package static func bytes(of url: String, in directory: String) throws(CatalogueError) -> [UInt8]?
  {
    let path = directory + "/" + fileName
    guard FileStatus.exists(path) else { return nil }
    return try bytes(of: url, from: CatalogueConnection(reading: path))
  }

  private static func bytes(
    of url: String, from connection: CatalogueConnection
  ) throws(CatalogueError) -> [UInt8]? {
    try connection.first("SELECT bytes FROM pictures WHERE url = ?", [.text(url)]) { $0.onlyBlob }
  }

  /// Removes all images except those with the given URLs.
  package static func removeAll(except urls: Set<String>, in directory: String)
    throws(CatalogueError)
  {
    let path = directory + "/" + fileName
    guard FileStatus.exists(path) else { return }
    let connection = try CatalogueConnection(path: path, mode: .write)
    let lost = try connection.rows("SELECT url FROM pictures") { $0.onlyText }
      .filter { !urls.contains($0) }
    if lost.isEmpty { return }
    try connection.execute("BEGIN IMMEDIATE")
    for url in lost {
      try connection.statement("DELETE FROM pictures WHERE url = ?").bind(.text(url)).run()
    }
    try connection.execute("COMMIT; VACUUM")
  }

  // MARK: Fetching

  private struct StoredPicture: Sendable {
    let picture: Picture
    let isOfThisRun: Bool
    let etag: String?
    let lastModified: String?
  }

  private enum Column: Int, SQLiteColumns {
    case run, etag, lastModified, contentHash, byteCount
  }

  private func stored(_ url: String) throws(CatalogueError) -> StoredPicture? {
    try store?.withLock { connection throws(CatalogueError) in
      try connection.first(
        """
        SELECT run, etag, lastModified, contentHash, length(bytes) AS byteCount
        FROM pictures WHERE url = ?
        """,
        [.text(url)]
      ) { row in
        StoredPicture(
          picture: Picture(
            byteCount: row.integer(Column.byteCount), contentHash: row.integer(Column.contentHash),
            bytes: nil),
          isOfThisRun: row.integer(Column.run) == run,
          etag: row.isNull(Column.etag) ? nil : row.text(Column.etag),
          lastModified: row.isNull(Column.lastModified) ? nil : row.text(Column.lastModified))
      }
    }
  }

  private func fetch(
    _ url: String, _ stored: StoredPicture?, shouldStop: @escaping () -> Bool
  ) async throws -> Picture {
    let host = CurlURL(url)?.host.lowercased() ?? ""
    func givenUp() -> FetchError? {
      hosts.withLock { $0[host]?.reasonToGiveUp }.map {
        FetchError(
          code: .unavailable, message: "'\(host)' \($0); no further requests are sent to it")
      }
    }
    do {
      if let error = givenUp() { throw error }
      let request = HTTPClient.Request(
        url: url, etag: stored?.etag, lastModified: stored?.lastModified)
      let response = try await recorded(host) {
        try await answer(to: request) {
          shouldStop() || self.hosts.withLock { $0[host]?.isTooSlow == true }
        }
      }
      if response.status == 304, let stored {
        try markSeen(url)
        return stored.picture
      }
      return try keep(response, of: url)
    } catch var error as FetchError {
      if error.code == .cancelled, !shouldStop(), let reason = givenUp() { error = reason }
      guard error.code == .unavailable, var picture = stored?.picture else { throw error }
      picture.staleReason = error.message
      return picture
    }
  }

  /// Runs a request to a host, and records its outcome and its time.
  private func recorded(
    _ host: String, _ request: () async throws -> HTTPClient.Response
  ) async throws -> HTTPClient.Response {
    let start = ContinuousClock.now
    do {
      let response = try await request()
      hosts.withLock { $0[host, default: HostRecord()].noteSuccess() }
      return response
    } catch let error as FetchError {
      hosts.withLock {
        $0[host, default: HostRecord()].note(error.code, after: ContinuousClock.now - start)
      }
      throw error
    }
  }

  /// Sends a request, and repeats it once after a pause if the server is temporarily unavailable. Both have the time limit
  /// of one.
  private func answer(
    to request: HTTPClient.Request, shouldStop: @escaping () -> Bool
  ) async throws -> HTTPClient.Response {
    let end = ContinuousClock.now + client.timeLimit
    let first = attempt(request, until: end, shouldStop)
    guard case .later(_, let pause) = first, (0...Self.pauseLimit).contains(pause),
      .now + .seconds(pause) < end
    else { return try first.response }
    do { try await Task.sleep(for: .seconds(pause)) } catch {
      throw FetchError(code: .cancelled, message: "the run was cancelled")
    }
    return try attempt(request, until: end, shouldStop).response
  }

  /// The outcome of one request.
  private enum Attempt {
    case answer(HTTPClient.Response)
    case failure(FetchError)
    /// The request can be repeated after `pause` seconds.
    case later(FetchError, pause: Int)

    var response: HTTPClient.Response {
      get throws(FetchError) {
        switch self {
        case .answer(let response): return response
        case .failure(let error), .later(let error, _): throw error
        }
      }
    }
  }

  private func attempt(
    _ request: HTTPClient.Request, until end: ContinuousClock.Instant,
    _ shouldStop: @escaping () -> Bool
  ) -> Attempt {
    do throws(FetchError) {
      let response = try client.get(request, until: end, shouldStop: shouldStop)
      let reason = "the server responded with status \(response.status)"
      switch response.status {
      case 200, 304: return .answer(response)
      case 404, 410: return .failure(FetchError(code: .missing, message: reason))
      case 429, 500, 502, 503, 504:
        let pause = response.fields["retry-after"].flatMap { Int($0) } ?? 1
        return .later(FetchError(code: .unavailable, message: reason), pause: pause)
      default: return .failure(FetchError(code: .unusable, message: reason))
      }
    } catch {
      return error.code == .unavailable ? .later(error, pause: 1) : .failure(error)
    }
  }

  private func keep(_ response: HTTPClient.Response, of url: String) throws -> Picture {
    let bytes = response.body
    do throws(DecodeError) {
      _ = try ImageFormat(of: bytes)
    } catch {
      throw FetchError(code: .unusable, message: error.message)
    }
    let picture = Picture(
      byteCount: bytes.count, contentHash: Int(bitPattern: UInt(ContentHash.of(bytes))),
      bytes: bytes)
    fetched.add(1, ordering: .relaxed)
    if isDryRun { return picture }
    try store?.withLock { connection throws(CatalogueError) in
      try connection.statement("INSERT OR REPLACE INTO pictures VALUES(?, ?, ?, ?, ?, ?)").bind(
        .text(url), .integer(run), response.fields["etag"].map(SQLiteValue.text) ?? .null,
        response.fields["last-modified"].map(SQLiteValue.text) ?? .null,
        .integer(picture.contentHash), .blob(bytes)
      ).run()
    }
    return picture
  }

  private func markSeen(_ url: String) throws(CatalogueError) {
    if isDryRun { return }
    try store?.withLock { connection throws(CatalogueError) in
      try connection.statement("UPDATE pictures SET run = ? WHERE url = ?")
        .bind(.integer(run), .text(url)).run()
    }
  }
}
