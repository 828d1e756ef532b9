internal import CPostgres
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The address of a catalogue in PostgreSQL: a connection URL of libpq, without a password.
///
/// A server on another machine must prove its name (`sslmode=verify-full`): nothing less protects
/// the password and the catalogue from a machine in between. Sockets and loopback addresses need no
/// encryption.
package struct PostgresLocation: Sendable, Hashable {
  /// The URL, which has no secret in it and can be shown.
  package let text: String
  /// A Boolean value that indicates whether candidates are found in PostgreSQL (`mode=engine`)
  /// instead of in a copy of all signatures.
  package let isEngine: Bool
  /// The parts of the catalogue's segments that a directory has.
  var files: SegmentFiles { isEngine ? .heads : .whole }
  /// The URL as libpq takes it, without the parameter `mode`.
  let connectionText: String
  /// The user that connects, unless it is that of the environment.
  private(set) var user: String?
  /// True if the server has to prove its name.
  let requiresVerification: Bool
  /// True if the URL names several servers and leaves the choice among them to us.
  let choosesServer: Bool
  /// The file with certificates of authorities, if neither the URL nor the environment of libpq names one.
  let authorityFile: String?
  /// True if a server without a proven name gets no password in clear, and libpq can refuse that. Any user of this
  /// machine may listen at its addresses while the server is down.
  let refusesPlainPassword: Bool

  /// Returns whether the name of an index is the address of a catalogue in PostgreSQL.
  package static func isLocation(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  /// Checks an address.
  ///
  /// - Throws: ``CatalogueError`` with the code `invalidLocation`, whose message never repeats the
  ///   address; `unreachable` if libpq is not installed.
  package init(_ text: String) throws(CatalogueError) {
    try self.init(text, environment: Self.environment)
  }

  /// Checks an address with other values of environment variables.
  init(_ text: String, environment: (String) -> String?) throws(CatalogueError) {
    try Self.loadLibrary()
    let (connectionText, mode) = Self.withoutMode(text)
    guard [nil, "replica", "engine"].contains(mode) else {
      throw CatalogueError(
        code: .invalidLocation,
        message: "mode is '\(mode ?? "")'; accepted are replica, the default, and engine")
    }
    guard Self.isLocation(text), let options = Self.options(connectionText) else {
      throw CatalogueError(
        code: .invalidLocation,
        message: "the address is not valid; expected for example postgres://db.example/shop")
    }
    guard options["password"] == nil, options["sslpassword"] == nil else {
      throw CatalogueError(
        code: .invalidLocation,
        message: """
          the address contains a password, which other programs could read; put it into a file \
          that PGPASSFILE names (~/.pgpass), or into PGPASSWORD
          """)
    }
    let hosts = Self.hosts(options, environment)
    let isLocal = hosts?.allSatisfy(Self.isLocal) ?? false
    if !isLocal, let mode = options["sslmode"], mode != "verify-full" {
      throw CatalogueError(
        code: .invalidLocation,
        message: """
          sslmode is '\(mode)'; a server on another machine needs sslmode=verify-full, with the \
          certificate of its authority in sslrootcert
          """)
    }
    self.text = text
    self.connectionText = connectionText
    isEngine = mode == "engine"
    user = options["user"]
    requiresVerification = !isLocal
    choosesServer = (hosts?.count ?? 1) > 1 && options["target_session_attrs"] == nil
    let hasService = Self.hasService(options, environment)
    authorityFile =
      isLocal || hasService || options["sslrootcert"] != nil || environment("PGSSLROOTCERT") != nil
        || FileStatus.exists((environment("HOME") ?? "") + "/.postgresql/root.crt")
      ? nil : environment("SSL_CERT_FILE")
    refusesPlainPassword =
      isLocal && !hasService && cp_library_version() >= 160_000
      && options["require_auth"] == nil && environment("PGREQUIREAUTH") == nil
  }

  /// Returns the value of an environment variable, or `nil` if it is not set or empty, which is the same to libpq.
  private static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns whether a service file of libpq has further parameters.
  private static func hasService(
    _ options: [String: String], _ environment: (String) -> String?
  ) -> Bool {
    options["service"] != nil || environment("PGSERVICE") != nil
  }

  /// Returns the same address for another user if it names none itself.
  func connecting(as user: String?) -> PostgresLocation {
    var location = self
    location.user = self.user ?? user
    return location
  }

  /// Splits a URL into that of libpq and the value of the parameter `mode`, which is ours.
  private static func withoutMode(_ text: String) -> (text: String, mode: String?) {
    guard let question = text.firstIndex(of: "?") else { return (text, nil) }
    let parameters = text[question...].dropFirst().split(
      separator: "&", omittingEmptySubsequences: false)
    let others = parameters.filter { !$0.hasPrefix("mode=") }
    guard others.count < parameters.count else { return (text, nil) }
    let mode = parameters.last { $0.hasPrefix("mode=") }?.dropFirst("mode=".count)
    let rest = others.isEmpty ? "" : "?" + others.joined(separator: "&")
    return (text[..<question] + rest, mode.map(String.init))
  }

  static func loadLibrary() throws(CatalogueError) {
    guard cp_load() else {
      throw CatalogueError(
        code: .unreachable,
        message: "PostgreSQL cannot be used without libpq 14 or later; install libpq5")
    }
  }

  private static func options(_ text: String) -> [String: String]? {
    guard let list = unsafe cp_options(text) else { return nil }
    // Sound: the list ends with an option without a keyword, and is freed once it was read.
    defer { unsafe cp_options_free(list) }
    var options: [String: String] = [:]
    var next = unsafe list
    while let keyword = unsafe next.pointee.keyword {
      if let value = unsafe next.pointee.value, unsafe value.pointee != 0 {
        unsafe options[String(cString: keyword)] = String(cString: value)
      }
      unsafe next += 1
    }
    return options
  }

  /// Returns the servers that libpq would connect to, or `nil` if they are unknown.
  ///
  /// As in libpq, an address without a name (`hostaddr`) has precedence over a name, wherever either is given, and the
  /// URL has precedence over the service file, which has precedence over the environment.
  private static func hosts(
    _ options: [String: String], _ environment: (String) -> String?
  ) -> [String]? {
    let isOpen = !hasService(options, environment)
    func list(_ name: String, _ variable: String) -> [String]? {
      (options[name] ?? (isOpen ? environment(variable) : nil))?
        .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let names = list("host", "PGHOST")
    // A service file may set `hostaddr`, which overrides the host names. If there may be such a
    // file, and the URL has no address, the hosts are unknown.
    guard let addresses = list("hostaddr", "PGHOSTADDR") else { return isOpen ? names : nil }
    return addresses.enumerated().map { index, address in
      guard address.isEmpty, let names, index < names.count else { return address }
      return names[index]
    }
  }

  private static func isLocal(_ host: String) -> Bool {
    let octets = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
      || octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
  }
}
