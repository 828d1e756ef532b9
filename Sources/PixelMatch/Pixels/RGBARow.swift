extension Span<UInt8> {
  /// Pixel `x` of a row of RGBA: red in the lowest byte, then green, blue and alpha.
  ///
  /// One load of 32 bits costs a quarter of four of 8. Sound: it checks its bounds, and any four
  /// bytes are a number.
  @inline(__always)
  func rgbaPixel(_ x: Int) -> UInt32 {
    UInt32(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
  }
}
