internal import CZlib

/// Decompresses gzip (RFC 1952), some bytes at a time; several members follow each other.
///
/// Sound: the stream is made and closed by this value alone, and buffers go with their lengths.
@safe struct GzipReader: ~Copyable {
  private let stream: UnsafeMutablePointer<cz_stream>
  private(set) var isWithinMember = false

  /// `nil` where there is no memory.
  init?() {
    guard let stream = unsafe cz_open() else { return nil }
    unsafe self.stream = stream
  }

  deinit { unsafe cz_close(stream) }

  /// Decompresses all of `bytes`.
  ///
  /// - Parameter take: Is given what comes out, at most 64 KiB a time.
  /// - Returns: Whether the bytes are sound.
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
