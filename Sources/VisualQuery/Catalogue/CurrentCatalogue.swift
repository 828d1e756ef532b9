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
public final class CurrentCatalogue: Sendable {
  /// The directory.
  public let directory: String
  private let opened: Mutex<Opened>

  private struct Opened {
    var catalogue: Catalogue
    var file: FileStatus?
    let probe: CatalogueProbe
  }

  /// Opens a catalogue.
  ///
  /// - Throws: ``CatalogueError``.
  public init(directory: String) throws(CatalogueError) {
    self.directory = directory
    opened = Mutex(try Self.open(directory))
  }

  /// The newest generation.
  ///
  /// - Throws: ``CatalogueError`` where a newer one cannot be read.
  /// - Complexity: O(1) where nothing has changed, else that of opening.
  public func catalogue() throws(CatalogueError) -> Catalogue {
    let directory = directory
    return try opened.withLock { opened throws(CatalogueError) in
      let file = FileStatus(directory + "/" + CatalogueDatabase.fileName)
      let isSame = file != nil && file?.inode == opened.file?.inode
      if isSame, try opened.probe.generation() == opened.catalogue.generation {
        return opened.catalogue
      }
      opened = try Self.open(directory)
      return opened.catalogue
    }
  }

  private static func open(_ directory: String) throws(CatalogueError) -> Opened {
    let file = FileStatus(directory + "/" + CatalogueDatabase.fileName)
    return Opened(
      catalogue: try Catalogue(directory: directory), file: file,
      probe: try CatalogueProbe(directory: directory))
  }
}

/// A connection without a transaction, which sees each generation as it is published.
private final class CatalogueProbe {
  private let connection: SQLiteConnection

  init(directory: String) throws(CatalogueError) {
    connection = try SQLiteConnection(
      path: directory + "/" + CatalogueDatabase.fileName, mode: .read)
  }

  func generation() throws(CatalogueError) -> Int {
    let row = try connection.statement("SELECT generation FROM state")
    guard try row.step() else { return -1 }
    let generation = row.integer(0)
    _ = try row.step()
    return generation
  }
}
