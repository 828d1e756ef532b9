import HTTPServer

/// The requests that a server without keys answers, as far as their hosts and origins tell.
///
/// A web page can send requests to servers that only its visitor can reach. If the name of the page's own host leads to
/// such a server ("DNS rebinding"), the page may even read the answers; the Host field then has that name. Forms of any
/// page may be sent to any server; browsers then say where they come from.
struct RequestSources: Sendable {
  /// The hosts that may be asked for, besides those of the loopback interface, in lower case; `nil` for any host.
  var hosts: Set<String>?
  /// The origins whose pages may send requests.
  var origins: Set<String> = []

  /// The reason to reject a request.
  struct Refusal: Sendable, Hashable {
    let field: String
    let reason: String
  }

  /// Returns the reason to reject a request, or `nil` to answer it.
  func refusal(of head: RequestHead) -> Refusal? {
    let authority = head.host?.lowercased() ?? ""
    let host = Self.host(of: authority)
    // A request without a host does not come from a browser.
    if let hosts, !host.isEmpty, !Self.isLoopback(host), !hosts.contains(host) {
      return Refusal(
        field: "Host",
        reason:
          "this server has no keys and answers only requests to this machine, such as to localhost; the owner can "
          + "allow '\(host.excerpt)' with vq serve --allow-host")
    }
    if ["GET", "HEAD", "OPTIONS"].contains(head.method) || isOwn(head, authority, host) {
      return nil
    }
    return Refusal(
      field: "Origin",
      reason:
        "this server has no keys and takes no requests from pages of other origins; the owner can allow this one with "
        + "vq serve --allow-origin")
  }

  /// Returns whether a request comes from a page of the server or of an allowed origin, or from a program that is not a
  /// browser.
  private func isOwn(_ head: RequestHead, _ authority: String, _ host: String) -> Bool {
    let origin = head.fields["origin"]?.lowercased()
    if let origin, origins.contains(origin) { return true }
    // No script can set this field (https://www.w3.org/TR/fetch-metadata/).
    if let site = head.fields["sec-fetch-site"] {
      return ["same-origin", "none"].contains(site.lowercased())
    }
    guard let origin else { return true }
    guard let end = origin.firstRange(of: "://") else { return false }
    let own = String(origin[end.upperBound...])
    // A proxy may pass on the host without its port.
    return own == authority || authority == host && Self.host(of: own) == host
  }

  /// Returns the host of an authority without its port, its brackets and a point at its end.
  private static func host(of authority: String) -> String {
    if authority.hasPrefix("[") {
      return String(authority.dropFirst().prefix { $0 != "]" })
    }
    let name = authority.prefix { $0 != ":" }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }

  /// Returns whether a host is this machine by its name or by an address of the loopback interface (127.0.0.0/8, ::1).
  static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "::1" || host == "0:0:0:0:0:0:0:1" { return true }
    let address = host.hasPrefix("::ffff:") ? host.dropFirst(7) : host[...]
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.count <= 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
          && UInt8(part) != nil
      }
  }
}
