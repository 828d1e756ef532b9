/// The encoding of a feed, and the way it was recognized.
package struct FeedEncoding: Sendable, Hashable {
  /// The name, such as `UTF-16` or `Windows-1252`.
  package let name: String
  /// A Boolean value that indicates whether it was recognized by its bytes, because neither a mark nor the document names it.
  package let isGuessed: Bool

  /// Returns whether text in an encoding of this name can be read.
  package static func isKnown(_ name: String) -> Bool {
    ["utf-8", "utf8", "utf-16le", "utf-16be"].contains(name.lowercased())
      || SingleByteEncoding.named(name) != nil
      || SystemEncoding(named: name, isTrusted: true) != nil
  }
}

/// Turns the text of a feed into UTF-8 chunk by chunk. Text in UTF-8 is left unchanged.
///
/// The encoding is that of the mark at the beginning, or the one that an XML document declares.
/// Otherwise text is UTF-8, unless the first chunk with other characters than ASCII has more bytes
/// that are not UTF-8 than characters that are: then its letters decide (``EncodingGuess``). JSON is always Unicode, unless the
/// caller names another encoding.
struct TextDecoder: Sendable {
  private enum Mode {
    /// The bytes so far are ASCII.
    case undecided
    case utf8
    case utf16(isBigEndian: Bool)
    case singleByte(SingleByteEncoding)
    case system(SystemEncoding)
  }

  private var mode: Mode?
  /// The encoding that the caller names.
  let named: String?
  /// The beginning of a character that the previous chunk ended in.
  private var pending: [UInt8] = []
  /// The encoding, or `nil` for UTF-8.
  private(set) var encoding: FeedEncoding?

  /// Makes a decoder.
  ///
  /// - Parameter encoding: The name of the encoding, or `nil` if it is recognized.
  init(encoding: String? = nil) {
    named = encoding
    guard let encoding else { return }
    switch encoding.lowercased() {
    case "utf-8", "utf8": mode = .utf8
    case "utf-16le": mode = .utf16(isBigEndian: false)
    case "utf-16be": mode = .utf16(isBigEndian: true)
    default: if !use(encoding, isTrusted: true) { mode = .utf8 }
    }
  }

  /// Uses the encoding of a name; returns `false` if it is unknown.
  private mutating func use(_ name: String, isTrusted: Bool) -> Bool {
    if let table = SingleByteEncoding.named(name) {
      mode = .singleByte(table)
      encoding = FeedEncoding(name: table.name, isGuessed: false)
      return true
    }
    guard let system = SystemEncoding(named: name, isTrusted: isTrusted) else { return false }
    mode = .system(system)
    encoding = FeedEncoding(name: system.title, isGuessed: false)
    return true
  }

  /// Decodes the bytes of a buffer from an index on, in place.
  mutating func decode(_ buffer: inout [UInt8], from start: Int) {
    if mode == nil { begin(buffer[start...]) }
    switch mode {
    case .utf8?, nil: return
    case .undecided?:
      decide(buffer[start...])
      switch mode {
      case .singleByte?, .system?: decode(&buffer, from: start)
      default: return
      }
    case .utf16(let isBigEndian)?:
      let bytes = pending + buffer[start...]
      buffer.removeSubrange(start...)
      appendUTF16(bytes, isBigEndian, to: &buffer)
    case .system(let system)?:
      let bytes = pending + buffer[start...]
      buffer.removeSubrange(start...)
      let (text, _, rest) = system.decoded(bytes)
      buffer += text
      pending = rest
    case .singleByte(let table)?:
      let bytes = Array(buffer[start...])
      buffer.removeSubrange(start...)
      buffer.reserveCapacity(start + bytes.count + bytes.count / 8)
      for byte in bytes {
        if byte < 0x80 {
          buffer.append(byte)
        } else {
          buffer.append(contentsOf: UTF8.encode(table.scalar(byte) ?? "\u{FFFD}")!)
        }
      }
    }
  }

  /// Appends the end of a character that the input ended in.
  mutating func finish(_ buffer: inout [UInt8]) {
    if pending.isEmpty { return }
    pending = []
    buffer += Array("\u{FFFD}".utf8)
  }

  // MARK: Recognition

  private mutating func begin(_ bytes: ArraySlice<UInt8>) {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      mode = .utf16(isBigEndian: bytes.first == 0xFE)
      encoding = FeedEncoding(name: "UTF-16", isGuessed: false)
    } else if let isBigEndian = Self.isBigEndian(bytes) {
      mode = .utf16(isBigEndian: isBigEndian)
      encoding = FeedEncoding(name: "UTF-16", isGuessed: true)
    } else if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      mode = .utf8
    } else if let name = Self.declaredEncoding(bytes) {
      // Text of one byte for each letter cannot be what such a declaration says, which programs that write UTF-8 keep of a text in
      // memory.
      let isWide = ["utf-16", "utf-16le", "utf-16be", "ucs-2", "utf-32", "unicode"].contains(name)
      if isWide { encoding = FeedEncoding(name: "UTF-8", isGuessed: true) }
      if name == "utf-8" || isWide {
        mode = .undecided
      } else if !use(name, isTrusted: false) {
        mode = .utf8
      }
    } else {
      let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      mode = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .utf8 : .undecided
    }
  }

  private mutating func decide(_ bytes: ArraySlice<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) { return }
    let (valid, invalid) = Self.count(bytes)
    if invalid > valid {
      switch EncodingGuess.of(bytes) {
      case .singleByte(let table):
        mode = .singleByte(table)
        encoding = FeedEncoding(name: table.name, isGuessed: true)
      case .system(let system):
        mode = .system(system)
        encoding = FeedEncoding(name: system.title, isGuessed: true)
      }
    } else if valid > 0 {
      mode = .utf8
    }
  }

  /// Returns the byte order of UTF-16 without a mark: nearly every second byte of ASCII text is
  /// zero.
  private static func isBigEndian(_ bytes: ArraySlice<UInt8>) -> Bool? {
    let sample = bytes.prefix(512)
    guard sample.count >= 32, !sample.starts(with: "PK".utf8) else { return nil }
    var zeros = [0, 0]
    for (index, byte) in sample.enumerated() where byte == 0 { zeros[index % 2] += 1 }
    let half = sample.count / 2
    if zeros[0] == 0, zeros[1] * 10 >= half * 9 { return false }
    if zeros[1] == 0, zeros[0] * 10 >= half * 9 { return true }
    return nil
  }

  /// Returns the encoding that an XML declaration or the head of an HTML page names.
  private static func declaredEncoding(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return nil }
    let start = String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased()
    let isXML = start.trimmed.hasPrefix("<?xml")
    let range = isXML ? start.prefix { $0 != ">" } : start[...]
    guard let name = range.firstRange(of: isXML ? "encoding" : "charset") else { return nil }
    let value = range[name.upperBound...].drop { " =\"'".contains($0) }
    let text = value.prefix { $0.isLetter || $0.isNumber || "-_".contains($0) }
    return text.isEmpty ? nil : String(text)
  }

  /// Counts the characters beyond ASCII that are UTF-8, and the bytes that are not.
  static func count(_ bytes: ArraySlice<UInt8>) -> (valid: Int, invalid: Int) {
    var (valid, invalid) = (0, 0)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      let length =
        byte < 0x80 ? 1 : byte < 0xC2 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 0
      let rest = bytes[index...].dropFirst().prefix(max(0, length - 1))
      if length > 1, rest.allSatisfy({ $0 & 0xC0 == 0x80 }) {
        // The last character may continue in the next chunk.
        valid += 1
        index += 1 + rest.count
      } else {
        if length != 1 { invalid += 1 }
        index += 1
      }
    }
    return (valid, invalid)
  }

  private mutating func appendUTF16(_ bytes: [UInt8], _ isBigEndian: Bool, to buffer: inout [UInt8])
  {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    pending = bytes.count % 2 == 1 ? [bytes[bytes.count - 1]] : []
    if let last = units.last, UTF16.isLeadSurrogate(last) {
      units.removeLast()
      pending = Array(bytes.suffix(pending.count + 2))
    }
    buffer += Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
