import Foundation
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The bounds of what a feed can cost.
@Suite struct FeedLimitTests {
  private static func gzip(_ bytes: [UInt8], in folder: TemporaryDirectory) throws -> String {
    let path = try folder.write(bytes, to: "feed.jsonl")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
    process.arguments = ["-9", path]
    try process.run()
    process.waitUntilExit()
    return path + ".gz"
  }

  private static func rowCount(_ path: String, _ limits: FeedLimits) throws -> Int {
    var options = FeedOptions()
    options.limits = limits
    var reader = try FeedReader(path: path, options: options)
    var count = 0
    while try reader.nextRecord() != nil { count += 1 }
    return count
  }

  /// Would break if a few kilobytes could become gigabytes of rows.
  @Test func `a feed that expands too much is refused, with the option to permit it`() throws {
    let folder = try TemporaryDirectory()
    let rows = Array(repeatElement(Array("{}\n".utf8), count: 2_000_000).joined())
    let path = try Self.gzip(rows, in: folder)
    let error = try #require(throws: FeedError.self) { try Self.rowCount(path, FeedLimits()) }
    #expect(error.message.contains("--max-feed-ratio"))
    #expect(error.message.contains("more than 200 times"))
    #expect(try Self.rowCount(path, FeedLimits(expansion: 2000)) == 2_000_000)
  }

  /// Small files may be as regular as they like.
  @Test func `a small feed may expand by any factor`() throws {
    let folder = try TemporaryDirectory()
    let rows = Array(repeatElement(Array("{}\n".utf8), count: 400_000).joined())
    #expect(try Self.rowCount(try Self.gzip(rows, in: folder), FeedLimits(expansion: 2)) == 400_000)
  }

  @Test(arguments: [true, false]) func `the bytes of a feed are limited`(isCompressed: Bool) throws
  {
    let folder = try TemporaryDirectory()
    let rows = Array((0..<20_000).map { "{\"id\":\"\($0)\"}\n" }.joined().utf8)
    let path =
      isCompressed ? try Self.gzip(rows, in: folder) : try folder.write(rows, to: "feed.jsonl")
    #expect(try Self.rowCount(path, FeedLimits(byteCount: rows.count)) == 20_000)
    let error = try #require(throws: FeedError.self) {
      try Self.rowCount(path, FeedLimits(byteCount: rows.count - 1))
    }
    #expect(error.message.contains("\(rows.count - 1) bytes"))
    #expect(error.message.contains("--max-feed-bytes"))
  }

  @Test(arguments: [
    ("rows.jsonl", String(repeating: "{\"type\":\"product\",\"id\":\"a\"}\n", count: 7)),
    ("rows.csv", "id,title\n" + String(repeating: "a,T\n", count: 7)),
    ("rows.xml", "<items>\(String(repeating: "<item><id>1</id></item>", count: 7))</items>"),
    (
      "rows.json",
      "[" + Array(repeating: #"{"id":"a","title":"T"}"#, count: 7).joined(separator: ",") + "]"
    ),
  ])
  func `the rows of a feed are limited, whatever its format`(name: String, text: String) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(text, to: name)
    #expect(try Self.rowCount(path, FeedLimits(rowCount: 7)) == 7)
    let error = try #require(throws: FeedError.self) {
      try Self.rowCount(path, FeedLimits(rowCount: 6))
    }
    #expect(error.message.contains("(--max-rows)"))
  }

  /// Would break if a row with many bad fields were repeated with each of them: 295 KB became a gigabyte.
  @Test func `a row with many bad fields is reported once, and its fields up to twenty`() throws {
    let names = (0..<300).map { #""x\#($0)":{"title":"T"}"# }.joined(separator: ",")
    let row = #"{"type":"product","id":"a","title":"T","localized":{\#(names)}}"#
    let export = try ReadExport(row)
    #expect(export.products.map(\.id) == ["a"])
    #expect(export.warnings.count == 21 && export.warnings.reduce(0) { $0 + $1.count } == 300)
    #expect(export.warnings.map { $0.row != nil } == [true] + Array(repeating: false, count: 20))
    #expect(export.warnings.last?.reason == "280 further invalid fields were left out")
    // If the reports are fed back as a feed, they give the same row.
    let lines = try export.warnings.map {
      String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
    }
    let back = try ReadExport(lines.joined(separator: "\n"))
    #expect(back.products == export.products && back.warnings.count == 21)
  }

  /// Would break if a value of the feed made a report as long as it is.
  @Test func `a report is short however long the value is`() throws {
    let long = String(repeating: "e\u{301}", count: 100_000)
    let row = RefusedRow(line: 1, field: long, reason: "has '\(long)'", subject: long)
    for text in [row.field, row.reason, row.subject] {
      #expect(text.map { $0.unicodeScalars.count <= 1001 && $0.hasSuffix("…") } == true)
    }
  }

  @Test func `the number of further reports, fed back, is not a row`() throws {
    let report = RefusedRow.omitted(7, after: 3, reason: "7 further rejections have no room here")
    let line = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    let back = try ReadExport(line + "\n" + #"{"type":"product","id":"a","title":"T"}"#)
    #expect(back.products.map(\.id) == ["a"] && back.warnings.isEmpty)
  }

  /// Would break if a feed with a host of its own in each row took memory for each, or a password passed for a host.
  @Test func `hosts of images that were not fetched are counted by a thousand names`() async throws
  {
    let folder = try TemporaryDirectory()
    let rows = (0..<1200).map {
      #"{"type":"product","id":"\#($0)","title":"T","images":["https://me:s3/cret@h\#($0).example/a"]}"#
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "f.jsonl")
    let progress = try await Indexer(directory: folder.path + "/i.vq").run(path: feed)
    #expect(progress.unfetchedHosts.count == 1001 && progress.unfetchedHosts["other hosts"] == 200)
    #expect(progress.unfetchedHosts["h7.example"] == 1)
  }

  /// Would break if one row of a supplier could have tens of thousands of images analyzed.
  @Test func `a row has at most 64 images, and the others are counted`() throws {
    let names = (0..<70).map { "\"\($0).jpg\"" }.joined(separator: ",")
    let export = try ReadExport(#"{"type":"product","id":"a","title":"T","images":[\#(names)]}"#)
    #expect(export.products.first?.images == (0..<64).map { "\($0).jpg" })
    #expect(export.warnings.map(\.reason) == ["has 70 images; the limit is 64"])
  }
}
