#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads parts of open files.
package enum FileBytes {
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
}
