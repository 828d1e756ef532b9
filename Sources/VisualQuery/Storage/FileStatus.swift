#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the system says of a path.
struct FileStatus: Sendable, Hashable {
  let isDirectory: Bool
  let isRegular: Bool
  let byteCount: Int
  /// Nanoseconds since 1970.
  let modified: Int
  /// What tells the file from another of the same name.
  let inode: UInt64

  /// `nil` where there is nothing, or nothing that may be seen.
  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The status of an open file; `nil` if the system does not tell it.
  init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
    isRegular = status.st_mode & S_IFMT == S_IFREG
    byteCount = Int(status.st_size)
    inode = UInt64(status.st_ino)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    modified = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  static func exists(_ path: String) -> Bool { FileStatus(path) != nil }
}
