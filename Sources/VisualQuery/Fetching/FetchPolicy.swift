/// Which pictures are fetched over HTTP, and within which limits.
///
/// Nothing else is fetched: other hosts, other ports, addresses that are not of the public internet,
/// and redirections to any of them are refused, as is a step from `https` to `http`.
public struct FetchPolicy: Sendable, Hashable {
  /// The hosts that may be asked.
  public var hosts: [HostPattern]
  /// Bytes of a picture, at most.
  public var byteLimit: Int
  /// Time for a picture, redirections and all.
  public var timeLimit: Duration
  /// Whether addresses of every kind may be connected to: for tests, whose servers are on the machine.
  var allowsEveryAddress = false

  /// Makes a policy; the defaults are those of the command.
  public init(
    hosts: [HostPattern], byteLimit: Int = 16_000_000, timeLimit: Duration = .seconds(20)
  ) {
    self.hosts = hosts
    self.byteLimit = byteLimit
    self.timeLimit = timeLimit
  }
}

/// A host that pictures may be fetched from, such as `cdn.shop.example`; `*.shop.example` is all
/// below `shop.example`, and `shop.example:8443` another port than those of `http` and `https`.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
  private let name: String
  private let port: Int?
  private let isAllBelow: Bool

  /// Reads a pattern; `nil` where it is none: an address with a path, an empty part, a wildcard
  /// anywhere but in front, or nothing below it that has a dot.
  public init?(_ text: String) {
    var name = Substring(text.lowercased())
    // An IPv6 address stands in brackets, and its colons with it.
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

  /// Whether a host is meant; both names are compared as they are written, without case.
  func matches(_ host: String, port: Int) -> Bool {
    var host = Substring(host.lowercased())
    if host.hasSuffix(".") { host = host.dropLast() }
    let isPort = self.port.map { $0 == port } ?? (port == 80 || port == 443)
    return isPort && (isAllBelow ? host.hasSuffix("." + name) : host == name)
  }

  /// The pattern as it is written.
  public var description: String {
    (isAllBelow ? "*." : "") + name + (port.map { ":\($0)" } ?? "")
  }
}
