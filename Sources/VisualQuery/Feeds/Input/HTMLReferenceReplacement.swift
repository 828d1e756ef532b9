/// Replaces references such as `&nbsp;` and `&eacute;` in XML, which only HTML has, with their characters.
struct HTMLReferenceReplacement {
  /// The beginning of a reference that the last bytes ended in.
  private var rest: [UInt8] = []

  /// The references that XML has itself.
  private static let own: Set<String> = ["amp", "lt", "gt", "quot", "apos"]
  /// The most bytes of a reference.
  private static let lengthLimit = 12

  /// Returns the next bytes with characters instead of references, without the beginning of one at their end.
  mutating func replaced(_ bytes: [UInt8]) -> [UInt8] {
    let mark = UInt8(ascii: "&")
    if rest.isEmpty, !bytes.contains(mark) { return bytes }
    let bytes = rest + bytes
    rest = []
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var position = 0
    while let found = bytes[position...].firstIndex(of: mark) {
      output += bytes[position..<found]
      let name = bytes[(found + 1)...].prefix(Self.lengthLimit).prefix { Self.isLetter($0) }
      if name.endIndex == bytes.endIndex, name.count < Self.lengthLimit {
        rest = Array(bytes[found...])
        return output
      }
      position = name.endIndex
      if position < bytes.count, bytes[position] == UInt8(ascii: ";"),
        !Self.own.contains(String(decoding: name, as: UTF8.self)),
        let reference = HTMLReference(bytes[found...])
      {
        output += reference.text.utf8
        position = found + reference.byteCount
      } else {
        output += bytes[found..<position]
      }
    }
    return output + bytes[position...]
  }

  /// Returns the beginning of a reference at the end of the document.
  mutating func takeRest() -> [UInt8] {
    defer { rest = [] }
    return rest
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }
}
