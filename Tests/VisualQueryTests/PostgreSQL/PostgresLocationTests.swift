import Testing

@testable import VisualQuery

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
