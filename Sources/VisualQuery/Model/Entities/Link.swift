/// The reason why a link or a template is rejected.
public struct LinkError: Error, Sendable, Hashable {
  /// The kind of error, which programs switch on.
  package enum Code: String, Sendable, CaseIterable {
    /// It is not an absolute URL.
    case notAbsolute
    /// The shop does not allow its scheme.
    case schemeNotAllowed
    /// Its scheme runs code or reads local data.
    case unsafeScheme
    /// It names a user, and maybe a password.
    case namesUser
    /// It contains spaces, quotes or control characters.
    case invalidCharacters
    /// It is not a template of RFC 6570, levels 1 to 3.
    case invalidTemplate
  }
  /// The kind of error.
  package let code: Code
  /// The description for people.
  public let message: String
}

/// The rules for the links of entities.
package enum Link {
  /// The schemes that run code or read local data when a link is followed.
  private static let refused: Set<String> = [
    "javascript", "data", "vbscript", "file", "blob", "about", "view-source",
  ]

  /// Accepts an absolute URL (RFC 3986, 4.3) of https or of a scheme that the shop allows.
  ///
  /// - Parameter allowedSchemes: The accepted schemes in lower case; `nil` means any that is safe
  ///   to follow, as of a stored link, which may be of a version with other rules.
  package static func check(_ text: String, allowedSchemes: Set<String>?) throws(LinkError) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      bytes[..<colon].allSatisfy(isSchemeByte), isLetter(bytes[0])
    else {
      throw LinkError(
        code: .notAbsolute,
        message: "must be absolute, such as https://shop.example/p/1; found '\(text.prefix(100))'")
    }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    guard !refused.contains(scheme) else {
      throw LinkError(
        code: .unsafeScheme, message: "has the scheme '\(scheme)', which is never accepted")
    }
    guard colon + 1 < bytes.count else {
      throw LinkError(code: .notAbsolute, message: "is '\(text)', a scheme without an address")
    }
    if let allowedSchemes, scheme != "https", !allowedSchemes.contains(scheme) {
      let accepted = (["https"] + allowedSchemes.sorted()).joined(separator: ", ")
      throw LinkError(
        code: .schemeNotAllowed,
        message: "has the scheme '\(scheme)'; accepted are \(accepted) (--allow-scheme adds more)")
    }
    let rest = bytes[(colon + 1)...]
    // Browsers take any number of slashes for two, and a backslash for one (WHATWG, "URL", 4.4).
    if allowedSchemes != nil, ["https", "http"].contains(scheme),
      !rest.starts(with: "//".utf8) || rest.dropFirst(2).first.map("/\\?#".utf8.contains) != false
    {
      throw LinkError(
        code: .notAbsolute,
        message: "must have two slashes and a host after '\(scheme):'; found '\(text.prefix(100))'")
    }
    if rest.starts(with: "//".utf8),
      rest.dropFirst(2).prefix(while: { !"/\\?#".utf8.contains($0) }).contains(UInt8(ascii: "@"))
    {
      throw LinkError(
        code: .namesUser, message: "names a user before the host, which everybody would see")
    }
    guard
      bytes.allSatisfy({
        $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "\"")
      })
    else {
      throw LinkError(
        code: .invalidCharacters, message: "contains blanks, quotes or control characters")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
