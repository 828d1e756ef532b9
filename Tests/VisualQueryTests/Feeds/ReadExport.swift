import Foundation
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// The result of reading a feed.
struct ReadExport {
  let format: FeedFormat
  var products: [Product] = []
  var warnings: [RefusedRow] = []
  var leftOut: [String: Int] = [:]
  var encoding: FeedEncoding?
  var findings: [FeedFinding: Int] = [:]

  /// Reads all rows of a feed.
  init(
    _ bytes: [UInt8], _ options: FeedOptions = FeedOptions(currency: "EUR"),
    name: String = "export.csv", allowedSchemes: Set<String> = []
  ) throws {
    let folder = try TemporaryDirectory()
    var reader = try FeedReader(
      path: folder.write(bytes, to: name), allowedSchemes: allowedSchemes, options: options)
    format = reader.mapping.format
    while let row = try reader.next() {
      switch row {
      case .entity(.product(let product), _): products.append(product)
      case .entity: Issue.record("a store")
      case .refused(let row), .warning(let row): warnings.append(row)
      }
    }
    (leftOut, encoding, findings) = (reader.leftOut, reader.encoding, reader.findings)
  }

  init(_ text: String, _ options: FeedOptions = FeedOptions(currency: "EUR")) throws {
    try self.init(Array(text.utf8), options)
  }

  func product(_ id: String) throws -> Product { try #require(products.first { $0.id == id }) }
}
