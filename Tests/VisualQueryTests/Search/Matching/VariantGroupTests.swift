import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopBase
@testable import ShopSearch
@testable import ShopStore
import VisualQuery

/// Answers with one match for each group of variants.
@Suite struct VariantGroupTests {
  private let folder: TemporaryDirectory

  init() async throws { folder = try await CatalogueTests.sampleCatalogue() }

  private func matcher() throws -> Matcher {
    Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func content() throws -> SemanticContent {
    try SemanticContent(
      decoding: ImageDecoder().contents(ofFile: SampleShop.query("q01-mug.jpg")), labels: ["mug"])
  }

  private func group(_ value: EntityValue) -> String? {
    if case .product(let product) = value { product.group } else { nil }
  }

  /// All that a page shows: the matches, and the variants beneath them that were found.
  private func found(_ matches: [Match]) -> [EntityID] {
    matches.flatMap { match in
      [match.value.id] + match.variants.filter { $0.confidence != nil }.map(\.value.id)
    }
  }

  /// Would break if the best color were not the card of its group, or another color were lost.
  @Test func `the best variant comes first, with all others beneath`() async throws {
    let matcher = try matcher()
    var options = MatchOptions(timeout: nil)
    let plain = try await matcher.values(for: content(), options: options)
    #expect(plain.matches.allSatisfy { $0.variants.isEmpty })
    options.isGrouped = true
    let best = try #require(
      try await matcher.values(for: content(), options: options).matches.first)
    #expect(best.value.id == plain.matches.first?.value.id)
    #expect(best.value.id.value == "mug-red")
    let others = best.variants.map(\.value.id.value)
    #expect(Set(others) == ["mug-blue", "mug-green", "mug-cream"])
    #expect(best.variants.allSatisfy { group($0.value) == "camp-mug" })
    let confidences = best.variants.map { $0.confidence ?? 0 }
    #expect(confidences == confidences.sorted(by: >))
  }

  /// Would break if a page repeated a group, or lost an entity that the search found.
  @Test(arguments: [1, 2, 5])
  func `pages of groups show every group once`(limit: Int) async throws {
    let matcher = try matcher()
    var options = MatchOptions(limit: 100, typeLimits: [:], minimumConfidence: 0.0005, timeout: nil)
    let plain = try await matcher.values(for: content(), options: options)
    (options.limit, options.isGrouped) = (limit, true)
    var page = try await matcher.values(for: content(), options: options)
    var pages = page.matches
    while page.hasMore {
      page = try await matcher.values(continuing: #require(page.continuation))
      #expect(!page.matches.isEmpty && page.matches.count <= limit)
      pages += page.matches
    }
    let groups = pages.compactMap { group($0.value) }
    #expect(groups.count > 1 && Set(groups).count == groups.count)
    #expect(pages.map(\.rank) == Array(1...pages.count))
    #expect(found(pages).count == Set(found(pages)).count)
    #expect(Set(found(pages)) == Set(plain.matches.map(\.value.id)))
    // The order is that of the matches, less those that are beneath others.
    let cards = Set(pages.map(\.value.id))
    #expect(pages.map(\.value.id) == plain.matches.map(\.value.id).filter(cards.contains))
    let behind = try await matcher.values(continuing: #require(page.continuation))
    #expect(behind.matches.isEmpty && !behind.hasMore)
  }

  @Test func `a new search leaves out the groups that were shown`() async throws {
    let matcher = try matcher()
    let options = MatchOptions(
      limit: 1, typeLimits: [:], minimumConfidence: 0.0005, timeout: nil, isGrouped: true)
    let first = try await matcher.values(for: content(), options: options)
    let token = try #require(first.continuation)
    let next = try await matcher.values(continuing: token, refresh: true, timeout: nil)
    let shown = try #require(first.matches.first.map { group($0.value) })
    #expect(!next.matches.isEmpty)
    #expect(next.matches.allSatisfy { group($0.value) != shown })
    let again = try await matcher.values(continuing: token, fromStart: true)
    #expect(again.matches.map(\.value.id) == first.matches.map(\.value.id))
    #expect(again.matches[0].variants == first.matches[0].variants)
  }

  /// Variants that were not found may not pass the filter.
  @Test func `a filter holds for the variants, too`() async throws {
    let matcher = try matcher()
    var options = MatchOptions(minimumConfidence: 0.0005, timeout: nil, isGrouped: true)
    options.filters[.product] = EntityFilter(comparators: [
      try #require(EntityComparator("title^=Camp")), try #require(EntityComparator("id!=mug-blue")),
    ])
    let response = try await matcher.values(for: content(), options: options)
    let shown = response.entityIDs.map(\.value)
    #expect(shown.contains("mug-red") && !shown.contains("mug-blue"))
  }

  /// Would break if the members of a group were looked for among all entities, or the number of the
  /// property were another one after a rollback.
  @Test func `the members of a group are found by an index`() throws {
    let catalogue = try Catalogue(directory: folder.path + "/shop.vq")
    let plan = try catalogue.read { database throws(CatalogueError) in
      let number = try database.properties.number(of: "group") ?? 0
      return try database.connection.rows(
        """
        EXPLAIN QUERY PLAN SELECT entity FROM properties
        WHERE property = \(number) AND value = ? AND place = 0 ORDER BY entity LIMIT ?
        """, [.text("camp-mug"), .integer(10)], isScan: true
      ) { $0.text(3) }
    }
    #expect(plan.contains { $0.contains("groupMembers") })
  }

  // MARK: Sizes

  /// Indexes things of the sample shop with a row for each of eight sizes, which share one image. It has one name, or one for each size.
  private static func sizes(
    of things: [String], count: Int = 8, isOneName: Bool = true, hasGroup: Bool = true
  ) async throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    var rows: [String] = []
    for thing in things {
      for (number, size) in ["XS", "S", "M", "L", "XL", "XXL", "3XL", "4XL"].prefix(
        count
      ).enumerated() {
        let name = isOneName ? "\(thing).jpg" : "\(thing)-\(number).jpg"
        if !isOneName || number == 0 {
          let image = try ImageDecoder().contents(ofFile: SampleShop.image("\(thing).jpg"))
          _ = try folder.write(image, to: name)
        }
        let group = hasGroup ? #""group":"\#(thing)","# : ""
        rows.append(
          #"{"type":"product","id":"\#(thing)-\#(size)","title":"\#(thing) \#(size)",\#(group)"#
            + #""attributes":{"size":"\#(size)"},"images":["\#(name)"]}"#)
      }
    }
    let feed = try folder.write(rows.joined(separator: "\n"), to: "feed.jsonl")
    _ = try await Indexer(directory: folder.path + "/shop.vq")
      .run(path: feed, imagesRoot: folder.path)
    return folder
  }

  private static let things = ["mug-red", "oats", "kettle", "lamp-black", "board", "notebook"]

  private static func response(
    _ image: PixelBuffer, in folder: TemporaryDirectory, _ options: MatchOptions
  ) async throws -> MatchResponse {
    try await Matcher(catalogue: Catalogue(directory: folder.path + "/shop.vq"))
      .values(for: SemanticContent(pixelBuffer: image), options: options)
  }

  /// Would break if a feed with a row for each size filled the answer with the sizes of two things.
  @Test func `six things with eight sizes on a page are six matches`() async throws {
    let folder = try await Self.sizes(of: Self.things)
    let answer = try await Self.response(
      PictureCanvas.page(Self.things), in: folder, MatchOptions(timeout: nil))
    #expect(Set(answer.matches.compactMap { group($0.value) }) == Set(Self.things))
    #expect(answer.matches.count == 6 && answer.matches.map(\.rank) == Array(1...6))
    for match in answer.matches {
      #expect(match.variants.count == 7)
      #expect(match.variants.allSatisfy { group($0.value) == group(match.value) })
    }
  }

  /// Would break if a list of sizes repeated on its next page what is beneath a match, or lost one.
  @Test func `pages of things with sizes show each thing once`() async throws {
    let folder = try await Self.sizes(of: Self.things)
    let matcher = Matcher(catalogue: try Catalogue(directory: folder.path + "/shop.vq"))
    var page = try await matcher.values(
      for: SemanticContent(pixelBuffer: PictureCanvas.page(Self.things)),
      options: MatchOptions(limit: 4, timeout: nil))
    var pages = page.matches
    while page.hasMore {
      page = try await matcher.values(continuing: #require(page.continuation))
      pages += page.matches
    }
    #expect(pages.map(\.rank) == Array(1...6))
    #expect(found(pages).count == 48 && Set(found(pages)).count == 48)
  }

  @Test func `a filter chooses the size that is shown`() async throws {
    let folder = try await Self.sizes(of: ["oats"])
    var options = MatchOptions(timeout: nil)
    options.filters[.product] = EntityFilter(comparators: [
      try #require(EntityComparator("size=XL"))
    ])
    let image = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg")))
    let answer = try await Self.response(image, in: folder, options)
    #expect(answer.matches.map(\.value.id.value) == ["oats-XL"])
    #expect(answer.matches.allSatisfy { $0.variants.isEmpty })
  }

  /// Would break if products were hidden beneath others that look the same by chance, or if a file for each size made each size
  /// a match.
  @Test(arguments: [(true, false, 3), (false, true, 1), (true, true, 1)])
  func `products of a group with one image are one match, whatever its files are called`(
    isOneName: Bool, hasGroup: Bool, count: Int
  ) async throws {
    let folder = try await Self.sizes(
      of: ["oats"], count: 3, isOneName: isOneName, hasGroup: hasGroup)
    let image = try ImageDecoder().decode(
      ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg")))
    let answer = try await Self.response(image, in: folder, MatchOptions(timeout: nil))
    #expect(answer.matches.count == count)
    #expect(answer.matches.allSatisfy { $0.variants.count == 3 / count - 1 })
  }
}
