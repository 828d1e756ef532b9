/// The bits by which a scan skips rows that certainly lack a label.
package enum LabelBits {
  /// Returns two of 64 bits, from the label's 64-bit FNV-1a hash. Other labels may have the same bits.
  package static func mask(of label: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in label.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return 1 << (hash >> 58) | 1 << (hash >> 52 & 63)
  }

  /// Returns the bits of all labels of an entity.
  package static func mask(of labels: some Sequence<String>) -> UInt64 {
    labels.reduce(0) { $0 | mask(of: $1) }
  }
}
