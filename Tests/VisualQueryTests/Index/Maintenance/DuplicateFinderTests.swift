import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
import VisualQuery

@Suite struct DuplicateFinderTests {
  private func clusters(
    _ shop: DrawnShop, _ likeness: DuplicateFinder.Likeness = .near
  ) async throws -> [DuplicateFinder.Cluster] {
    try await DuplicateFinder(catalogue: try Catalogue(directory: shop.index)).clusters(likeness)
  }

  /// Writes an image of 192 pixels that is scaled to a side and compressed.
  private func write(_ name: String, of seed: UInt64, side: Int, quality: Int, in shop: DrawnShop)
    throws
  {
    let scene = SyntheticPicture.scene(width: 192, height: 192, seed: seed)
    _ = try shop.folder.write(
      scene.reduced(toLongerSide: side).jpeg(quality: quality), to: name)
  }

  @Test func `the same and nearly the same images are clusters, largest first`() async throws {
    let shop = try DrawnShop()
    for id in ["a", "b", "c"] { try write(id + ".jpg", of: 1, side: 192, quality: 90, in: shop) }
    try write("d.jpg", of: 2, side: 192, quality: 90, in: shop)
    try write("e.jpg", of: 2, side: 80, quality: 40, in: shop)
    try write("f.jpg", of: 3, side: 192, quality: 90, in: shop)
    try await shop.run(["a", "b", "c", "d", "e", "f"].map { DrawnShop.row($0) })
    let found = try await clusters(shop)
    #expect(
      found.map { $0.entities.map(\.id) } == [
        ["product:a", "product:b", "product:c"], ["product:d", "product:e"],
      ])
    #expect(found.map(\.likeness) == [.same, .near])
    #expect(found[0].entities[1].image == "b.jpg" && found[0].entities[1].title == "T")
    #expect(try await clusters(shop, .same).map { $0.entities.count } == [3])
  }

  /// Would break if the colors of one product, whose hashes of brightness are alike, were taken for one.
  @Test func `nothing in the sample shop is a duplicate`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await Indexer(directory: folder.path + "/shop.vq").run(
      path: SampleShop.catalogue, options: IndexOptions(), refused: { _ in })
    let catalogue = try Catalogue(directory: folder.path + "/shop.vq")
    #expect(try await DuplicateFinder(catalogue: catalogue).clusters(.near) == [])
  }

  /// Would break if an image that an entity repeats made a cluster of one.
  @Test func `an entity that shows one image twice is no cluster`() async throws {
    let shop = try DrawnShop()
    try shop.draw("a.jpg", seed: 1)
    try shop.draw("b.jpg", seed: 1)
    try await shop.run([
      #"{"type":"product","id":"a","title":"A","images":["a.jpg","b.jpg"]}"#
    ])
    #expect(try await clusters(shop) == [])
  }

  /// Would break if the doctor told other entities apart than `vq duplicates` does, or told a pair for each two of many.
  @Test func `the doctor links the entities of a cluster one by one`() async throws {
    let shop = try DrawnShop()
    for id in ["a", "b", "c"] { try write(id + ".jpg", of: 1, side: 192, quality: 90, in: shop) }
    try write("d.jpg", of: 2, side: 192, quality: 90, in: shop)
    try write("e.jpg", of: 2, side: 80, quality: 40, in: shop)
    try await shop.run(["a", "b", "c", "d", "e"].map { DrawnShop.row($0) })
    let findings = try await CatalogueDoctor(catalogue: try Catalogue(directory: shop.index))
      .findings().filter { $0.kind == .indistinguishable }
    #expect(findings.map(\.id) == ["product:a", "product:b"])
    #expect(findings.map(\.twin) == ["product:b", "product:c"])
    let clusters = try await clusters(shop, .same)
    #expect(clusters.map { $0.entities.map(\.id) } == [["product:a", "product:b", "product:c"]])
  }
}
