/// A hash that detects changes of a file's content.
package enum ContentHash {
  /// Returns the 64-bit FNV-1a of the bytes, in words of eight, as in segments. It detects changes,
  /// not tampering: only the shop itself could tamper.
  ///
  /// - Complexity: O(bytes).
  package static func of(_ bytes: [UInt8]) -> UInt64 { SegmentLayout.checksum(bytes.span) }
}
