import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopIndex
@testable import ShopSearch
import VisualQuery

/// The images of a shop that are asked as if they were photos of customers.
@Suite struct OwnImagesTests {
  private static func shop(_ count: Int) async throws -> DrawnShop {
    let shop = try DrawnShop()
    for number in 0..<count { try shop.draw("\(number).jpg", seed: UInt64(number + 1)) }
    try await shop.run(
      (0..<count).map { number in
        #"{"type":"product","id":"p\#(number)","title":"T","images":["\#(number).jpg"]}"#
      })
    return shop
  }

  @Test func `the same catalogue gives the same images, and a smaller number the first of them`()
    async throws
  {
    let shop = try await Self.shop(12)
    let catalogue = try Catalogue(directory: shop.index)
    let all = try await OwnImages(of: catalogue)
    #expect(Set(all.images.map(\.key)).count == 12 && all.sketch.count == 12)
    let few = try await OwnImages(of: catalogue, limit: 5)
    #expect(few.images.map(\.key) == all.images.prefix(5).map(\.key))
    #expect(few.sketch == all.sketch && few.editCount == 2)
    let image = try #require(few.images.first)
    let photo = try #require(try few.photo(of: image))
    #expect(try all.photo(of: all.images[0])?.bytes == photo.bytes)
    #expect(try few.photo(of: image, edit: 1)?.bytes != photo.bytes)
  }

  /// Would break if a thing that is listed twice were taken for false evidence: its other entry is a right answer.
  @Test func `entities with one image are left out together, and asked once`() async throws {
    let shop = try DrawnShop()
    for (name, seed) in [("a", 1), ("b", 1), ("c", 2), ("d", 3)] {
      try shop.draw(name + ".jpg", seed: UInt64(seed))
    }
    let rows = [("a", "a"), ("b", "b"), ("c", "c"), ("d", "d"), ("e", "a")].map { id, file in
      #"{"type":"product","id":"\#(id)","title":"T","images":["\#(file).jpg"]}"#
    }
    try await shop.run(rows)
    let catalogue = try Catalogue(directory: shop.index)
    let own = try await OwnImages(of: catalogue)
    let keys = try catalogue.keys(
      of: ["a", "b", "e"].map { EntityID(type: .product, value: $0) })
    let twins = Set(keys.values)
    let asked = own.images.filter { !twins.isDisjoint(with: $0.alike) }
    #expect(asked.allSatisfy { $0.alike == twins } && asked.count <= 2)
    #expect(own.images.count - asked.count == 2)
    let image = try #require(asked.first)
    let question = try await Matcher(unhurried: catalogue).ask(
      forOwn: image.id, key: image.key, alike: image.alike,
      by: try #require(try own.photo(of: image)))
    #expect(question.present.first?.isRight == true)
    #expect(question.withoutOwn.first?.isRight != true)
    #expect(question.withoutGroup == nil)
  }

  @Test func `an image whose file is gone or another one is not asked`() async throws {
    let shop = try await Self.shop(4)
    let own = try await OwnImages(of: try Catalogue(directory: shop.index))
    try FileManager.default.removeItem(atPath: shop.folder.path + "/0.jpg")
    try shop.draw("1.jpg", seed: 77)
    let photos = try own.images.map { try own.photo(of: $0) }
    #expect(photos.count { $0 == nil } == 2)
  }

  /// Would break if a thing were found by itself although it is left out, or if its variants stayed when its group is left out.
  @Test func `a thing is asked without itself and without its group`() async throws {
    let folder = try TemporaryDirectory()
    _ = try await Indexer(directory: folder.path + "/shop.vq").run(path: SampleShop.catalogue)
    let catalogue = try Catalogue(directory: folder.path + "/shop.vq")
    let own = try await OwnImages(of: catalogue)
    let image = try #require(own.images.first { $0.id.value.hasPrefix("mug-") })
    let photo = try #require(try own.photo(of: image))
    let question = try await Matcher(unhurried: catalogue).ask(
      forOwn: image.id, key: image.key, alike: image.alike, by: photo)
    #expect(question.product == "group camp-mug")
    #expect(question.present.id == image.id)
    #expect(question.withoutOwn.id != image.id)
    #expect(question.withoutGroup?.id?.value.hasPrefix("mug-") == false)
  }
}
