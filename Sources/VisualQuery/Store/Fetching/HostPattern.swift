/// A host that images may be fetched from, such as `cdn.shop.example`. `*.shop.example` stands for
/// all subdomains, and `shop.example:8443` for a port other than the default ones.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
  private let name: String
  private let port: Int?
  private let isAllBelow: Bool

  /// Reads a pattern. Returns `nil` for a URL, an empty label, a wildcard that is not the first
  /// label, and a wildcard whose domain has no dot.
  package init?(_ text: String) {
    var name = Substring(text.lowercased())
    // An IPv6 address contains colons itself, so it is written in brackets, and a port follows
    // them.
    var port: Int?
    if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") {
      guard let number = Int(name[name.index(after: colon)...]), (1...65535).contains(number)
      else { return nil }
      port = number
      name = name[..<colon]
    }
    isAllBelow = name.hasPrefix("*.")
    if isAllBelow { name = name.dropFirst(2) }
    if name.hasSuffix(".") { name = name.dropLast() }
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    let isSound = name.utf8.allSatisfy { byte in
      byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
        || [0x2D, 0x2E, 0x5F].contains(byte) || isBracketed && [0x3A, 0x5B, 0x5D].contains(byte)
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard isSound, !name.isEmpty, !parts.contains(""), !isAllBelow || parts.count > 1 else {
      return nil
    }
    self.name = String(name)
    self.port = port
  }

  /// Returns whether a host matches; names are compared as written, ignoring case.
  func matches(_ host: String, port: Int) -> Bool {
    var host = Substring(host.lowercased())
    if host.hasSuffix(".") { host = host.dropLast() }
    let isPort = self.port.map { $0 == port } ?? (port == 80 || port == 443)
    return isPort && (isAllBelow ? host.hasSuffix("." + name) : host == name)
  }

  /// The pattern in lower case, without a point at the end of the host.
  package var description: String {
    (isAllBelow ? "*." : "") + name + (port.map { ":\($0)" } ?? "")
  }
}
