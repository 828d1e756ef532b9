/// A header field for the requests to image servers, such as a key. Its value is a secret: it is in no message, and is only
/// sent to the host that an address names, not to those that it is redirected to.
package struct FetchHeader: Sendable, Hashable, CustomStringConvertible {
  /// The name of the field.
  package let name: String
  /// The host that it is sent to, or `nil` for each allowed one.
  private let host: HostPattern?
  private let value: String

  /// The fields that the transfer itself sets.
  private static let reserved: Set = [
    "accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "host",
    "if-modified-since", "if-none-match", "keep-alive", "proxy-authorization", "range", "te",
    "trailer", "transfer-encoding", "upgrade", "user-agent",
  ]
  /// The most bytes of a value.
  package static let valueLimit = 8192

  /// Makes a field of a name, perhaps with a host before it, such as `Authorization` or `cdn.shop.example:Authorization`.
  ///
  /// Returns `nil` if the name is not one of a field, or one that the transfer sets itself.
  package init?(_ text: String, value: String) {
    var name = text[...]
    var host: HostPattern?
    if let colon = text.lastIndex(of: ":") {
      guard let pattern = HostPattern(String(text[..<colon])) else { return nil }
      host = pattern
      name = text[text.index(after: colon)...]
    }
    let isToken = name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || "!#$%&'*+-.^_`|~".utf8.contains($0)
    }
    guard isToken, !name.isEmpty, name.utf8.count <= 100,
      !Self.reserved.contains(name.lowercased())
    else { return nil }
    self.name = String(name)
    self.host = host
    self.value = value
  }

  /// Returns whether a text can be the value of a field: visible letters, without line breaks.
  package static func isValue(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= valueLimit
      && text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 || $0 >= 0x80 }
  }

  /// Returns the line of a request, or `nil` if the field is not for the host.
  func line(for host: String, port: Int) -> String? {
    if let pattern = self.host, !pattern.matches(host, port: port) { return nil }
    return "\(name): \(value)"
  }

  /// The name, without the value.
  package var description: String { (host.map { "\($0):" } ?? "") + name }
}
