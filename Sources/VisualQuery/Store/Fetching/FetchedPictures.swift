package import PixelMatch
internal import Synchronization

/// The images that were fetched over HTTP, stored in `fetched.sqlite` beside the catalogue.
///
/// They are not part of a generation: if the file is lost, they are fetched again. A stored image
/// is revalidated (RFC 9110, 13) at most once per run. An answer that is not a picture leaves the stored one as it is.
package final class FetchedPictures: Sendable {
  /// The file's name within a catalogue's directory.
  package static let fileName = "fetched.sqlite"
  /// The number of images that are fetched at a time.
  package static let width = HostPace.mostConnections
  /// The number of days on which a server has to say that an image is gone, while it sends others, until it leaves.
  package static let goneDayCount = 3

  /// A stored image.
  package struct Picture: Sendable {
    package let byteCount: Int
    package let contentHash: Int
    /// The bytes, if they were fetched just now; otherwise ``FetchedPictures/bytes(of:)`` returns
    /// them.
    package let bytes: [UInt8]?
    /// The reason why the image is from an earlier run, or `nil` if it is current.
    package var staleReason: String?

    var content: ReadingTable.ImageContent { .init(byteCount: byteCount, hash: contentHash) }
  }

  /// The outcome of asking a server about an image that an entity has.
  package enum Standing: Sendable, Hashable {
    /// The picture is another one, which is stored.
    case changed
    /// The last version is kept.
    case kept(String)
    /// The image is gone for good.
    case left(String)
  }

  /// The result of ``check(_:had:)``.
  package enum Check: Sendable {
    case same, different
    /// The address was not asked, because the host or the run has no time for it.
    case later
  }

  private let client: PacedClient
  private let pool = WorkerPool(width: FetchedPictures.width)
  /// The database, or `nil` in a dry run without one.
  private let store: PictureStore?
  private let isDryRun: Bool
  private let decoder: ImageDecoder
  /// The day of the run, counted from 1970.
  private let day: Int
  /// The tasks that wait for an image that another task is fetching.
  private let underWay = Mutex<[String: [Waiter]]>([:])
  private let memory: Mutex<RunMemory>
  private let fetched = Atomic(0)

  /// The number of images that were fetched by this object.
  package var fetchedCount: Int { fetched.load(ordering: .relaxed) }
  /// True if the run has a limited time for images.
  package var hasEnd: Bool { client.hasEnd }

  /// Opens or creates the file of images of the catalogue in `directory`.
  ///
  /// - Parameter isDryRun: True if nothing is stored.
  /// - Throws: ``CatalogueError``.
  package init(
    directory: String, policy: FetchPolicy, isDryRun: Bool, decoder: ImageDecoder = ImageDecoder()
  ) throws(CatalogueError) {
    client = try PacedClient(policy: policy)
    self.isDryRun = isDryRun
    self.decoder = decoder
    day = policy.day ?? CalendarDay.today
    let path = directory + "/" + Self.fileName
    store =
      isDryRun
      ? FileStatus.exists(path) ? try PictureStore(reading: path) : nil
      : try PictureStore(writing: path)
    memory = Mutex(RunMemory(failures: try store?.failures() ?? []))
  }

  /// Returns whether the name of an image is an http or https URL.
  package static func isAddress(_ name: String) -> Bool {
    let start = name.prefix(8).lowercased()
    return start.hasPrefix("http://") || start == "https://"
  }

  // MARK: Stored images

  /// Returns the bytes of a stored image, or `nil` if there is none.
  package func bytes(of url: String) throws(CatalogueError) -> [UInt8]? {
    try store?.bytes(of: url)
  }

  /// Returns the bytes of an image that was fetched for the catalogue in `directory`, for its
  /// readers.
  package static func bytes(of url: String, in directory: String) throws(CatalogueError) -> [UInt8]?
  {
    try store(in: directory)?.bytes(of: url)
  }

  /// Returns those of some URLs whose images were fetched for the catalogue in `directory` and are still stored.
  package static func stored(
    among urls: Set<String>, in directory: String
  ) throws(CatalogueError) -> Set<String> {
    if urls.isEmpty { return [] }
    return try store(in: directory)?.known(among: urls) ?? []
  }

  private static func store(in directory: String) throws(CatalogueError) -> PictureStore? {
    let path = directory + "/" + fileName
    return FileStatus.exists(path) ? try PictureStore(reading: path) : nil
  }

  /// Returns the images of the catalogue in `directory` whose servers refuse them, so that an earlier version is kept.
  package static func failures(
    in directory: String
  ) throws(CatalogueError) -> [PictureStore.Failure] {
    try store(in: directory)?.failures() ?? []
  }

  /// Removes all images except those with the given URLs.
  package static func removeAll(except urls: Set<String>, in directory: String)
    throws(CatalogueError)
  {
    let path = directory + "/" + fileName
    guard FileStatus.exists(path) else { return }
    try PictureStore(writing: path).removeAll(except: urls)
  }

  // MARK: Requests

  /// Returns the current version of an image, and fetches it unless the stored one is still valid. If the server has
  /// nothing else, this is the stored one with the reason.
  ///
  /// - Parameter had: True if an entity has the image already, so that a failure is noted.
  /// - Throws: ``FetchError`` if there is none, or ``CatalogueError`` if the image cannot be stored.
  package func current(_ url: String, had: Bool = false) async throws -> Picture {
    do {
      return try await once(url) { [self] response, content, _ in
        try put(response, content, of: url)
        return response.body
      }
    } catch let error as FetchError where error.code != .cancelled {
      let stored = try store?.stored(url)
      try noteFailure(error, of: url, had: had || stored != nil)
      guard let stored, !hasLeft(url) else { throw error }
      var picture = picture(stored)
      if error.code != .later { picture.staleReason = error.message }
      return picture
    }
  }

  /// Asks the server about an image that an entity has. A new version waits until ``settle()``.
  ///
  /// - Throws: ``FetchError`` if the run is cancelled; ``CatalogueError``.
  package func check(_ url: String, had: ReadingTable.ImageContent) async throws -> Check {
    if let check = memory.withLock({ $0.check(url) }) { return check }
    do {
      let picture = try await once(url) { [self] response, content, stored in
        let isCandidate = content != had && content != stored?.content
        if isCandidate {
          let host = PacedClient.host(of: url)
          memory.withLock { $0.candidates[url] = .init(host: host, content: content, had: had) }
        }
        try put(response, content, of: url, isCandidate: isCandidate)
        // A dry run stores nothing that could be read later.
        return isDryRun ? response.body : nil
      }
      if picture.content == had { return .same }
      memory.withLock { $0.standings[url] = .changed }
      return .different
    } catch let error as FetchError where error.code != .cancelled {
      try noteFailure(error, of: url, had: true)
      return memory.withLock { $0.check(url) } ?? .later
    }
  }

  /// Decides about the images that changed or are gone, once the whole of the run is known.
  ///
  /// An image that is gone, or has become the picture of many others, counts as lost on a day on which its host sent other
  /// images. On the third such day it is.
  package func settle() throws(CatalogueError) {
    let (candidates, gone) = memory.withLock { ($0.candidates, $0.gone) }
    let placeholders = memory.withLock { $0.placeholders() }
    for (url, candidate) in candidates.sorted(by: { $0.key < $1.key }) {
      var isAccepted = true
      if let reason = placeholders[url] {
        isAccepted = try isLost(url, reason, host: candidate.host)
        if !isAccepted { memory.withLock { $0.standings[url] = .kept(reason) } }
      } else {
        try noteSuccess(url, host: candidate.host)
      }
      if !isDryRun { try store?.settleCandidate(url, isAccepted: isAccepted) }
    }
    for (url, reason) in gone.sorted(by: { $0.key < $1.key }) {
      if try isLost(url, reason, host: PacedClient.host(of: url)) {
        memory.withLock { $0.standings[url] = .left(reason) }
      }
    }
    memory.withLock { $0.candidates = [:] }
  }

  /// Returns what became of an image that was checked, or `nil` if it is as it was or was not checked.
  package func standing(of url: String) -> Standing? { memory.withLock { $0.standings[url] } }

  /// Returns the number of the last run in which the server answered for an image, or 0.
  package func lastRun(of url: String) throws(CatalogueError) -> Int {
    try store?.stored(url)?.run ?? 0
  }

  /// The images that a run did not come to, and the time that they take at the rate of their hosts.
  package func waiting() -> FetchBacklog {
    let rates = Dictionary(
      client.summaries().map { ($0.host, $0.rate) }, uniquingKeysWith: { first, _ in first })
    return memory.withLock { $0.backlog(rates) }
  }

  // MARK: One request for an address

  private typealias Waiter = CheckedContinuation<Picture?, any Error>

  /// Takes an image that differs from the stored one, and returns its bytes if they are to be passed on.
  private typealias Take =
    @Sendable (HTTPClient.Response, ReadingTable.ImageContent, PictureStore.Stored?) throws ->
    [UInt8]?

  /// Asks for an image that was not asked for in this run, once for all tasks that want it.
  private func once(_ url: String, _ take: @escaping Take) async throws -> Picture {
    while true {
      if let known = memory.withLock({ $0.pictures[url] }) { return known }
      let stored = try store?.stored(url)
      if let stored, stored.run == store?.run, !isDryRun { return picture(stored) }
      if let error = memory.withLock({ $0.errors[url] }) { throw error }
      let isFirst = underWay.withLock { underWay in
        if underWay[url] != nil { return false }
        underWay[url] = []
        return true
      }
      if !isFirst {
        if let picture = try await picture(underWay: url) { return picture }
        continue
      }
      let result = await result(url, stored, take)
      remember(result, of: url)
      let waiting = underWay.withLock { $0.removeValue(forKey: url) } ?? []
      for waiter in waiting { waiter.resume(with: result.map(Optional.some)) }
      return try result.get()
    }
  }

  /// Remembers what is not stored: failures, and the images of a dry run.
  private func remember(_ result: Result<Picture, any Error>, of url: String) {
    switch result {
    case .success(let picture):
      if isDryRun { memory.withLock { $0.remember(picture, of: url) } }
    case .failure(let error as FetchError) where error.code != .cancelled:
      memory.withLock { $0.remember(error, of: url) }
    case .failure: break
    }
  }

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

  private func result(
    _ url: String, _ stored: PictureStore.Stored?, _ take: @escaping Take
  ) async -> Result<Picture, any Error> {
    let stop = Atomic(false)
    return await withTaskCancellationHandler {
      await withTaskExecutorPreference(pool) { @concurrent in
        do {
          return .success(
            try await self.fetch(url, stored, take) { stop.load(ordering: .relaxed) })
        } catch {
          return .failure(error)
        }
      }
    } onCancel: {
      stop.store(true, ordering: .relaxed)
    }
  }

  private func fetch(
    _ url: String, _ stored: PictureStore.Stored?, _ take: Take,
    _ shouldStop: @escaping () -> Bool
  ) async throws -> Picture {
    let answer = try await ask(url, stored, shouldStop)
    guard case .new(let response, let content) = answer else { return picture(stored) }
    try decodeIfItReplaces(response.body, stored)
    return Picture(
      byteCount: content.byteCount, contentHash: content.hash,
      bytes: try take(response, content, stored))
  }

  private enum Answer {
    case unchanged
    case new(HTTPClient.Response, ReadingTable.ImageContent)
  }

  /// Asks the server for an image.
  private func ask(
    _ url: String, _ stored: PictureStore.Stored?, _ shouldStop: @escaping () -> Bool
  ) async throws -> Answer {
    let host = PacedClient.host(of: url)
    let request = HTTPClient.Request(
      url: url, etag: stored?.etag, lastModified: stored?.lastModified)
    let response = try await client.answer(to: request, at: host, shouldStop: shouldStop)
    if response.status == 304 {
      guard stored != nil else {
        throw FetchError(code: .unusable, message: "the server responded with status 304")
      }
      if !isDryRun { try store?.markSeen(url) }
      try noteSuccess(url, host: host)
      return .unchanged
    }
    let bytes = response.body
    do throws(DecodeError) {
      _ = try ImageFormat(of: bytes)
    } catch {
      throw FetchError(code: .unusable, message: error.message)
    }
    return .new(
      response,
      .init(byteCount: bytes.count, hash: Int(bitPattern: UInt(ContentHash.of(bytes)))))
  }

  private func picture(_ stored: PictureStore.Stored?) -> Picture {
    Picture(
      byteCount: stored?.content.byteCount ?? 0, contentHash: stored?.content.hash ?? 0, bytes: nil)
  }

  /// Decodes bytes that would replace a picture: damaged ones must not.
  private func decodeIfItReplaces(_ bytes: [UInt8], _ stored: PictureStore.Stored?) throws {
    guard stored != nil else { return }
    do throws(DecodeError) {
      _ = try decoder.decode(bytes, longerSide: Signature.workingSide)
    } catch {
      throw FetchError(code: .unusable, message: error.message)
    }
  }

  private func put(
    _ response: HTTPClient.Response, _ content: ReadingTable.ImageContent, of url: String,
    isCandidate: Bool = false
  ) throws(CatalogueError) {
    fetched.add(1, ordering: .relaxed)
    if !isCandidate { try noteSuccess(url, host: PacedClient.host(of: url)) }
    if isDryRun { return }
    try store?.put(
      response.body, hash: content.hash, etag: response.fields["etag"],
      lastModified: response.fields["last-modified"], of: url, isCandidate: isCandidate)
  }

  // MARK: Failures

  private func noteSuccess(_ url: String, host: String) throws(CatalogueError) {
    let hadFailed = memory.withLock { memory in
      memory.came[host, default: 0] += 1
      return memory.goneDays.removeValue(forKey: url) != nil
    }
    if hadFailed, !isDryRun { try store?.forgetFailure(url) }
  }

  /// Notes a failure, if an earlier version of the image is kept because of it.
  private func noteFailure(_ error: FetchError, of url: String, had: Bool) throws(CatalogueError) {
    let host = PacedClient.host(of: url)
    let isKept = had && error.code != .later
    memory.withLock { $0.note(error, of: url, host: host, had: had) }
    guard isKept else { return }
    if !isDryRun { try store?.noteFailure(url, error.message, on: day) }
  }

  /// Notes that an image is lost today, if its host sends others, and returns whether it is for good.
  private func isLost(
    _ url: String, _ reason: String, host: String
  ) throws(CatalogueError) -> Bool {
    if isDryRun { return false }
    try store?.noteFailure(url, reason, on: day)
    guard memory.withLock({ $0.came[host] ?? 0 }) > 0 else { return false }
    let days = try store?.noteGone(url, on: day) ?? 0
    memory.withLock { $0.goneDays[url] = days }
    return days >= Self.goneDayCount
  }

  /// Returns whether the server says that there is no such image, and has said so on enough days.
  package func hasLeft(_ url: String) -> Bool {
    memory.withLock { ($0.goneDays[url] ?? 0) >= Self.goneDayCount && $0.gone[url] != nil }
  }
}
