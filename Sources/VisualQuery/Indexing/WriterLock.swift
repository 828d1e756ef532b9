#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exclusive right to write to a catalogue. The system releases it when the process ends,
/// however it ends.
struct WriterLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock.
  ///
  /// - Throws: ``CatalogueError`` with the code `locked` if another process has it.
  init(directory: String) throws(CatalogueError) {
    let path = directory + "/writer.lock"
    // A complete value is destroyed when its initializer throws, which would close the descriptor a
    // second time, when it may already belong to another file.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw CatalogueError(StorageError("open", path)) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw CatalogueError(
        code: .locked,
        message: "'\(directory)' is locked by another index run; wait until it has ended")
    }
    descriptor = file
  }

  deinit { close(descriptor) }
}
