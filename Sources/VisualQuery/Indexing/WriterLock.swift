#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The right to write to a catalogue, which one process at a time has; the system takes it back
/// when the process ends, however it ends.
struct WriterLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Throws: ``CatalogueError`` with the code `locked` where another process has it.
  init(directory: String) throws(CatalogueError) {
    let path = directory + "/writer.lock"
    // A value that is whole when its initialiser throws is destroyed, which would close a file again
    // that is closed here, and meanwhile may be somebody else's.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw CatalogueError(StorageError("open", path)) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw CatalogueError(
        code: .locked,
        message: "'\(directory)' is being written by another vq index; wait until it is done")
    }
    descriptor = file
  }

  deinit { close(descriptor) }
}
