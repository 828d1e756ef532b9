/// File names as text, also those whose bytes are not UTF-8.
///
/// A byte that is not part of UTF-8 becomes the scalar U+10FE00 plus the byte, from the end of the last
/// private-use plane, and is written back as that byte. Python's `surrogateescape` (PEP 383) does the same
/// with surrogates, which a `String` cannot hold.
package enum FileName {
  private static let base: UInt32 = 0x10_FE00

  /// The byte that a scalar stands for, or `nil` if it is a character of its own.
  package static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    (base + 0x80...base + 0xFF).contains(scalar.value) ? UInt8(scalar.value - base) : nil
  }

  /// Returns the text of a file name.
  package static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var rest = bytes[...]
    while let first = rest.first {
      let character = (1...4).lazy.compactMap {
        String(validating: rest.prefix($0), as: UTF8.self)
      }.first
      if let character {
        text += character
        rest = rest.dropFirst(character.utf8.count)
      } else {
        text.unicodeScalars.append(Unicode.Scalar(base + UInt32(first)) ?? "\u{FFFD}")
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// Returns the bytes of a file name.
  package static func bytes(_ text: String) -> [UInt8] {
    guard text.unicodeScalars.contains(where: { byte(of: $0) != nil }) else {
      return Array(text.utf8)
    }
    return text.unicodeScalars.flatMap { scalar in
      byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
    }
  }

  /// Returns a file name with U+FFFD in place of bytes that are not UTF-8: for data that others read.
  package static func readable(_ text: String) -> String {
    String(decoding: bytes(text), as: UTF8.self)
  }

  /// The bytes of a file name for the system, with a zero at the end.
  package static func systemName(_ text: String) -> [CChar] {
    bytes(text).map(CChar.init(bitPattern:)) + [0]
  }

  /// Returns whether a name begins like an address: `https://…`, `data:…`.
  package static func isAddress(_ name: String) -> Bool {
    name.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\/|(?i:data):/) != nil
  }

  /// The rest of a sentence about an address that was given instead of a file.
  package static let addressAdvice =
    "is an address, but only files are read here: download it, and give the path of the file"
}
