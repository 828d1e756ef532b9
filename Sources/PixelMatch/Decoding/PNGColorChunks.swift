/// Collects the chunks of a PNG that declare its color space (PNG, third edition, 4.3).
struct PNGColorChunks {
  private var codePoints: CodePoints?
  private var profile: DeclaredColor?
  private var isStandard = false
  private var gamma: UInt32?
  private var primaries: RGBPrimaries?

  /// Adds a chunk before the pixels if it declares a color space. The first of each kind counts.
  /// Chunks with a wrong checksum are ignored; a profile has its own.
  ///
  /// - Parameters:
  ///   - type: The type of the chunk.
  ///   - place: The offset of its type.
  ///   - length: The number of bytes of its content.
  mutating func add(_ type: String, at place: Int, length: Int, in bytes: Span<UInt8>) {
    let content = place + 4..<place + 4 + length
    guard content.upperBound + 4 <= bytes.count else { return }
    func number(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[offset + $1]) }
    }
    func isIntact(_ count: Int) -> Bool {
      length == count
        && Self.checksum(bytes.extracting(place..<content.upperBound)) == number(content.upperBound)
    }
    let start = content.lowerBound
    switch type {
    case "cICP" where codePoints == nil && isIntact(4):
      codePoints = CodePoints(
        primaries: bytes[start], transfer: bytes[start + 1], matrix: bytes[start + 2],
        fullRange: bytes[start + 3])
    case "iCCP" where profile == nil:
      profile = Self.profile(content, in: bytes)
    case "sRGB" where isIntact(1): isStandard = true
    case "gAMA" where gamma == nil && isIntact(4): gamma = number(start)
    case "cHRM" where primaries == nil && isIntact(32):
      func color(_ index: Int) -> RGBPrimaries.Chromaticity {
        RGBPrimaries.Chromaticity(
          Double(number(start + 8 * index)) / 100_000,
          Double(number(start + 8 * index + 4)) / 100_000)
      }
      primaries = RGBPrimaries(
        red: color(1), green: color(2), blue: color(3), white: color(0))
    default: break
    }
  }

  /// The declarations, those first that take precedence: cICP, iCCP, sRGB, then gAMA with cHRM. A
  /// cHRM without gAMA says nothing of the transfer function and is ignored.
  var declarations: [DeclaredColor] {
    var all: [DeclaredColor] = []
    if let codePoints { all.append(.codePoints(codePoints)) }
    if let profile { all.append(profile) }
    if isStandard { all.append(.standard) }
    if let gamma { all.append(.gamma(gamma, primaries)) }
    return all
  }

  /// The content is a name of 1 to 79 bytes, a zero, the method of compression, and a zlib stream.
  private static func profile(_ content: Range<Int>, in bytes: Span<UInt8>) -> DeclaredColor {
    var end = content.lowerBound
    while end < content.upperBound, end - content.lowerBound < 80, bytes[end] != 0 { end += 1 }
    guard end + 2 < content.upperBound, bytes[end] == 0, bytes[end + 1] == 0 else {
      return .unusable(name: "iCCP", reason: "its chunk has no compressed profile")
    }
    return .compressedProfile(end + 2..<content.upperBound)
  }

  /// The CRC-32 of a chunk's type and content (PNG, annex D).
  static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    var rest: UInt32 = .max
    for index in bytes.indices {
      rest ^= UInt32(bytes[index])
      for _ in 0..<8 { rest = rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~rest
  }
}
