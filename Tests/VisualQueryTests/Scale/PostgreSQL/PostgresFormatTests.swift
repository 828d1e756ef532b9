@testable import ShopSearch
import TestSupport
import Testing

@testable import ShopScale
import VisualQuery

/// The binary format of `COPY`, and the errors of the server.
@Suite struct PostgresFormatTests {
  @Test func `a row survives being written and read`() throws {
    let values: [PostgresValue] = [
      .integer(0), .integer(-1), .integer(.min), .integer(.max), .null, .text("ä\u{1F375}"),
      .text(""), .bytes([]), .bytes([0, 255, 7]), .int32(.min), .int32(16_777_216),
    ]
    var message = PostgresCopyFormat.header
    PostgresCopyFormat.append(values, to: &message)
    let (row, isValid) = PostgresCopyFormat.row(message, isFirst: true)
    let read = try #require(row)
    #expect(isValid && read.columns.count == values.count)
    #expect((0..<4).map(read.integer) == [0, -1, .min, .max])
    #expect(read.isNull(4) && !read.isNull(6))
    #expect(read.text(5) == "ä\u{1F375}" && read.text(6) == "" && read.bytes(8) == [0, 255, 7])
    #expect(read.integer(9) == -2_147_483_648 && read.integer(10) == 16_777_216)
    let end = PostgresCopyFormat.row(PostgresCopyFormat.trailer, isFirst: false)
    #expect(end.isValid && end.row == nil)
  }

  /// Would break if a message of a broken server were read beyond its end.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a damaged message is refused or read, never more`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var message = PostgresCopyFormat.header
    PostgresCopyFormat.append([.integer(7), .text("mug"), .null], to: &message)
    for _ in 0..<3 {
      message[Int.random(in: 0..<message.count, using: &generator)] = UInt8.random(
        in: 0...255, using: &generator)
    }
    message.removeLast(Int.random(in: 0...4, using: &generator))
    let (row, _) = PostgresCopyFormat.row(message, isFirst: true)
    let byteCount = (row?.columns ?? []).reduce(0) { $0 + ($1?.count ?? 0) }
    #expect(byteCount <= message.count)
  }

  @Test(arguments: [
    ("42P01", CatalogueError.Code.missing, "vq postgres init"),
    ("42501", .notPermitted, "vq_writer"), ("25006", .notPermitted, "standby"),
    ("55P03", .locked, "another writer"), ("57014", .timedOut, "try again"),
    ("53100", .diskFull, ""), ("57P01", .unreachable, ""), ("08006", .unreachable, ""),
    ("22P02", .io, "22P02"),
  ])
  func `an error of the server says what to do`(
    state: String, code: CatalogueError.Code, advice: String
  ) {
    let error = PostgresConnection.error(state: state, "reason")
    #expect(error.code == code && error.message.contains("reason"))
    #expect(advice.isEmpty || error.message.contains(advice))
  }
}
