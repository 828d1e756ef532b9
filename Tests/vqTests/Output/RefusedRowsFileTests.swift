import Foundation
import TestSupport
import Testing
import VisualQuery

@testable import vq

/// The bounds of the file of rejected rows.
@Suite struct RefusedRowsFileTests {
  private static func rows(_ text: String) throws -> [RefusedRow] {
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(path: folder.write(text, to: "f.jsonl"))
    var rows: [RefusedRow] = []
    while let row = try reader.next() {
      if case .refused(let refused) = row { rows.append(refused) }
    }
    return rows
  }

  private static func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Would break if a feed of bad rows filled the disk.
  @Test func `a full file ends with the number of further rows`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/r.jsonl"
    let file = try RefusedRowsFile(path: path, byteLimit: 1000)
    let rows = try Self.rows(String(repeating: "{\"title\":\"T\"}\n", count: 100))
    for row in rows { file.append(row) }
    try file.close(isWhole: true)
    let lines = try Self.lines(path)
    #expect(rows.count == 100 && lines.count > 3 && lines.count < 20)
    #expect(file.omittedCount == 100 - (lines.count - 1))
    #expect(lines.last?.contains("\(file.omittedCount) further rejections") == true)
    #expect(lines.dropLast().joined(separator: "\n").utf8.count < 1000)
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
  }

  /// A row of control characters is six times as long in JSON.
  @Test func `a row that is too long for a line is left out of it`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/r.jsonl"
    let file = try RefusedRowsFile(path: path)
    let text = String(repeating: "\\u0001", count: 160_000)
    let rows = try Self.rows("{\"title\":[\"\(text)\",\"\(text.prefix(0))\"]}\n")
    for row in rows + rows { file.append(row) }
    try file.close(isWhole: true)
    let lines = try Self.lines(path)
    #expect(lines.count == 2 && lines.allSatisfy { $0.utf8.count <= RefusedRowsFile.lineLimit })
  }
}
