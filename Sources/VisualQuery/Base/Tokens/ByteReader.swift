/// Reads integers and bytes in the order in which they were written, integers with
/// ``bigEndianBytes(of:)``.
package struct ByteReader {
  private var bytes: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// True if all bytes were read.
  package var isAtEnd: Bool { bytes.isEmpty }

  package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  package mutating func number(_ count: Int) -> UInt64? {
    take(count)?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  package mutating func element<Element>(of all: [Element]) -> Element? {
    number(1).flatMap { $0 < all.count ? all[Int($0)] : nil }
  }
}

/// Returns the bytes of an integer, the highest first.
package func bigEndianBytes(of number: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
}
