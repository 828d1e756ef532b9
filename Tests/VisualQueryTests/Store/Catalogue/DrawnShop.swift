import Foundation
import PixelMatch
import Synchronization
import TestSupport
import VisualQuery

/// A shop of small drawn pictures that a test changes as it likes.
final class DrawnShop {
  let folder: TemporaryDirectory
  var index: String { folder.path + "/shop.vq" }

  init() throws { folder = try TemporaryDirectory() }

  /// Draws a picture; the same seed gives the same file.
  func draw(_ name: String, seed: UInt64, side: Int = 96) throws {
    let picture = SyntheticPicture.scene(width: side, height: side, seed: seed)
    _ = try folder.write(picture.jpeg(quality: 90), to: name)
  }

  /// A row of a product with the picture `ID.jpg`.
  static func row(_ id: String, _ fields: String = #""title":"T""#) -> String {
    #"{"type":"product","id":"\#(id)","images":["\#(id).jpg"],\#(fields)}"#
  }

  @discardableResult func run(
    _ rows: [String], _ options: IndexOptions = IndexOptions(),
    settings: ShopSettings = ShopSettings()
  ) async throws -> (Indexer.Progress, [RefusedRow]) {
    let path = try folder.write(rows.joined(separator: "\n"), to: "catalogue.jsonl")
    let refused = Mutex<[RefusedRow]>([])
    let progress = try await Indexer(directory: index, settings: settings).run(
      path: path, options: options,
      refused: { row in
        // An entity without images is not a rejection.
        if row.kind != .entity { refused.withLock { $0.append(row) } }
      })
    return (progress, refused.withLock { $0 })
  }

  func ids() async throws -> [String] {
    let lookup = EntityLookup(catalogue: try Catalogue(directory: index))
    var ids: [String] = []
    for try await page in lookup.allEntities() { ids += page.map(\.id.value) }
    return ids.sorted()
  }

  func product(_ id: String) async throws -> Product? {
    let lookup = EntityLookup(catalogue: try Catalogue(directory: index))
    guard
      case .product(let product)? = try await lookup.entities(for: [
        EntityID(type: .product, value: id)
      ]).first
    else { return nil }
    return product
  }

  func exported() async throws -> [String] {
    let lines = Lines()
    try await CatalogueUpkeep(directory: index).export { lines.append($0) }
    return lines.all
  }
}

/// Lines that come one by one.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func append(_ line: String) { lines.withLock { $0.append(line) } }
}
