import Synchronization
import VisualQuery

/// The catalogue that is served, and its state as it was last seen.
///
/// Opening a generation reads files and queries SQLite, which the event loop must not do. Requests
/// that need the catalogue ask for it on threads of the pool; answers that are made on the event
/// loop use ``state``.
final class ServedCatalogue: Sendable {
  /// The part of a generation that the event loop tells.
  struct Snapshot: Sendable {
    let generation: Int
    let productCount: Int
    let storeCount: Int
    let imageCount: Int
    let links: LinkSettings
    let imagesRoot: String?

    init(_ catalogue: Catalogue) {
      generation = catalogue.generation
      productCount = catalogue.entityCount(of: .product)
      storeCount = catalogue.entityCount(of: .store)
      imageCount = catalogue.imageCount
      links = catalogue.links
      imagesRoot = catalogue.picturePlaces.root
    }
  }

  /// The state of the catalogue.
  enum State: Sendable {
    /// The newest generation answers.
    case ready(Snapshot)
    /// An earlier generation answers, since the newest one cannot be read.
    case degraded(Snapshot, CatalogueError)
    /// No generation can be read.
    case unavailable(CatalogueError)

    /// The reason why the newest generation does not answer.
    var error: CatalogueError? {
      switch self {
      case .ready: nil
      case .degraded(_, let error), .unavailable(let error): error
      }
    }
  }

  private let current: CurrentCatalogue
  private let onError: @Sendable (CatalogueError) -> Void
  private let lastState: Mutex<State>
  /// Held while a generation is looked for, so that an earlier finding does not replace a later
  /// one. The event loop never waits for it.
  private let search = Mutex(())

  /// Takes a catalogue and reads its state.
  ///
  /// - Parameter onError: Called when the catalogue becomes degraded or unavailable, on the thread
  ///   that found it so.
  init(
    _ current: CurrentCatalogue, onError: @escaping @Sendable (CatalogueError) -> Void
  ) throws(CatalogueError) {
    self.current = current
    self.onError = onError
    lastState = Mutex(Self.state(of: current, try current.catalogue()))
  }

  /// The directory of the catalogue.
  var directory: String { current.directory }

  /// The state that ``newest()`` found last. Never waits for files.
  var state: State { lastState.withLock { $0 } }

  /// The folder of the images, or `nil` if it is unknown.
  var imagesRoot: String? {
    switch state {
    case .ready(let snapshot), .degraded(let snapshot, _): snapshot.imagesRoot
    case .unavailable: nil
    }
  }

  /// Returns the newest generation that can be read. Waits for files and other threads.
  func newest() throws(CatalogueError) -> Catalogue {
    try search.withLock { _ throws(CatalogueError) in
      do throws(CatalogueError) {
        let catalogue = try current.catalogue()
        replaceState(by: Self.state(of: current, catalogue))
        return catalogue
      } catch {
        replaceState(by: .unavailable(error))
        throw error
      }
    }
  }

  /// Keeps the write-ahead log short. Waits for files.
  func releaseLog() { current.releaseLog() }

  private func replaceState(by state: State) {
    let former = lastState.withLock { last in
      defer { last = state }
      return last
    }
    if let error = state.error, error != former.error { onError(error) }
  }

  private static func state(of current: CurrentCatalogue, _ catalogue: Catalogue) -> State {
    let snapshot = Snapshot(catalogue)
    return current.damage.map { .degraded(snapshot, $0) } ?? .ready(snapshot)
  }
}
