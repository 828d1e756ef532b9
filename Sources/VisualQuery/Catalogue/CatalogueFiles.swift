#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

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

/// Names of files.
enum FilePath {
  /// The full path of a folder, which need not be there. An absolute path keeps its links, so that a link may be
  /// pointed elsewhere later.
  static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    return resolved(path) ?? (resolved(".") ?? "") + "/" + path
  }

  /// The full path of a file without links; `nil` if there is none.
  static func resolved(_ path: String) -> String? {
    guard let full = unsafe realpath(path, nil) else { return nil }
    // Sound: `realpath` gives a terminated text that is ours to free.
    defer { unsafe free(full) }
    return unsafe String(cString: full)
  }
}

/// A directory that goes with the run that made it.
struct TemporaryCatalogue: Sendable {
  let path: String

  init() throws(CatalogueError) {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/vq-" + String(repeating: "X", count: 6)).utf8CString)
    // Sound: `mkdtemp` writes six letters into a terminated text of ours.
    let made = unsafe template.withUnsafeMutableBufferPointer {
      unsafe mkdtemp($0.baseAddress!) != nil
    }
    guard made else { throw DurableFile.failure("make a directory in", base) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func remove() {
    for name in DurableFile.names(in: path) where name != "." && name != ".." {
      DurableFile.remove(name, in: path)
    }
    unsafe rmdir(path)
  }
}

/// Files that are there whole or not at all.
enum DurableFile {
  /// Writes a file under another name, syncs it, gives it its own name and syncs the directory, so
  /// that a kill or a power cut at any moment leaves no half of it.
  ///
  /// - Throws: ``CatalogueError`` with the code `diskFull`, `notPermitted` or `io`.
  static func write(_ bytes: [UInt8], to name: String, in directory: String) throws(CatalogueError)
  {
    let path = directory + "/" + name
    let temporary = path + ".tmp"
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw failure("create", temporary) }
    var written = 0
    while written < bytes.count {
      // Sound: the rest of the array from `written` on.
      let count = unsafe bytes.withUnsafeBytes { all in
        unsafe pwrite(file, all.baseAddress! + written, all.count - written, off_t(written))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let error = failure("write", temporary)
        close(file)
        unsafe unlink(temporary)
        throw error
      }
      written += count
    }
    let isSynced = fsync(file) == 0
    close(file)
    guard isSynced, unsafe rename(temporary, path) == 0 else { throw failure("sync", temporary) }
    try sync(directory: directory)
  }

  /// Gives a file that is written its own name, and syncs both.
  static func commit(
    _ temporary: String, as name: String, in directory: String
  ) throws(CatalogueError) {
    let (from, to) = (directory + "/" + temporary, directory + "/" + name)
    let file = unsafe open(from, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("open", from) }
    let isSynced = fsync(file) == 0
    close(file)
    guard isSynced, unsafe rename(from, to) == 0 else { throw failure("sync", from) }
    try sync(directory: directory)
  }

  /// The first bytes of a file, fewer where it is shorter.
  static func prefix(of path: String, byteCount: Int) throws(CatalogueError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("open", path) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    // Sound: at most as many bytes as the array has.
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, byteCount) }
    guard count >= 0 else { throw failure("read", path) }
    return Array(bytes.prefix(count))
  }

  /// Makes a directory and those above it.
  static func makeDirectory(_ path: String) throws(CatalogueError) {
    if let status = FileStatus(path) {
      if status.isDirectory { return }
      throw CatalogueError(
        code: .notACatalogue, message: "'\(path)' is a file; a catalogue is a directory")
    }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeDirectory(String(path[..<slash]))
    }
    guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw failure("make directory", path)
    }
  }

  /// Names in a directory.
  static func names(in directory: String) -> [String] {
    guard let stream = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      names.append(name)
    }
    return names.sorted()
  }

  /// Removes a file that nothing names any more; one that is gone is fine.
  static func remove(_ name: String, in directory: String) {
    unsafe unlink(directory + "/" + name)
  }

  private static func sync(directory: String) throws(CatalogueError) {
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", directory) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("sync", directory) }
  }

  fileprivate static func failure(_ what: String, _ path: String) -> CatalogueError {
    let number = errno
    let code: CatalogueError.Code =
      switch number {
      case ENOSPC, EDQUOT: .diskFull
      case EACCES, EPERM, EROFS: .notPermitted
      default: .io
      }
    return CatalogueError(code: code, message: "cannot \(what) '\(path)': \(systemMessage(number))")
  }
}

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
    guard file >= 0 else { throw DurableFile.failure("open", path) }
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
