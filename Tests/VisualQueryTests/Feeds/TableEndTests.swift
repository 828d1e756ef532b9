import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Tables that end within their last field.
@Suite struct TableEndTests {
  private static func reason(
    _ header: String, _ last: [String], end: String = "\n", gap: String = ","
  ) throws -> String? {
    let folder = try TemporaryDirectory()
    let rows = last.enumerated().map { "\($0)\(gap)T\(gap)\($1)" }.joined(separator: "\n")
    let path = try folder.write(header.replacing(",", with: gap) + "\n" + rows + end, to: "f.csv")
    var reader = try FeedReader(path: path, options: FeedOptions(currency: "EUR"))
    var reason: String?
    while let row = try reader.next() {
      if case .refused(let refused) = row { reason = refused.reason }
    }
    return reason
  }

  private static let stock = (0..<30).map { $0 % 4 == 0 ? "out of stock" : "in stock" }

  private static let images = (0..<20).map { "https://a.example/\($0).jpg" }

  /// A column with a last field that is cut.
  private static let cut: [(name: String, last: [String], part: String)] = {
    let prices: [String] = (10..<30).map { "\($0).\($0 + 7) EUR" }
    let codes: [String] = (0..<30).map { "40063813339\($0 + 20)" }
    return [
      ("availability", stock + ["in s"], "is the beginning of 'in stock'"),
      ("availability", stock + ["in"], "is the beginning of 'in stock'"),
      ("availability", stock + ["out of stoc"], "is the beginning of 'out of stock'"),
      ("image link", images + ["https://a.example/20.jp"], "'.jpg'"),
      ("image link", images + ["https://a.example/20."], "'.jpg'"),
      ("price", prices + ["31.00 E"], "' EUR'"),
      ("gtin", codes + ["400638133"], "13 bytes"),
    ]
  }()

  /// A column whose last field is whole.
  private static let whole: [(name: String, last: [String])] = {
    let quantities: [String] = (0..<40).map { "\($0 % 3 * 10)" }
    let prices: [String] = (10..<40).map { "\($0).5" }
    let notes: [String] = (0..<40).map { "a note about \($0 * 7919)" }
    let colors = ["red", "blue", "dark red", "used"]
    return [
      ("availability", stock),
      ("availability", stock + ["preorder"]),
      ("availability", stock + [""]),
      ("availability", ["in stock", "in stock", "in s"]),
      ("quantity", quantities + ["1"]),
      ("price", prices + ["4"]),
      ("image link", images + ["https://a.example/20.png"]),
      ("note", notes + ["short"]),
      ("color", (0..<40).map { colors[$0 % 4] } + ["wide"]),
    ]
  }()

  @Test(arguments: cut)
  func `a last field that is cut is told`(name: String, last: [String], part: String) throws {
    for gap in [",", "\t", ";"] {
      let header = "id,title,\(name)"
      let reason = try Self.reason(header, last, end: "", gap: gap)
      #expect(reason?.contains(part) == true, "\(reason ?? "none")")
      // With its end, the line is whole, whatever it has.
      #expect(try Self.reason(header, last, end: "\n", gap: gap) == nil)
    }
  }

  @Test(arguments: whole)
  func `a whole table that only lacks its last line break is not cut`(
    name: String, last: [String]
  ) throws {
    #expect(try Self.reason("id,title,\(name)", last, end: "") == nil)
  }

  /// One night of a file that was cut within a word removed 35 of 120 products, with exit code 0.
  @Test func `nothing is removed by a table that is cut within its last field`() async throws {
    let folder = try TemporaryDirectory()
    let indexer = Indexer(directory: folder.path + "/i.vq")
    let rows = (0..<40).map { "\($0),T\($0),\($0 % 4 == 0 ? "out of stock" : "in stock")" }
    let options = IndexOptions(prunesMissing: true, removalLimit: 50)
    func run(_ text: String) async throws -> Indexer.Progress {
      try await indexer.run(path: folder.write(text, to: "feed.csv"), options: options)
    }
    let header = "id,title,availability\n"
    #expect(try await run(header + rows.joined(separator: "\n")).entities == 40)
    let cut = try await run(header + rows.prefix(30).joined(separator: "\n").dropLast(4))
    // The row that is cut leaves its entity as it was.
    #expect(cut.removed == 0 && cut.changed == 0 && cut.refusedRows == 1)
    #expect(cut.unprunedReason != nil)
    // A row with fewer fields is rejected, and nothing is removed either.
    let short = try await run(header + rows.prefix(30).joined(separator: "\n").dropLast(9))
    #expect(short.removed == 0 && short.unprunedReason != nil)
    let whole = try await run(header + rows.prefix(30).joined(separator: "\n"))
    #expect(whole.removed == 10 && whole.unprunedReason == nil)
  }
}
