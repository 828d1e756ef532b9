internal import PixelMatch
internal import Synchronization

/// The newest generation of a catalogue, for services that run while it is being indexed.
///
/// ```swift
/// let current = try CurrentCatalogue(directory: "shop.vq")
/// let matcher = Matcher(catalogue: try current.catalogue(), pool: pool)   // one per query
/// ```
///
/// A query keeps the generation that it began with, even if a newer one is published or the
/// directory is replaced.
///
/// Files can be damaged while they are in use: truncated, or overwritten with another index. A
/// generation with such a file is not returned. Instead, the previous one is returned if it is
/// still open and intact; otherwise ``catalogue()`` throws until the files are restored or a new
/// generation is published.
public final class CurrentCatalogue: Sendable {
  /// The directory of the catalogue.
  package let directory: String
  private let readers: Int
  private let store: (any CandidateStore)?
  private let state: Mutex<State>

  private struct State {
    var opened: Opened?
    /// The reason why the newest generation is not the open one.
    var damage: CatalogueError?
    /// The contents of the generation whose files were damaged.
    var expected: Contents?
    /// The files without the expected contents, so that they are not read again.
    var rejected: [String: (status: FileStatus?, error: CatalogueError)] = [:]
  }

  private struct Opened {
    let catalogue: Catalogue
    let file: FileStatus?
    /// `nil` if the catalogue's connections do not notice a writer: another one would not either.
    let probe: CatalogueProbe?
  }

  /// The contents of a generation's segments.
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
  ///   - readers: As in ``Catalogue/init(directory:readers:)``: the number of a service's threads.
  /// - Throws: ``CatalogueError``.
  public convenience init(directory: String, readers: Int = 2) throws(CatalogueError) {
    try self.init(directory: directory, readers: readers, store: nil)
  }

  /// - Parameter store: As in ``Catalogue/init(directory:readers:store:)``.
  package init(
    directory: String, readers: Int, store: (any CandidateStore)?
  ) throws(CatalogueError) {
    self.directory = directory
    self.readers = readers
    self.store = store
    state = Mutex(State(opened: try Self.open(directory, readers, store)))
  }

  /// Returns the newest generation whose files are intact.
  ///
  /// - Throws: ``CatalogueError`` if the newest one cannot be read and no earlier one is open and
  ///   intact.
  /// - Complexity: O(segments) if nothing has changed, otherwise that of opening; after damage,
  ///   that of reading all signatures once.
  public func catalogue() throws(CatalogueError) -> Catalogue {
    let (directory, readers, store) = (directory, readers, store)
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
        // An error of access says nothing about the contents, so the open catalogue is not
        // dropped.
        if !error.isLackOfAccess {
          // Its connections are closed before others are opened, because SQLite shares memory
          // between all connections of a process.
          state.expected = state.opened.map { Contents($0.catalogue) } ?? state.expected
          state.opened = nil
        }
      }
      do throws(CatalogueError) {
        let opened = try Self.open(
          directory, readers, store, reusing: state.opened?.catalogue.files ?? [:])
        try Self.checkContents(of: opened.catalogue, &state)
        state = State(opened: opened)
        return opened.catalogue
      } catch {
        state.damage = error
        guard let previous = state.opened, Self.isReadable(previous, in: directory) else {
          throw error
        }
        return previous.catalogue
      }
    }
  }

  /// Counts the unmatched labels of answers, so that the shop can add them to its bridge: `vq labels --unmatched` lists them. Images,
  /// times and persons are not recorded, and at most 10 000 labels are.
  ///
  /// Waits for other processes that are counting, so call it after an answer is sent.
  ///
  /// - Parameter labels: ``MatchResponse/unmatchedLabels``.
  /// - Throws: ``CatalogueError``, also if the directory is not writable.
  public func countUnmatched(_ labels: [String]) throws(CatalogueError) {
    try UnmatchedLabels(directory: directory).count(labels)
  }

  /// Lets the next writer begin the write-ahead log anew if it is long. Does nothing if the
  /// directory is not writable.
  ///
  /// A log cannot begin anew while a connection reads from it, and a connection that opens a
  /// generation reads from it unless all of it was copied into the database before. That is not
  /// possible before readers have left the older generations. So a long log is copied once the
  /// newest generation is open, and then that generation is opened again. A service that runs while
  /// the catalogue changes should call this every now and then.
  ///
  /// - Complexity: O(1) while the log is short, otherwise O(its bytes).
  public func releaseLog() { releaseLog(longerThan: CatalogueFolder.logByteLimit) }

  /// Lets the next writer begin the log anew if it has more bytes than `limit`.
  func releaseLog(longerThan limit: Int) {
    guard CatalogueFolder.logByteCount(directory) > limit else { return }
    do throws(CatalogueError) {
      let generation = try catalogue().generation
      guard try CatalogueFolder.checkpoint(directory) else { return }
      let (directory, readers, store) = (directory, readers, store)
      try state.withLock { state throws(CatalogueError) in
        guard state.opened?.catalogue.generation == generation, state.damage == nil else { return }
        state.opened = try Self.open(
          directory, readers, store, reusing: state.opened?.catalogue.files ?? [:])
      }
    } catch {
      // A failure here only leaves the log as it is. If the catalogue is damaged, the next
      // read reports it.
    }
  }

  /// The reason why ``catalogue()`` last returned an older generation, or `nil` if it returned the
  /// newest one.
  package var damage: CatalogueError? { state.withLock { $0.damage } }

  private static func isNewest(
    _ opened: Opened, in directory: String
  ) throws(CatalogueError) -> Bool {
    let path = directory + "/" + CatalogueDatabase.fileName
    guard let probe = opened.probe else {
      // A new generation is first in the log and later in the file, so the log is checked first.
      return !FileStatus.exists(path + "-wal") && FileStatus(path) == opened.file
    }
    let file = FileStatus(path)
    guard file != nil && file?.inode == opened.file?.inode else { return false }
    return try probe.stamp() == opened.catalogue.stamp
  }

  /// Returns whether the connections of a generation still read it. Those that take no locks do not
  /// keep a writer from copying its log into the file.
  private static func isReadable(_ opened: Opened, in directory: String) -> Bool {
    let file = FileStatus(directory + "/" + CatalogueDatabase.fileName)
    return opened.probe != nil || file == opened.file || file?.inode != opened.file?.inode
  }

  private static func open(
    _ directory: String, _ readers: Int, _ store: (any CandidateStore)?,
    reusing known: [String: SignatureSegment] = [:]
  ) throws(CatalogueError) -> Opened {
    let file = FileStatus(directory + "/" + CatalogueDatabase.fileName)
    let catalogue = try Catalogue(
      directory: directory, readers: readers, store: store, reusing: known)
    return Opened(
      catalogue: catalogue, file: file,
      probe: catalogue.readers.isImmutable ? nil : try CatalogueProbe(directory: directory))
  }

  /// Checks that damaged files have their previous contents again, byte for byte.
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

/// A connection without a transaction, which sees each generation as soon as it is published.
private final class CatalogueProbe {
  private let connection: CatalogueConnection

  init(directory: String) throws(CatalogueError) {
    connection = try CatalogueConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .read)
  }

  /// Returns the stamp of the newest generation, or `nil` if there is none.
  func stamp() throws(CatalogueError) -> StateTable.Stamp? {
    let stamp = try StateTable(connection: connection).stamp()
    try connection.checkSharedMemory()
    return stamp
  }
}
