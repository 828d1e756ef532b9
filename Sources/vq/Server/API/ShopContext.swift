import HTTPServer
import PixelMatch
import Synchronization
import VisualQuery

/// The state that the handlers of all requests share: the catalogue, the threads, the keys, and what is kept from one request to
/// the next.
final class ShopContext: Sendable {
  let catalogue: ServedCatalogue
  let pool: WorkerPool
  /// The threads of changes, which may wait for a database that does not respond.
  let changePool: WorkerPool
  /// The catalogue in PostgreSQL that is followed, or `nil` if the index is a directory of its own.
  let replica: CatalogueReplica?
  let settings: ShopService.Settings
  /// The writer of changes from clients.
  let updates: EntityUpdates
  /// The answers to changes that clients may send again.
  let repeatable = RepeatableRequests()
  /// The last runs of `vq index`.
  let runs: ServedRuns
  let metrics: Metrics
  let log: ServerLog
  /// The sender of traces, or `nil` if nobody wants them.
  let tracer: Tracer?
  let thumbnails = ThumbnailCache()
  let isDraining = Mutex(false)
  /// The reasons for which `/readyz` says that the server is degraded.
  let degradations = Degradations()
  private let currentKeys: Mutex<APIKeys?>
  /// The findings of the doctor for the newest generation that was checked.
  let checkups = Checkups()
  let evaluations = Evaluations()
  /// True while the fits change.
  let isFitting = Mutex(false)
  /// Labels that the catalogue lacks, until they are counted on disk.
  let unmatched = Mutex<[String]>([])
  /// Searches until they are counted on disk.
  let searches = Mutex(WaitingSearches())
  /// The searches of each client on the sides of an experiment.
  let sides = Mutex(ClientSides())
  /// The names that searches are counted by, once they were looked up.
  let names = Mutex<KnownNames?>(nil)

  init(
    catalogue: ServedCatalogue, pool: WorkerPool, changePool: WorkerPool,
    settings: ShopService.Settings, replica: CatalogueReplica?, keys: APIKeys?,
    metrics: Metrics, log: ServerLog, tracer: Tracer? = nil
  ) {
    self.catalogue = catalogue
    runs = ServedRuns(directory: catalogue.directory)
    self.pool = pool
    self.changePool = changePool
    self.settings = settings
    self.replica = replica
    func indexer(on pool: WorkerPool) -> Indexer {
      Indexer(
        directory: catalogue.directory,
        decoder: ImageDecoder(limits: settings.decodeLimits, formats: settings.formats), pool: pool)
    }
    updates = EntityUpdates(
      indexer(on: changePool), writer: indexer(on: WorkerPool(width: 1)),
      afterBatch: { catalogue.releaseLog() })
    self.metrics = metrics
    self.log = log
    self.tracer = tracer
    currentKeys = Mutex(keys)
  }

  // MARK: Steps

  /// Returns a function that takes the times of a request's steps, for the metrics and its trace.
  func watch(_ identity: RequestIdentity) -> @Sendable (QueryStep, Duration) -> Void {
    let tracer = tracer?.records(identity) == true ? tracer : nil
    return { [metrics] step, time in
      metrics.count(step, time)
      tracer?.note(step.rawValue, time, of: identity)
    }
  }

  /// Notes a step of a request that is no match, for its trace.
  func trace(_ step: String, since start: ContinuousClock.Instant, _ identity: RequestIdentity) {
    guard let tracer, tracer.records(identity) else { return }
    tracer.note(step, .now - start, of: identity)
  }

  // MARK: Keys

  /// The keys of clients, or `nil` if they need none.
  var keys: APIKeys? {
    get { currentKeys.withLock { $0 } }
    set { currentKeys.withLock { $0 = newValue } }
  }

  /// Reads the keys again. If that fails, the current ones stay valid, and readiness tells of it.
  func reloadKeys(from path: String) throws {
    do {
      keys = try APIKeys(file: path)
      degradations.end(.keyFile)
    } catch {
      degradations.report(
        .keyFile,
        "the file of keys cannot be read; the keys before its last change are valid, also revoked ones"
      )
      throw error
    }
  }

  /// True if clients need a key.
  var hasKeys: Bool { keys != nil }

  /// True if some key may give feedback.
  var takesFeedback: Bool { keys?.hasKey(for: .feedback) ?? false }

  /// Returns the key that a request has, or `nil` if it has none of this server or one that has ended.
  func key(of head: RequestHead) -> APIKeys.Key? {
    keys?.key(of: head.fields).flatMap { $0.hasEnded() ? nil : $0 }
  }

  // MARK: Failures

  /// Returns the problem of a change that failed, and writes to the log what a client cannot see.
  func problem(ofChange error: CatalogueError, _ request: HTTPRequest) -> Problem {
    if error.code == .locked {
      return Problem(
        .catalogueBusy, "the catalogue is being indexed; try again", retryAfter: 10)
    }
    log.write("catalogue", error.message, level: "error", requestID: request.info.identity.id)
    return Problem(
      .catalogueUnavailable,
      error.code == .notPermitted
        ? "this server may not write the catalogue"
        : "the catalogue cannot be written at the moment",
      retryAfter: 5)
  }

  /// Returns a reason without the server's path of the images root.
  func withoutRoot(_ reason: String) -> String {
    guard let root = catalogue.imagesRoot else { return reason }
    return reason.replacing("the images root '\(root)'", with: "the images root")
      .replacing("'\(root)'", with: "the images root")
  }
}
