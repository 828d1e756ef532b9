import Foundation
import TestSupport
import Testing

@testable import ShopBase
import VisualQuery

/// The rights of an index's files.
@Suite struct PrivateFileTests {
  private static func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  /// Would break if other users of the machine could read the secret of the tokens and fields that the shop does not show.
  @Test func `others cannot read an index, and cannot any more after a change`() async throws {
    let folder = try TemporaryDirectory()
    let index = folder.path + "/i.vq"
    let indexer = Indexer(directory: index, settings: ShopSettings(thumbnailSides: [160]))
    _ = try await indexer.run(path: SampleShop.catalogue)
    _ = try await indexer.run(
      path: folder.write(#"{"type":"product","id":"new","title":"New"}"#, to: "f.jsonl"))
    let names = try FileManager.default.contentsOfDirectory(atPath: index)
    #expect(names.contains("previous.sqlite") && names.contains("catalogue.sqlite"))
    for name in names { #expect(try Self.mode(index + "/" + name) & 0o137 == 0, "\(name)") }
    #expect(try Self.mode(index) & 0o027 == 0)

    let database = index + "/catalogue.sqlite"
    try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: database)
    _ = try await indexer.remove([EntityID(type: .product, value: "new")])
    // A group that may write was permitted to on purpose.
    #expect(try Self.mode(database) == 0o660)
  }
}
