internal import PixelMatch
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that other users of the machine cannot read: an index has the secret of its tokens and everything that its shop
/// does not show.
package enum PrivateFile {
  /// The rights of a new file, which the umask may narrow: the owner may read and write it, the group may read it.
  package static let mode: UInt16 = 0o640
  /// The rights of a new directory.
  package static let directoryMode: UInt16 = 0o750

  /// Opens a file to read and write it, and creates it if there is none.
  ///
  /// - Returns: The descriptor; -1 if it cannot be opened, with the reason in `errno`.
  package static func openOrCreate(_ path: String) -> Int32 {
    unsafe open(FileName.systemName(path), O_RDWR | O_CREAT | O_CLOEXEC, mode_t(mode))
  }

  /// Creates an empty file if there is none, and withdraws the rights of others from one that exists.
  ///
  /// An existing file is not opened: to close it would release the locks that SQLite has on it. If it belongs to another
  /// user, its rights stay as they are.
  ///
  /// - Returns: The system's reason why there is no file and none can be created; `nil` if there is one.
  @discardableResult package static func prepare(_ path: String) -> Int32? {
    let name = FileName.systemName(path)
    let file = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
    if file >= 0 {
      close(file)
      return nil
    }
    let reason = errno
    guard reason == EEXIST else { return reason }
    var status = stat()
    // Sound: `stat` fills one `stat`, which outlives the call.
    guard unsafe stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o007 != 0
    else { return nil }
    _ = unsafe chmod(name, status.st_mode & 0o770)
    return nil
  }

  /// Returns the system's reason why a file, or another one in its directory, cannot be written, or `nil` if it permits both.
  package static func refusal(ofWriting path: String) -> Int32? {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    for path in [path, directory.isEmpty ? "/" : directory]
    where unsafe access(FileName.systemName(path), W_OK) != 0 {
      return errno
    }
    return nil
  }
}
