/// The hosts that images may be fetched from, and the limits of each transfer.
///
/// Nothing else is fetched: other hosts, other ports, addresses that are not public, and redirects
/// to any of them are rejected, as is a redirect from `https` to `http`.
public struct FetchPolicy: Sendable, Hashable {
  /// The allowed hosts.
  package var hosts: [HostPattern]
  /// The largest number of bytes in an image.
  package var byteLimit: Int
  /// The time limit for an image, including redirects and a second request.
  package var timeLimit: Duration
  /// The ranges of addresses that are allowed although they are not public, such as those of a
  /// server of the shop's own.
  package var privateAddresses: [AddressRange] = []
  /// The file with the certificates of the authorities that vouch for servers, in PEM; `nil` for the one that
  /// `SSL_CERT_FILE` in the environment names, otherwise those of the system.
  package var authorityFile: String?
  /// The name by which the requests introduce themselves.
  package var userAgent = "VisualQuery"
  /// Further header fields, whose values are secrets.
  package var headers: [FetchHeader] = []
  /// The most requests a second to a host, or `nil` for as many as it answers.
  package var rate: Double?
  /// The time for all images of a run, or `nil` for no limit. Then the run publishes what it has.
  package var runTime: Duration?
  /// The day of the run, counted from 1970, or `nil` for today: for tests of several nights.
  var day: Int?
  /// True if addresses that are not public are allowed: for tests with servers on this machine.
  var allowsEveryAddress = false

  /// Makes a policy; the defaults are those of the command.
  ///
  /// - Parameter hosts: The allowed hosts, such as `cdn.shop.example`. `*.shop.example` stands for all subdomains, and
  ///   `shop.example:8443` for a port other than the default ones.
  /// - Throws: ``FieldError`` if one is not a host, for example a URL.
  public init(
    hosts: [String], byteLimit: Int = 16_000_000, timeLimit: Duration = .seconds(20)
  ) throws(FieldError) {
    var patterns: [HostPattern] = []
    for host in hosts {
      guard let pattern = HostPattern(host) else {
        throw FieldError(
          field: "hosts",
          reason: "must be hosts such as cdn.shop.example or *.shop.example; found '\(host)'")
      }
      patterns.append(pattern)
    }
    self.init(patterns, byteLimit: byteLimit, timeLimit: timeLimit)
  }

  /// Makes a policy of hosts that were read.
  package init(
    _ hosts: [HostPattern], byteLimit: Int = 16_000_000, timeLimit: Duration = .seconds(20)
  ) {
    self.hosts = hosts
    self.byteLimit = byteLimit
    self.timeLimit = timeLimit
  }
}
