#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exclusive right to write to a catalogue. The system releases it when the process ends,
/// however it ends.
package struct WriterLock: ~Copyable {
  package static let fileName = "writer.lock"

  private let descriptor: Int32
  /// The file that is locked, at its place.
  package let place: Place

  /// The time for which a run waits. A server changes single entities in a fraction of it.
  package static let standardWait = Duration.seconds(1)
  private static let pause = Duration.milliseconds(5)

  /// Takes the lock.
  ///
  /// - Parameter limit: The longest time to wait for another writer. Blocks the thread.
  /// - Throws: ``CatalogueError`` with the code `locked` if another process has it.
  package init(directory: String, waiting limit: Duration = .zero) throws(CatalogueError) {
    let path = directory + "/" + Self.fileName
    let clock = ContinuousClock()
    let end = clock.now + limit
    while true {
      // Uses a local variable: if all properties were set when the initializer throws, `deinit`
      // would close the descriptor a second time, which may already be that of another file.
      let file = PrivateFile.openOrCreate(path)
      guard file >= 0 else { throw CatalogueError(StorageError("open", path)) }
      var isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
      while !isLocked, clock.now < end {
        usleep(UInt32(Self.pause / .microseconds(1)))
        isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
      }
      guard isLocked else {
        close(file)
        throw CatalogueError(
          code: .locked,
          message: "'\(directory)' is locked by another index run; wait until it has ended")
      }
      if let status = FileStatus(descriptor: file), status.isSameFile(as: FileStatus(path)) {
        descriptor = file
        place = Place(directory: directory, status: status)
        return
      }
      // The other writer removed its empty catalogue, and this file with it. The next writer would
      // create and lock a new file, so a lock on the removed one would keep nobody out.
      close(file)
      try CatalogueFolder.make(directory)
    }
  }

  deinit { close(descriptor) }

  /// The directory of a locked file, which somebody may replace by another one while it is written.
  package struct Place: Sendable {
    let directory: String
    fileprivate let status: FileStatus

    /// True if the directory is still the one whose file is locked.
    package var isKept: Bool {
      status.isSameFile(as: FileStatus(directory + "/" + WriterLock.fileName))
    }

    /// - Throws: ``CatalogueError`` with the code `locked` if the directory is another one: its files belong to another writer.
    package func check() throws(CatalogueError) {
      guard !isKept else { return }
      throw CatalogueError(
        code: .locked,
        message: "'\(directory)' was replaced during this run, which ends here; run it again")
    }
  }
}
