/// Tells whether a file's bytes are what they were.
package enum ContentHash {
  /// 64-bit FNV-1a over words of eight bytes, as segments have it: against change, not against an
  /// adversary, who would have to be the shop itself.
  ///
  /// - Complexity: O(bytes).
  package static func of(_ bytes: [UInt8]) -> UInt64 { SegmentLayout.checksum(bytes.span) }
}
