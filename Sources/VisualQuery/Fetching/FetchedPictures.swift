internal import PixelMatch
internal import Synchronization

/// Pictures that were fetched over HTTP, kept in `fetched.sqlite` beside the catalogue.
///
/// They are no part of a generation: who loses the file fetches them again. A picture that is there
/// already is asked for by its validators (RFC 9110, 13), at most once a run.
final class FetchedPictures: Sendable {
  /// The file's name within a catalogue's directory.
  static let fileName = "fetched.sqlite"
  /// Pictures that are fetched at a time.
  static let width = 16
  /// Pictures in a row for which a host did not answer, before it is no longer asked.
  private static let failureLimit = 8
  /// How long a server may tell us to wait.
  private static let pauseLimit = 10

  /// A picture that is here.
  struct Picture: Sendable {
    let byteCount: Int
    let contentHash: Int
    /// Its bytes, where they came just now; else ``FetchedPictures/bytes(of:)`` has them.
    let bytes: [UInt8]?
    /// Why it is that of an earlier run.
    var staleReason: String?
  }

  private let client: HTTPClient
  private let pool = WorkerPool(width: FetchedPictures.width)
  /// `nil` in a run that writes nothing, where there is no file yet.
  private let store: Mutex<CatalogueConnection>?
  private let isDryRun: Bool
  private let run: Int
  /// Who waits for a picture that another has asked for.
  private let underWay = Mutex<[String: [Waiter]]>([:])
  private let failures = Mutex<[String: Int]>([:])
  private let fetched = Atomic(0)

  /// Pictures that came since this was made.
  var fetchedCount: Int { fetched.load(ordering: .relaxed) }

  /// Opens the pictures of the catalogue in `directory`, or makes their file.
  ///
  /// - Parameter isDryRun: Whether nothing is kept.
  /// - Throws: ``CatalogueError``.
  init(directory: String, policy: FetchPolicy, isDryRun: Bool) throws(CatalogueError) {
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
      // What a power cut takes is fetched again; the log keeps the rest whole.
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
        message: "'\(path)' is damaged; remove it, and its pictures are fetched again")
    }
    run = connection.lastInsertedRow
    store = Mutex(connection)
  }

  /// Whether a picture is named by an address of the web.
  static func isAddress(_ name: String) -> Bool {
    let start = name.prefix(8).lowercased()
    return start.hasPrefix("http://") || start == "https://"
  }

  // MARK: Asking

  /// A picture as its server has it now; fetched, unless it is here and has not changed.
  ///
  /// - Throws: ``FetchError``, and ``CatalogueError`` where the picture cannot be kept.
  func current(_ url: String) async throws -> Picture {
    while true {
      let known = try known(url)
      if let known, known.isOfThisRun { return known.picture }
      let isFirst = underWay.withLock { underWay in
        if underWay[url] != nil { return false }
        underWay[url] = []
        return true
      }
      if !isFirst {
        if let picture = try await picture(underWay: url) { return picture }
        continue
      }
      let result = await result(url, known)
      let waiting = underWay.withLock { $0.removeValue(forKey: url) } ?? []
      for waiter in waiting { waiter.resume(with: result.map(Optional.some)) }
      return try result.get()
    }
  }

  private typealias Waiter = CheckedContinuation<Picture?, any Error>

  /// What another entity has asked for; `nil` where that has just ended.
  private func picture(underWay url: String) async throws -> Picture? {
    try await withCheckedThrowingContinuation { (waiter: Waiter) in
      let isUnderWay = underWay.withLock { underWay in
        underWay[url]?.append(waiter)
        return underWay[url] != nil
      }
      if !isUnderWay { waiter.resume(returning: nil) }
    }
  }

  private func result(_ url: String, _ known: Known?) async -> Result<Picture, any Error> {
    let stop = Atomic(false)
    return await withTaskCancellationHandler {
      await withTaskExecutorPreference(pool) { @concurrent in
        do {
          return .success(try await self.fetch(url, known) { stop.load(ordering: .relaxed) })
        } catch {
          return .failure(error)
        }
      }
    } onCancel: {
      stop.store(true, ordering: .relaxed)
    }
  }

  /// The bytes of a picture that is here; `nil` where it is not.
  func bytes(of url: String) throws(CatalogueError) -> [UInt8]? {
    try store?.withLock { connection throws(CatalogueError) in
      try Self.bytes(of: url, from: connection)
    }
  }

  /// The bytes of a picture that was fetched for the catalogue in `directory`, for its readers.
  static func bytes(of url: String, in directory: String) throws(CatalogueError) -> [UInt8]? {
    let path = directory + "/" + fileName
    guard FileStatus.exists(path) else { return nil }
    return try bytes(of: url, from: CatalogueConnection(reading: path))
  }

  private static func bytes(
    of url: String, from connection: CatalogueConnection
  ) throws(CatalogueError) -> [UInt8]? {
    let row = try connection.statement("SELECT bytes FROM pictures WHERE url = ?").bind(.text(url))
    guard try row.step() else { return nil }
    defer { row.reset() }
    return row.blob(0)
  }

  /// Removes all but the pictures of some addresses.
  static func keepOnly(_ urls: Set<String>, in directory: String) throws(CatalogueError) {
    let path = directory + "/" + fileName
    guard FileStatus.exists(path) else { return }
    let connection = try CatalogueConnection(path: path, mode: .write)
    let row = try connection.statement("SELECT url FROM pictures")
    var lost: [String] = []
    while try row.step() { if !urls.contains(row.text(0)) { lost.append(row.text(0)) } }
    if lost.isEmpty { return }
    try connection.execute("BEGIN IMMEDIATE")
    for url in lost {
      try connection.statement("DELETE FROM pictures WHERE url = ?").bind(.text(url)).run()
    }
    try connection.execute("COMMIT; VACUUM")
  }

  // MARK: Fetching

  private struct Known: Sendable {
    let picture: Picture
    let isOfThisRun: Bool
    let etag: String?
    let lastModified: String?
  }

  private func known(_ url: String) throws(CatalogueError) -> Known? {
    try store?.withLock { connection throws(CatalogueError) in
      let row = try connection.statement(
        "SELECT run, etag, lastModified, contentHash, length(bytes) FROM pictures WHERE url = ?"
      ).bind(.text(url))
      guard try row.step() else { return nil }
      defer { row.reset() }
      return Known(
        picture: Picture(byteCount: row.integer(4), contentHash: row.integer(3), bytes: nil),
        isOfThisRun: row.integer(0) == run,
        etag: row.isNull(1) ? nil : row.text(1), lastModified: row.isNull(2) ? nil : row.text(2))
    }
  }

  private func fetch(
    _ url: String, _ known: Known?, shouldStop: @escaping () -> Bool
  ) async throws -> Picture {
    let host = CurlURL(url)?.host.lowercased() ?? ""
    do {
      if failures.withLock({ $0[host, default: 0] }) >= Self.failureLimit {
        throw FetchError(
          code: .unavailable,
          message: "'\(host)' failed \(Self.failureLimit) times in a row and is asked no more")
      }
      let request = HTTPClient.Request(
        url: url, etag: known?.etag, lastModified: known?.lastModified)
      let response = try await answer(to: request, shouldStop: shouldStop)
      failures.withLock { $0[host] = nil }
      if response.status == 304, let known {
        try markSeen(url)
        return known.picture
      }
      return try keep(response, of: url)
    } catch let error as FetchError where error.code == .unavailable {
      failures.withLock { $0[host, default: 0] += 1 }
      guard var picture = known?.picture else { throw error }
      picture.staleReason = error.message
      return picture
    }
  }

  /// Asks, and once more after a pause where the server cannot answer now.
  private func answer(
    to request: HTTPClient.Request, shouldStop: @escaping () -> Bool
  ) async throws -> HTTPClient.Response {
    let first = attempt(request, shouldStop)
    guard case .later(_, let pause) = first, (0...Self.pauseLimit).contains(pause) else {
      return try first.response
    }
    do { try await Task.sleep(for: .seconds(pause)) } catch {
      throw FetchError(code: .cancelled, message: "the run was ended")
    }
    return try attempt(request, shouldStop).response
  }

  /// What asking once came to.
  private enum Attempt {
    case answer(HTTPClient.Response)
    case failure(FetchError)
    /// To be asked again after so many seconds.
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
    _ request: HTTPClient.Request, _ shouldStop: @escaping () -> Bool
  ) -> Attempt {
    do throws(FetchError) {
      let response = try client.get(request, shouldStop: shouldStop)
      let reason = "the server says \(response.status)"
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
