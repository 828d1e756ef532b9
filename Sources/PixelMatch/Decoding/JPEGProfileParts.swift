/// Collects the parts of an ICC profile from the APP2 segments of a JPEG (ICC.1:2022, B.4). They may
/// come in any order.
struct JPEGProfileParts {
  /// "ICC_PROFILE" and a zero.
  private static let prefix: [UInt8] = Array("ICC_PROFILE".utf8) + [0]
  /// The name in messages.
  private static let name = "ICC profile"

  private var parts: [(number: UInt8, total: UInt8, range: Range<Int>)] = []

  /// Adds the content of an APP2 segment if it is a part of a profile.
  mutating func add(_ content: Range<Int>, in bytes: Span<UInt8>) {
    let start = content.lowerBound + Self.prefix.count
    // Part numbers have eight bits, so a 256th part repeats a number. It and all further ones are
    // ignored.
    guard start + 2 <= content.upperBound, parts.count < 256 else { return }
    for index in Self.prefix.indices
    where bytes[content.lowerBound + index] != Self.prefix[index] { return }
    parts.append((bytes[start], bytes[start + 1], start + 2..<content.upperBound))
  }

  /// Returns the profile, or nothing if there is none.
  ///
  /// - Throws: ``DecodeError`` if the profile exceeds its limit.
  func declaration(limits: DecodeLimits) throws(DecodeError) -> [DeclaredColor] {
    guard let total = parts.first?.total else { return [] }
    // Checks the limit first, so that it also holds for a profile that is not used.
    try limits.check(profileByteCount: parts.reduce(0) { $0 + $1.range.count }, of: .jpeg)
    guard parts.allSatisfy({ $0.total == total }) else {
      return [.unusable(name: Self.name, reason: "its parts disagree on their number")]
    }
    let sorted = parts.sorted { $0.number < $1.number }
    guard sorted.map({ Int($0.number) }) == Array(1...max(1, Int(total))) else {
      return [.unusable(name: Self.name, reason: "not every part of \(total) is there once")]
    }
    return [.profile(sorted.map(\.range))]
  }
}
