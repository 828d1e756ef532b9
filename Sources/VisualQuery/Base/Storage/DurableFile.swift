internal import CFiles
internal import PixelMatch
internal import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that are written completely or not at all.
package enum DurableFile<Failure: StorageFailure> {
  /// Writes a file under a temporary name, syncs it, renames it and syncs the directory, so that a
  /// kill or a power cut at any moment leaves no partial file.
  ///
  /// - Throws: the failure of a ``StorageError`` with the code `full`, `notPermitted` or `io`.
  package static func write(_ bytes: [UInt8], to name: String, in directory: String) throws(Failure)
  {
    _ = try write(to: name, in: directory) { put throws(Failure) in try put(bytes, 0) }
  }

  /// Writes a file in parts, like ``write(_:to:in:)``.
  ///
  /// - Parameter body: A function that calls its argument with bytes and the offset to write them
  ///   at.
  /// - Returns: The result of `body`.
  package static func write<Result>(
    to name: String, in directory: String,
    _ body: (_ put: @escaping (_ bytes: [UInt8], _ offset: Int) throws(Failure) -> Void)
      throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try writeAndRead(to: name, in: directory) { put, _ throws(Failure) in
      try body { bytes, offset throws(Failure) in try put(bytes.span, offset) }
    }
  }

  /// Writes a file in parts like ``write(to:in:_:)``, and reads what was written.
  ///
  /// - Parameter body: A function that calls its first argument with bytes and the offset to write them
  ///   at, and its second one with a range of bytes that were written; several threads may call them.
  /// - Returns: The result of `body`.
  package static func writeAndRead<Result>(
    to name: String, in directory: String,
    _ body: (
      _ put: @escaping @Sendable (_ bytes: Span<UInt8>, _ offset: Int) throws(Failure) -> Void,
      _ get: @escaping @Sendable (_ range: Range<Int>) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let path = directory + "/" + name
    let temporary = path + ".tmp"
    let file = unsafe open(
      FileName.systemName(temporary), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
      mode_t(PrivateFile.mode))
    guard file >= 0 else { throw Failure(StorageError("create", temporary)) }
    let result: Result
    let unstored = Atomic(0)
    do throws(Failure) {
      result = try body(
        { bytes, offset throws(Failure) in
          try put(bytes, at: offset, of: file, temporary)
          let count = unstored.wrappingAdd(bytes.count, ordering: .relaxed).newValue
          guard count >= storedByteCount else { return }
          unstored.store(0, ordering: .relaxed)
          cf_begin_storing(file)
        }, { range throws(Failure) in try get(range, of: file, temporary) })
    } catch {
      close(file)
      unsafe unlink(FileName.systemName(temporary))
      throw error
    }
    let isSynced = fsync(file) == 0
    close(file)
    guard isSynced, unsafe rename(FileName.systemName(temporary), FileName.systemName(path)) == 0
    else {
      throw Failure(StorageError("sync", temporary))
    }
    try sync(directory: directory)
    return result
  }

  /// The number of written bytes after which the system begins to store them while further ones are written.
  private static var storedByteCount: Int { 32 << 20 }

  private static func put(
    _ bytes: Span<UInt8>, at offset: Int, of file: Int32, _ path: String
  ) throws(Failure) {
    var written = 0
    while written < bytes.count {
      // Sound: the pointer covers the rest of the bytes from `written` on.
      let count = unsafe bytes.withUnsafeBytes { all in
        unsafe pwrite(
          file, all.baseAddress! + written, all.count - written, off_t(offset + written))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Failure(StorageError("write", path)) }
      written += count
    }
  }

  private static func get(
    _ range: Range<Int>, of file: Int32, _ path: String
  ) throws(Failure) -> [UInt8] {
    let bytes = FileBytes.read(range, of: file)
    if let bytes, bytes.count < range.count { errno = EIO }
    guard let bytes, bytes.count == range.count else { throw Failure(StorageError("read", path)) }
    return bytes
  }

  /// Renames a complete file to its final name, and syncs both the file and the directory.
  package static func commit(
    _ temporary: String, as name: String, in directory: String
  ) throws(Failure) {
    let (from, to) = (directory + "/" + temporary, directory + "/" + name)
    let file = FileBytes.openFile(from)
    guard file >= 0 else { throw Failure(StorageError("open", from)) }
    let isSynced = fsync(file) == 0
    close(file)
    guard isSynced, unsafe rename(FileName.systemName(from), FileName.systemName(to)) == 0 else {
      throw Failure(StorageError("sync", from))
    }
    try sync(directory: directory)
  }

  /// Returns the first bytes of a file, or all of them if it is shorter.
  package static func prefix(of path: String, byteCount: Int) throws(Failure) -> [UInt8] {
    let file = FileBytes.openFile(path)
    guard file >= 0 else { throw Failure(StorageError("open", path)) }
    defer { close(file) }
    guard let bytes = FileBytes.read(0..<byteCount, of: file) else {
      throw Failure(StorageError("read", path))
    }
    return bytes
  }

  /// Calls `body` with the bytes of a file in their order, in parts of the same size except the last.
  package static func forEachPart(
    of path: String, byteCount: Int, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let file = FileBytes.openFile(path)
    guard file >= 0 else { throw Failure(StorageError("open", path)) }
    defer { close(file) }
    while true {
      var part = [UInt8](repeating: 0, count: byteCount)
      var filled = 0
      while filled < byteCount {
        // Sound: at most as many bytes are written as the array has from `filled` on.
        let count = unsafe part.withUnsafeMutableBytes {
          unsafe read(file, $0.baseAddress! + filled, byteCount - filled)
        }
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw Failure(StorageError("read", path)) }
        if count == 0 { break }
        filled += count
      }
      if filled > 0 { try body(filled == byteCount ? part : Array(part.prefix(filled))) }
      if filled < byteCount { return }
    }
  }

  private static func sync(directory: String) throws(Failure) {
    let descriptor = unsafe open(
      FileName.systemName(directory), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(StorageError("open", directory)) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure(StorageError("sync", directory)) }
  }
}
