#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// Reads parts of files.
package enum FileBytes {
  /// Opens a file for reading.
  ///
  /// - Returns: The descriptor; -1 if it cannot be opened, with the reason in `errno`.
  package static func openFile(_ path: String) -> Int32 {
    unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC)
  }

  /// Returns bytes of a file, fewer if it ends before them; `nil` if it cannot be read, with the reason in `errno`.
  ///
  /// Does not move the position of the descriptor, so that several threads may read at once.
  package static func read(_ range: Range<Int>, of file: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    while filled < bytes.count {
      // Sound: at most as many bytes are read as the array has from `filled` on.
      let count = unsafe bytes.withUnsafeMutableBytes { all in
        unsafe pread(
          file, all.baseAddress! + filled, all.count - filled, off_t(range.lowerBound + filled))
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return Array(bytes.prefix(filled)) }
      filled += count
    }
    return bytes
  }

  /// The room for the bytes of one read. An array is copied as a whole, even in debug builds, which append repeated zeros
  /// one by one.
  private static let blank = [UInt8](repeating: 0, count: 1 << 16)

  /// Reads the next bytes of a file, at most 65 536, and appends them to an array.
  ///
  /// - Returns: Their number, 0 at the end of the file; `nil` if it cannot be read, with the reason in `errno`.
  package static func appendNext(of file: Int32, to bytes: inout [UInt8]) -> Int? {
    let count = bytes.count
    let room = blank.count
    bytes.append(contentsOf: blank)
    var got: Int
    repeat {
      // Sound: `room` bytes follow the first `count`.
      got = unsafe bytes.withUnsafeMutableBytes { all in
        unsafe readNext(file, all.baseAddress! + count, room)
      }
    } while got < 0 && errno == EINTR
    bytes.removeLast(room - max(0, got))
    return got < 0 ? nil : got
  }
}

/// The system's function of the name that ``FileBytes`` has, too.
private func readNext(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(file, bytes, count)
}
