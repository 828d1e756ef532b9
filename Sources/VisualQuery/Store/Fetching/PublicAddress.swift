/// Distinguishes public addresses from those of private networks, of this machine, of documentation
/// and of other special purposes.
///
/// Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890, RFC 8190).
enum PublicAddress {
  /// Returns whether an address of 4 or 16 bytes is globally reachable.
  static func contains(_ address: [UInt8]) -> Bool {
    switch address.count {
    case 4: return !isAny(of: special4, address)
    case 16:
      // An IPv6 address may contain an IPv4 address, mapped or translated (RFC 6052), which then
      // decides.
      if isAny(of: carriers, address) { return contains(Array(address[12...])) }
      return isAny(of: unicast, address) && !isAny(of: special6, address)
    default: return false
    }
  }

  /// The prefix of a range of addresses.
  private struct Prefix {
    let bytes: [UInt8]
    let bitCount: Int

    init(_ bytes: [UInt8], _ bitCount: Int) {
      self.bytes = bytes
      self.bitCount = bitCount
    }

    func holds(_ address: [UInt8]) -> Bool {
      (0..<bitCount).allSatisfy { bit in
        let own = bit / 8 < bytes.count ? bytes[bit / 8] : 0
        return (own ^ address[bit / 8]) >> (7 - bit % 8) & 1 == 0
      }
    }
  }

  private static func isAny(of prefixes: [Prefix], _ address: [UInt8]) -> Bool {
    prefixes.contains { $0.holds(address) }
  }

  private static let special4 = [
    Prefix([0], 8), Prefix([10], 8), Prefix([100, 64], 10), Prefix([127], 8),
    Prefix([169, 254], 16), Prefix([172, 16], 12), Prefix([192, 0, 0], 24),
    Prefix([192, 0, 2], 24), Prefix([192, 88, 99], 24), Prefix([192, 168], 16),
    Prefix([198, 18], 15), Prefix([198, 51, 100], 24), Prefix([203, 0, 113], 24),
    Prefix([224], 4), Prefix([240], 4),
  ]
  private static let carriers = [
    Prefix([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96), Prefix([0, 0x64, 0xFF, 0x9B], 96),
  ]
  private static let unicast = [Prefix([0x20], 3)]
  private static let special6 = [
    Prefix([0x20, 0x01, 0], 23), Prefix([0x20, 0x01, 0x0D, 0xB8], 32), Prefix([0x20, 0x02], 16),
    Prefix([0x3F, 0xFF], 20),
  ]
}
