import TestSupport
import Testing

@testable import ShopBase
import VisualQuery

/// The helpers that read the rows of a query.
@Suite struct SQLiteConnectionTests {
  /// An error of the code that reads a row.
  private struct Refusal: StorageFailure, Equatable {
    let isRefusedAccess = false
    let isFullDisk = false
    init() {}
    init(_ error: StorageError) {}
  }

  /// Would break if the reason were that of SQLite's second attempt, which is to read what cannot be created: "No such file or directory".
  @Test(.enabled(if: FileStatus.exists("/sys/kernel")))
  func `the reason why a file cannot be created is the true one`() throws {
    // Nobody can create a file there.
    let path = "/sys/kernel/x.sqlite"
    let error = #expect(throws: Reason.self) {
      try SQLiteConnection<Reason>(path: path, mode: .write)
    }
    let message = try #require(error?.error.message)
    #expect(error?.isRefusedAccess == true && message.contains(path))
    #expect(
      ["Permission denied", "Read-only file system", "Operation not permitted"]
        .contains { message.contains($0) }, "\(message)")
  }

  /// An error that keeps its reason.
  private struct Reason: StorageFailure {
    let error: StorageError
    init(_ error: StorageError) { self.error = error }
    var isRefusedAccess: Bool { error.code == .notPermitted }
    var isFullDisk: Bool { error.code == .full }
  }

  private static let query = "SELECT n FROM numbers WHERE n > ? ORDER BY n"

  /// A database in memory that holds the numbers 1 to 3.
  private static func numbers() throws -> SQLiteConnection<Refusal> {
    let connection = try SQLiteConnection<Refusal>(path: ":memory:", mode: .write)
    try connection.execute(
      "CREATE TABLE numbers(n INTEGER); INSERT INTO numbers VALUES(3), (1), (2)")
    return connection
  }

  // Would break if the statement kept its row: in debug builds the second use would trap.
  @Test func `a first row leaves its statement ready for the next use`() throws {
    let connection = try Self.numbers()
    for (bound, expected) in [(0, 1), (1, 2), (2, 3)] {
      #expect(try connection.first(Self.query, [.integer(bound)]) { $0.integer(0) } == expected)
      #expect(try !connection.statement(Self.query).isRunning)
    }
    #expect(try connection.first(Self.query, [.integer(3)]) { $0.integer(0) } == nil)
  }

  // Would break if the parameters of one use were still bound in the next.
  @Test func `parameters are unbound after use`() throws {
    let connection = try Self.numbers()
    #expect(try connection.first("SELECT ?", [.integer(7)]) { $0.integer(0) } == 7)
    #expect(try connection.first("SELECT ?") { $0.isNull(0) } == true)
  }

  @Test func `an error of the closure that reads a row leaves the statement ready`() throws {
    let connection = try Self.numbers()
    #expect(throws: Refusal()) {
      try connection.first(Self.query, [.integer(0)]) { _ throws(Refusal) in throw Refusal() }
    }
    #expect(try connection.first(Self.query, [.integer(0)]) { $0.integer(0) } == 1)
    #expect(throws: Refusal()) {
      try connection.rows(Self.query, [.integer(0)]) { row throws(Refusal) -> Int? in
        if row.integer(0) == 2 { throw Refusal() }
        return row.integer(0)
      }
    }
    #expect(try connection.rows(Self.query, [.integer(0)]) { $0.integer(0) } == [1, 2, 3])
  }

  @Test func `all rows come in their order, without those that are left out`() throws {
    let connection = try Self.numbers()
    #expect(
      try connection.rows(Self.query, [.integer(0)]) { row in
        row.integer(0) == 2 ? nil : row.integer(0)
      } == [1, 3])
    #expect(try connection.rows(Self.query, [.integer(3)]) { $0.integer(0) } == [])
  }

  @Test func `different queries may run within each other's rows`() throws {
    let connection = try Self.numbers()
    var sums: [Int] = []
    try connection.forEachRow(Self.query, [.integer(0)]) { row throws(Refusal) in
      let sum = try connection.first(
        "SELECT sum(n) FROM numbers WHERE n <= ?", [.integer(row.integer(0))]
      ) { $0.integer(0) }
      sums.append(sum ?? 0)
    }
    #expect(sums == [1, 3, 6])
  }
}
