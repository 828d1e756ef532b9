#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// The status of a file, as the system reports it.
package struct FileStatus: Sendable, Hashable {
  package let isDirectory: Bool
  package let isRegular: Bool
  package let byteCount: Int
  /// The time of the last modification, in nanoseconds since 1970.
  package let modified: Int
  /// The time of the last change of the file or of what the system notes about it, in nanoseconds since 1970. Programs cannot set
  /// it.
  package let changed: Int
  /// The inode, which distinguishes the file from another one with the same name.
  package let inode: UInt64
  /// The device, on which no other file has the same inode.
  package let device: UInt64

  /// Returns `nil` if the file does not exist or is not accessible.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(FileName.systemName(path), &status) == 0 else { return nil }
    self.init(status)
  }

  /// The status of a path, or `nil` if there is nothing.
  ///
  /// - Throws: ``StorageError`` if the system does not say whether there is something.
  package static func ifPresent(_ path: String) throws(StorageError) -> FileStatus? {
    var status = stat()
    if unsafe stat(FileName.systemName(path), &status) == 0 { return FileStatus(status) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw StorageError("open", path)
  }

  /// Returns the status of an open file, or `nil` if it is not available.
  package init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
    isRegular = status.st_mode & S_IFMT == S_IFREG
    byteCount = Int(status.st_size)
    inode = UInt64(status.st_ino)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    #if canImport(Darwin)
      let (time, change) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (time, change) = (status.st_mtim, status.st_ctim)
    #endif
    modified = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    changed = Int(change.tv_sec) * 1_000_000_000 + Int(change.tv_nsec)
  }

  package static func exists(_ path: String) -> Bool { FileStatus(path) != nil }

  /// Returns whether this is the status of the same file, at this or another moment.
  package func isSameFile(as other: FileStatus?) -> Bool {
    inode == other?.inode && device == other?.device
  }
}
