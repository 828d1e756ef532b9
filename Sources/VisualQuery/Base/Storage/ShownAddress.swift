/// Addresses as they may be shown: without the secrets that they may contain.
///
/// The address of an image may have a user with a password, and the values of its query may be tokens or signatures that
/// give access to the image. Messages go to logs, to standard error and to clients, which should not have them.
package enum ShownAddress {
  /// The text in place of a secret.
  private static let secret = "…"

  /// Returns an address, or the name of a file, without its user, the values of its query and its fragment.
  package static func of(_ address: String) -> String { hidden(address[...]) }

  /// Returns a text with the addresses in it as they may be shown.
  package static func inText(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "/") }) else {
      return text
    }
    var shown = ""
    var rest = text[...]
    while !rest.isEmpty {
      let word = rest.prefix { !isEnd($0) }
      rest = rest[word.endIndex...]
      // Punctuation at the end belongs to the sentence, not to the address.
      var address = word
      while let last = address.last, ":,;.)".contains(last) { address.removeLast() }
      shown += isSuspicious(address) ? hidden(address) : String(address)
      shown += word[address.endIndex...]
      if let end = rest.popFirst() { shown.append(end) }
    }
    return shown
  }

  /// Returns whether a character of a text ends an address.
  private static func isEnd(_ character: Character) -> Bool {
    character.isWhitespace || "'\"<>`".contains(character)
  }

  /// Returns whether a word of a text may be an address with a secret.
  private static func isSuspicious(_ word: Substring) -> Bool {
    guard word.firstRange(of: "//") == nil else { return true }
    return word.firstIndex(of: "?").map { word[$0...].contains("=") } ?? false
  }

  private static func hidden(_ address: Substring) -> String {
    // In the name of a file, `#` is an ordinary character; in an address, it begins the fragment.
    let isAddress = address.firstRange(of: "//") != nil
    let end = address.firstIndex { $0 == "?" || isAddress && $0 == "#" } ?? address.endIndex
    var shown = withoutUser(address[..<end])
    guard end < address.endIndex else { return shown }
    shown.append(address[end])
    let parts = address[address.index(after: end)...].split(
      separator: "&", omittingEmptySubsequences: false)
    shown += parts.map { part in
      // Without an equals sign, the whole part may be a secret value.
      part.firstIndex(of: "=").map { "\(part[...$0])\(secret)" }
        ?? (isAddress && !part.isEmpty ? secret : String(part))
    }.joined(separator: "&")
    return shown
  }

  /// Returns an address without the user in front of its host.
  private static func withoutUser(_ address: Substring) -> String {
    guard let slashes = address.firstRange(of: "//"),
      slashes.lowerBound == address.startIndex
        || address[..<slashes.lowerBound].hasSuffix(":")
    else { return String(address) }
    let rest = address[slashes.upperBound...]
    var authority = rest.prefix { $0 != "/" }
    // A password that contains a slash ends the authority too early. This shows in what follows the
    // colon: a port has digits only.
    if !authority.contains("@"), let colon = authority.firstIndex(of: ":"),
      !authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
    {
      authority = rest
    }
    guard let at = authority.lastIndex(of: "@") else { return String(address) }
    return "\(address[..<slashes.upperBound])\(secret)\(address[at...])"
  }
}
