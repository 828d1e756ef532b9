internal import CKernels

/// Checksums of files.
extension Kernels {
  /// Adds bytes to a 64-bit FNV-1a of words of eight bytes; a shorter remainder is padded with zeros.
  static func checksum(_ bytes: Span<UInt8>, after value: UInt64) -> UInt64 {
    guard !bytes.isEmpty else { return value }
    // Sound: as many bytes are read as there are.
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe ck_checksum(bytes.baseAddress!, bytes.count, value)
    }
  }

  /// Returns the XXH64 of bytes.
  package static func seal(of bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    // Sound: as many bytes are read as there are.
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe ck_seal(bytes.baseAddress, bytes.count, seed)
    }
  }
}
