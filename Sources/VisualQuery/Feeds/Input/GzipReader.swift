internal import CZlib

/// Decompresses gzip (RFC 1952) or the data in ZIP files (RFC 1951) incrementally; several members may follow each other.
///
/// Sound: the stream is made and closed only by this value, and buffers are passed with their
/// lengths.
@safe struct GzipReader: ~Copyable {
  private let stream: UnsafeMutablePointer<cz_stream>
  private(set) var isWithinMember = false

  /// Returns `nil` if there is not enough memory.
  ///
  /// - Parameter isRaw: True for the data in a ZIP file, without the head of gzip.
  init?(isRaw: Bool = false) {
    guard let stream = unsafe isRaw ? cz_open_raw() : cz_open() else { return nil }
    unsafe self.stream = stream
  }

  deinit { unsafe cz_close(stream) }

  /// Decompresses all of `bytes`.
  ///
  /// - Parameter take: Receives the decompressed bytes, at most 64 KiB at a time.
  /// - Returns: True if the bytes are valid.
  mutating func inflate(_ bytes: ArraySlice<UInt8>, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    var output = [UInt8](repeating: 0, count: 1 << 16)
    var rest = bytes
    while true {
      var (taken, given) = (0, 0)
      let stream = unsafe stream
      let status = unsafe rest.withUnsafeBufferPointer { input in
        unsafe output.withUnsafeMutableBufferPointer { output in
          unsafe cz_inflate(
            stream, input.baseAddress, input.count, &taken, output.baseAddress, output.count,
            &given)
        }
      }
      if status < 0 { return false }
      rest = rest.dropFirst(taken)
      if given > 0 { take(output[..<given]) }
      isWithinMember = status == 0
      if rest.isEmpty && given < output.count { return true }
      if taken == 0 && given == 0 && status == 0 { return rest.isEmpty }
    }
  }
}
