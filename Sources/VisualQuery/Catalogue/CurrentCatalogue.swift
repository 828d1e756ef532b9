internal import PixelMatch
internal import Synchronization

/// The newest generation of a catalogue, for services that run while it is being indexed.
///
/// ```swift
/// let current = try CurrentCatalogue(directory: "shop.vq")
/// let matcher = Matcher(catalogue: try current.catalogue(), pool: pool)   // one per query
/// ```
///
/// A query keeps the generation that it began with, also where a newer one comes or the directory is
/// replaced.
///
/// Files can be damaged while they are in use: truncated, or another index copied over them. A generation with
/// such a file is not given out. The one before is, if it is still open and whole; else ``catalogue()`` throws
/// until the files are restored or a new generation is published.
public final class CurrentCatalogue: Sendable {
  /// The directory.
  public let directory: String
  private let readers: Int
  private let state: Mutex<State>

  private struct State {
    var opened: Opened?
    /// Why the newest generation is not the one that is opened.
    var damage: CatalogueError?
    /// The contents of the generation whose files were found damaged.
    var expected: Contents?
    /// Files that do not have the expected contents, so that they are read once only.
    var rejected: [String: (status: FileStatus?, error: CatalogueError)] = [:]
  }

  private struct Opened {
    let catalogue: Catalogue
    let file: FileStatus?
    let probe: CatalogueProbe
  }

  /// What a generation's segments hold.
  private struct Contents {
    let identity: String
    let generation: Int
    let fingerprints: [String: UInt64]

    init(_ catalogue: Catalogue) {
      identity = catalogue.identity
      generation = catalogue.generation
      fingerprints = catalogue.files.mapValues(\.fingerprint)
    }
  }

  /// Opens a catalogue.
  ///
  /// - Parameters:
  ///   - directory: The catalogue's directory.
  ///   - readers: As in ``Catalogue/init(directory:readers:)``: a service has as many as threads.
  /// - Throws: ``CatalogueError``.
  public init(directory: String, readers: Int = 2) throws(CatalogueError) {
    self.directory = directory
    self.readers = readers
    state = Mutex(State(opened: try Self.open(directory, readers)))
  }

  /// The newest generation whose files are whole.
  ///
  /// - Throws: ``CatalogueError`` if the newest one cannot be read, and none before it is open and whole.
  /// - Complexity: O(segments) if nothing has changed, else that of opening; after damage, that of reading
  ///   all signatures once.
  public func catalogue() throws(CatalogueError) -> Catalogue {
    let (directory, readers) = (directory, readers)
    return try state.withLock { state throws(CatalogueError) in
      do throws(CatalogueError) {
        if let opened = state.opened {
          try opened.catalogue.checkSegments()
          if try Self.isNewest(opened, in: directory) {
            state.damage = nil
            return opened.catalogue
          }
        }
      } catch {
        // Its connections go before others are opened: SQLite shares its memory between all of a process.
        state.expected = state.opened.map { Contents($0.catalogue) } ?? state.expected
        state.opened = nil
      }
      do throws(CatalogueError) {
        let opened = try Self.open(directory, readers)
        try Self.checkContents(of: opened.catalogue, &state)
        state = State(opened: opened)
        return opened.catalogue
      } catch {
        state.damage = error
        guard let former = state.opened else { throw error }
        return former.catalogue
      }
    }
  }

  /// The reason why the newest generation is not what ``catalogue()`` gave last; `nil` if it is.
  public var damage: CatalogueError? { state.withLock { $0.damage } }

  private static func isNewest(
    _ opened: Opened, in directory: String
  ) throws(CatalogueError) -> Bool {
    let file = FileStatus(directory + "/" + CatalogueDatabase.fileName)
    guard file != nil && file?.inode == opened.file?.inode else { return false }
    return try opened.probe.generation() == opened.catalogue.generation
  }

  private static func open(_ directory: String, _ readers: Int) throws(CatalogueError) -> Opened {
    let file = FileStatus(directory + "/" + CatalogueDatabase.fileName)
    return Opened(
      catalogue: try Catalogue(directory: directory, readers: readers), file: file,
      probe: try CatalogueProbe(directory: directory))
  }

  /// Checks that files which were damaged have their former contents again, byte for byte.
  private static func checkContents(
    of catalogue: Catalogue, _ state: inout State
  ) throws(CatalogueError) {
    guard let expected = state.expected, expected.identity == catalogue.identity,
      expected.generation == catalogue.generation
    else { return }
    for (file, segment) in catalogue.files {
      let status = FileStatus(catalogue.directory + "/" + file)
      if let rejected = state.rejected[file], rejected.status == status { throw rejected.error }
      do throws(CatalogueError) {
        try catalogue.checkContents(
          of: segment, file, fingerprint: expected.fingerprints[file] ?? segment.fingerprint)
      } catch {
        state.rejected[file] = (status, error)
        throw error
      }
    }
  }
}

/// A connection without a transaction, which sees each generation as it is published.
private final class CatalogueProbe {
  private let connection: CatalogueConnection

  init(directory: String) throws(CatalogueError) {
    connection = try CatalogueConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .read)
  }

  func generation() throws(CatalogueError) -> Int {
    let row = try connection.statement("SELECT generation FROM state")
    guard try row.step() else { return -1 }
    let generation = row.integer(0)
    _ = try row.step()
    try connection.checkSharedMemory()
    return generation
  }
}
