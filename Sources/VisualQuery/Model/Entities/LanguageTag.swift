/// Language tags of BCP 47.
package enum LanguageTag {
  /// Returns whether a text consists of subtags of one to eight letters and digits, a language first.
  ///
  /// - Parameter separators: The characters that divide subtags: those of BCP 47; apps also divide by `_`.
  package static func isWellFormed(_ tag: String, dividedBy separators: String = "-") -> Bool {
    let parts = tag.split(omittingEmptySubsequences: false, whereSeparator: separators.contains)
    guard tag.utf8.count <= 35, let language = parts.first, (2...8).contains(language.utf8.count),
      language.utf8.allSatisfy(isLetter)
    else { return false }
    return parts.allSatisfy { part in
      (1...8).contains(part.utf8.count)
        && part.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    }
  }

  /// Returns the value of the nearest tag: subtags are dropped from the end (RFC 4647, 3.4).
  static func lookup<Value>(_ tag: String, in values: [String: Value]) -> Value? {
    if values.isEmpty { return nil }
    let candidates = values.sorted { $0.key < $1.key }
    var parts = tag.split(whereSeparator: { $0 == "-" || $0 == "_" }).map { $0.lowercased() }
    while !parts.isEmpty {
      let wanted = parts.joined(separator: "-")
      if let found = candidates.first(where: { $0.key.lowercased() == wanted }) {
        return found.value
      }
      parts.removeLast()
      // A subtag of a single letter only introduces the next one, which was just removed.
      if parts.last?.count == 1 { parts.removeLast() }
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
