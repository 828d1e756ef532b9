import Testing

@testable import ShopScale
import VisualQuery

private let hasLibrary = (try? PostgresLocation.loadLibrary()) != nil

/// The addresses that are accepted, and what they require of the server.
@Suite(.enabled(if: hasLibrary, "libpq is not installed"))
struct PostgresLocationTests {
  /// Would break if a password, which other programs see among the arguments, were accepted, or
  /// repeated in a message.
  @Test(arguments: [
    "postgres://shop:s3cret@db.example/shop", "postgres:///shop?password=s3cret",
    "postgresql://shop@db.example/shop?sslpassword=s3cret",
    "postgres://:s3cret@localhost/shop",
  ])
  func `an address with a password is refused without repeating it`(text: String) throws {
    let error = try #require(throws: CatalogueError.self) { try PostgresLocation(text) }
    #expect(error.code == .invalidLocation)
    #expect(!error.message.contains("s3cret") && error.message.contains("PGPASSFILE"))
  }

  /// Would break if a server on another machine were trusted without a certificate for its name.
  @Test(arguments: [
    ("postgres://localhost/shop", false), ("postgres://127.0.0.1:5433/shop", false),
    ("postgres://[::1]/shop", false), ("postgres:///shop?host=/run/postgresql", false),
    ("postgres://localhost/shop?sslmode=disable", false),
    ("postgres://db.example/shop", true), ("postgres://localhost,db.example/shop", true),
    ("postgres://127.0.0.1.example/shop", true), ("postgres:///shop?service=shop", true),
    ("postgres://localhost/shop?hostaddr=192.0.2.1", true),
    ("postgres://db.example/shop?sslmode=verify-full", true),
  ])
  func `only this machine need not prove its name`(text: String, isVerified: Bool) throws {
    #expect(try PostgresLocation(text).requiresVerification == isVerified)
  }

  /// Would break if a variable of libpq led to another machine, while the name in the URL made it pass for this one.
  @Test(arguments: [
    ("postgres://127.0.0.1/shop", ["PGHOSTADDR": "192.0.2.1"], true),
    ("postgres:///shop?host=/run/postgresql", ["PGHOSTADDR": "192.0.2.1"], true),
    ("postgres://localhost/shop?hostaddr=127.0.0.1", ["PGHOSTADDR": "192.0.2.1"], false),
    ("postgres://localhost,127.0.0.1/shop", ["PGHOSTADDR": "127.0.0.1,192.0.2.1"], true),
    ("postgres://localhost,db.example/shop", ["PGHOSTADDR": "127.0.0.1,"], true),
    ("postgres://db.example/shop", ["PGHOSTADDR": "127.0.0.1"], false),
    ("postgres:///shop", ["PGHOST": "db.example"], true),
    ("postgres:///shop", ["PGHOST": "/run/postgresql"], false),
    ("postgres:///shop", ["PGHOST": "/run/postgresql", "PGSERVICE": "other"], true),
    ("postgres://127.0.0.1/shop", ["PGSERVICE": "other"], true),
    ("postgres://127.0.0.1/shop", ["PGHOST": "db.example"], false),
  ])
  func `a server is looked for where libpq does`(
    text: String, variables: [String: String], isVerified: Bool
  ) throws {
    let location = try PostgresLocation(text) { variables[$0] }
    #expect(location.requiresVerification == isVerified)
    guard isVerified else { return }
    let open = text + (text.contains("?") ? "&" : "?") + "sslmode=disable"
    #expect(throws: CatalogueError.self) { try PostgresLocation(open) { variables[$0] } }
  }

  @Test func `an authority of the environment vouches for a server if no other is named`() throws {
    func file(_ text: String, _ variables: [String: String]) throws -> String? {
      let variables = variables.merging(["SSL_CERT_FILE": "/ca.pem", "HOME": "/nobody"]) { own, _ in
        own
      }
      return try PostgresLocation(text) { variables[$0] }.authorityFile
    }
    #expect(try file("postgres://db.example/shop", [:]) == "/ca.pem")
    #expect(try file("postgres://db.example/shop?sslrootcert=/a", [:]) == nil)
    #expect(try file("postgres://db.example/shop", ["PGSSLROOTCERT": "/a"]) == nil)
    #expect(try file("postgres://localhost/shop", [:]) == nil)
  }

  /// Would break if a revoked user passed for a server that is down, and the copy were used for ever.
  @Test(arguments: [
    ("FATAL:  28P01: password authentication failed for user \"shop\"", true),
    ("FATAL:  28000: role \"shop\" is not permitted to log in", true),
    ("FATAL:  3D000: database \"shop\" does not exist", true),
    ("FATAL:  42501: permission denied for database \"shop\"", true),
    ("FATAL:  57P03: the database system is starting up", false),
    ("FATAL:  53300: sorry, too many clients already", false),
    (
      "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?",
      false
    ),
    ("SSL error: certificate verify failed", false),
  ])
  func `a refused login is no outage`(message: String, isRefused: Bool) {
    let text = "connection to server at \"127.0.0.1\", port 5432 failed: \(message)\n"
    let error = PostgresConnection.error(
      connecting: text + "LOCATION:  auth_failed, auth.c:337\n", lacksPassword: false)
    #expect(error.code == (isRefused ? .loginRefused : .unreachable))
    #expect(error.message.contains("refused the login") == isRefused)
    #expect(!error.message.contains("auth.c") && !error.message.contains("28P01"))
    let words = message.split(separator: ":").last.map(String.init) ?? ""
    #expect(error.message.contains(words.split(separator: "\n")[0]))
    #expect(
      PostgresConnection.error(connecting: text, lacksPassword: true).code == .loginRefused)
  }

  @Test(arguments: ["disable", "prefer", "require", "verify-ca"])
  func `a weaker mode is refused for another machine`(mode: String) throws {
    let error = try #require(throws: CatalogueError.self) {
      try PostgresLocation("postgres://db.example/shop?sslmode=\(mode)")
    }
    #expect(error.code == .invalidLocation && error.message.contains("verify-full"))
  }

  @Test(arguments: [
    "shop.vq", "mysql://db.example/shop", "postgres://a b/%zz", "postgres://h/d?x=y",
  ])
  func `anything else is refused`(text: String) throws {
    let error = try #require(throws: CatalogueError.self) { try PostgresLocation(text) }
    #expect(error.code == .invalidLocation)
  }

  @Test func `a server is chosen among several only if the address leaves that open`() throws {
    let hosts = "postgres:///shop?host=/a,/b"
    #expect(try PostgresLocation(hosts).choosesServer)
    #expect(try !PostgresLocation(hosts + "&target_session_attrs=any").choosesServer)
    #expect(try !PostgresLocation("postgres:///shop?host=/a").choosesServer)
  }

  /// Would break if our parameter reached libpq, which does not know it, or changed another one.
  @Test(arguments: [
    ("postgres:///shop?mode=engine", true, "postgres:///shop"),
    ("postgres:///shop?mode=replica", false, "postgres:///shop"),
    ("postgres:///shop?host=/a&mode=engine&user=b", true, "postgres:///shop?host=/a&user=b"),
    ("postgres:///shop?application_name=mode", false, "postgres:///shop?application_name=mode"),
    ("postgres:///shop", false, "postgres:///shop"),
  ])
  func `the mode is ours`(text: String, isEngine: Bool, rest: String) throws {
    let location = try PostgresLocation(text)
    #expect(location.isEngine == isEngine && location.text == text)
    #expect(location.connectionText == rest)
  }

  @Test func `another mode is refused`() throws {
    let error = try #require(throws: CatalogueError.self) {
      try PostgresLocation("postgres:///shop?mode=motor")
    }
    #expect(error.code == .invalidLocation && error.message.contains("replica"))
  }

  /// Would break if a server that is not there made the caller wait, or crash.
  @Test func `a server that is not there is unreachable`() throws {
    let location = try PostgresLocation("postgres:///shop?host=/nonexistent")
    let error = try #require(throws: CatalogueError.self) {
      _ = try PostgresConnection(location, for: .reading)
    }
    #expect(error.code == .unreachable)
  }
}
