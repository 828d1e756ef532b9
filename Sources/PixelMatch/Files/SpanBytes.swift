extension Span where Element == UInt8 {
  /// Returns the eight bytes from `index` on as an integer, in the order of the processor.
  ///
  /// - Precondition: The span has them.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    // Sound: the load checks its bounds, and any eight bytes are a valid integer.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
  }
}

extension Span where Element == UInt64 {
  /// Lends the bytes of the integers, eight for each, in the order of the processor.
  func withOctets<Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    // Sound: the span ends with the call, integers have no padding, and every bit pattern is a valid byte.
    let bytes = unsafe bytes
    try body(unsafe bytes._unsafeView(as: UInt8.self))
  }
}

extension [UInt8] {
  /// Appends a copy of bytes that are lent.
  mutating func append(copying bytes: Span<UInt8>) {
    // Sound: the bytes are copied before the call returns.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
