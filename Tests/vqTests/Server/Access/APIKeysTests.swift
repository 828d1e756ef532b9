import Foundation
import Testing

@testable import HTTPServer
@testable import vq

/// The file of keys.
@Suite struct APIKeysTests {
  private static func fields(_ authorization: String...) -> HTTPFields {
    var fields = HTTPFields()
    for value in authorization { fields.append("Authorization", value) }
    return fields
  }

  @Test func `a key that was made is let in, and no other`() throws {
    let app = APIKeys.made(role: .read, name: "app")
    let shop = APIKeys.made(role: .write, name: "shop")
    #expect(app.key != shop.key && app.key.count == 67)
    #expect(!app.line.contains(app.key))
    let keys = try APIKeys(lines: "# keys\n\(app.line)\n\n  \(shop.line)\n", file: "keys.txt")
    #expect(keys.key(of: Self.fields("Bearer \(app.key)"))?.name == "app")
    #expect(keys.key(of: Self.fields("bearer  \(shop.key) "))?.role == .write)
    for wrong in [
      app.key, "Bearer ", "Bearer \(app.key)x", "Bearer \(app.key.dropLast())", "Basic \(app.key)",
      "Bearer sha256:\(app.line.suffix(64))", "Bearer \(app.line.suffix(64))",
    ] {
      #expect(keys.key(of: Self.fields(wrong)) == nil)
    }
    #expect(keys.key(of: Self.fields("Bearer \(app.key)", "Bearer \(shop.key)")) == nil)
    #expect(keys.key(of: HTTPFields()) == nil)
  }

  @Test(arguments: [
    "read app", "admin app sha256:\(String(repeating: "0", count: 64))",
    "read app sha256:00", "read app \(String(repeating: "0", count: 64))",
    "read app sha256:\(String(repeating: "g", count: 64))",
    "read a sha256:\(String(repeating: "0", count: 64))\nwrite a sha256:\(String(repeating: "1", count: 64))",
  ]) func `a line that is no key is named`(lines: String) {
    let failure = #expect(throws: CommandFailure.self) {
      try APIKeys(lines: "# first\n" + lines, file: "keys.txt")
    }
    #expect(failure?.message.contains("line \(lines.contains("\n") ? 3 : 2)") == true)
    #expect(failure?.message.contains("0000") == false)
  }

  /// Would break if a key ended a day early, in another time zone, or never.
  @Test func `a key ends after its last day`() throws {
    let made = APIKeys.made(role: .read, name: "app", until: "2027-01-31")
    #expect(made.line.hasSuffix(" until=2027-01-31"))
    let key = try #require(try APIKeys(lines: made.line, file: "keys.txt").keys.first)
    let midnight = try Date("2027-02-01T00:00:00Z", strategy: .iso8601)
    #expect(!key.hasEnded(at: midnight.addingTimeInterval(-1)))
    #expect(key.hasEnded(at: midnight))
    let endless = APIKeys.made(role: .read, name: "app")
    let other = try #require(try APIKeys(lines: endless.line, file: "keys.txt").keys.first)
    #expect(!other.hasEnded(at: .distantFuture))
  }

  /// Would break if a client had to change its key at the moment when the server does.
  /// Would break if clients were locked out on a day that nobody was told of.
  @Test func `keys that have ended or end soon are named, unless another replaces them`() throws {
    let lines = [
      ("gone", "2027-01-09"), ("today", "2027-01-10"), ("soon", "2027-02-08"),
      ("later", "2027-02-09"), ("open", nil), ("replaced", "2027-01-01"), ("replaced", nil),
      ("renewed", "2027-01-01"), ("renewed", "2027-06-01"),
    ].map { APIKeys.made(role: .app, name: $0.0, until: $0.1).line }
    let keys = try APIKeys(lines: lines.joined(separator: "\n"), file: "keys.txt")
    let date = try Date("2027-01-10T12:00:00Z", strategy: .iso8601)
    #expect(
      keys.endings(at: date) == [
        "the key 'gone' ended with 2027-01-09", "the key 'soon' ends with 2027-02-08",
        "the key 'today' ends with 2027-01-10",
      ])
  }

  @Test func `two keys of one name are accepted at once`() throws {
    let (old, new) = (
      APIKeys.made(role: .read, name: "app"), APIKeys.made(role: .read, name: "app")
    )
    let keys = try APIKeys(lines: old.line + "\n" + new.line, file: "keys.txt")
    for key in [old.key, new.key] {
      #expect(keys.key(of: Self.fields("Bearer \(key)"))?.name == "app")
    }
  }

  @Test func `a role has its rights and those of the roles that it includes`() {
    let included = APIKeys.Role.allCases.map { role in
      APIKeys.Role.allCases.filter(role.includes)
    }
    #expect(
      included == [
        [.app], [.app, .read], [.app, .read, .feedback], [.operate], APIKeys.Role.allCases,
      ])
  }

  @Test(arguments: [
    ("read app", "has 2 words"),
    ("admin app sha256:\(String(repeating: "0", count: 64))", "has the unknown role 'admin'"),
    ("reed app sha256:\(String(repeating: "0", count: 64))", "(did you mean 'read'?)"),
    ("read app sha256:00", "has a hash that is not 'sha256:' and 64 hexadecimal digits"),
    (
      "read app vq_\(String(repeating: "0", count: 64))",
      "has a key in place of its hash, which nobody but the client should have"
    ),
    (
      "read a sha256:\(String(repeating: "0", count: 64))\nwrite a sha256:\(String(repeating: "1", count: 64))",
      "has the name 'a' of an earlier line of another role"
    ),
    (
      "read a sha256:\(String(repeating: "0", count: 64))\nread b sha256:\(String(repeating: "0", count: 64))\nread b sha256:\(String(repeating: "0", count: 64))",
      "has the key of an earlier line"
    ),
    (
      (0..<3).map { "read a sha256:\(String(repeating: "\($0)", count: 64))" }.joined(
        separator: "\n"),
      "is the third of the name 'a'"
    ),
    ("read a sha256:\(String(repeating: "0", count: 64)) 2027-01-31", "ends with '2027-01-31'"),
    (
      "read a sha256:\(String(repeating: "0", count: 64)) until=2027-02-30",
      "ends with 'until=2027-02-30' instead of a day"
    ),
    ("read a sha256:\(String(repeating: "0", count: 64)) until=tomorrow", "instead of a day"),
  ]) func `a line that is no key is told what is wrong, and what is right`(
    lines: String, reason: String
  ) {
    let failure = #expect(throws: CommandFailure.self) {
      try APIKeys(lines: lines, file: "keys.txt")
    }
    #expect(failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
    #expect(
      failure?.message.hasSuffix(
        "; a line is 'app|read|feedback|operate|write NAME sha256:HEX [until=DAY]'") == true)
    #expect(failure?.message.contains("vq_0") == false)
  }
}
