import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopBase
@testable import ShopIndex
@testable import ShopStore
import VisualQuery

/// Segments that were damaged before the catalogue was opened: no search gives another answer.
@Suite struct DamagedSegmentTests {
  private static let pool = WorkerPool(width: 2)

  private static func shop() async throws -> DrawnShop {
    let shop = try DrawnShop()
    for number in 0..<24 { try shop.draw("p\(number).jpg", seed: UInt64(number)) }
    try await shop.run((0..<24).map { DrawnShop.row("p\($0)") })
    return shop
  }

  private static func segment(of shop: DrawnShop) throws -> String {
    let files = try FileManager.default.contentsOfDirectory(atPath: shop.index)
    return shop.index + "/" + (try #require(files.first { $0.hasSuffix(".segment") }))
  }

  /// The part of answers that damage could change.
  private static func answers(in catalogue: Catalogue) async throws -> [[String]] {
    var answers: [[String]] = []
    for seed in [0, 7, 13, 90] as [UInt64] {
      let content = SemanticContent(
        pixelBuffer: SyntheticPicture.scene(width: 112, height: 96, seed: seed))
      let answer = try await Matcher(unhurried: catalogue, pool: pool).values(
        for: content, options: MatchOptions(minimumConfidence: 0, timeout: nil))
      answers.append(
        (answer.matches + answer.possible).map { "\($0.value.id) \($0.confidence) \($0.evidence)" })
    }
    return answers
  }

  /// Flips a bit, exchanges two pages, or cuts the end off.
  private static func damaged(_ bytes: [UInt8], seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes = bytes
    let pages = bytes.count / 4096
    switch seed % 6 {
    case 0:
      bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
    case 1, 2:
      let one = Int.random(in: 0..<pages, using: &generator) * 4096
      let other = Int.random(in: 0..<pages, using: &generator) * 4096
      for place in 0..<4096 { bytes.swapAt(one + place, other + place) }
    default:
      bytes[Int.random(in: bytes.indices, using: &generator)] ^=
        1 << UInt8.random(in: 0..<8, using: &generator)
    }
    return bytes
  }

  @Test func `a damaged segment gives the same answers or an error`() async throws {
    let shop = try await Self.shop()
    let path = try Self.segment(of: shop)
    let clean = Array(try #require(FileManager.default.contents(atPath: path)))
    let expected = try await Self.answers(in: Catalogue(directory: shop.index))
    #expect(expected.contains { !$0.isEmpty })
    var errors = 0
    for seed in 0..<60 as Range<UInt64> {
      try Data(Self.damaged(clean, seed: seed)).write(to: URL(fileURLWithPath: path))
      do {
        let answers = try await Self.answers(in: Catalogue(directory: shop.index))
        #expect(answers == expected, "seed \(seed)")
      } catch let error as CatalogueError {
        #expect(error.code == .corrupt || error.code == .truncated, "seed \(seed): \(error)")
        #expect(error.file == (path as NSString).lastPathComponent)
        errors += 1
      }
    }
    #expect(errors > 5)
  }

  /// Would break if damage that no search meets were never found, or if a catalogue were given out afterwards.
  @Test func `what the check in the background finds is told at the next question`() async throws {
    let shop = try await Self.shop()
    let path = try Self.segment(of: shop)
    let clean = Array(try #require(FileManager.default.contents(atPath: path)))
    var bytes = clean
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let current = try CurrentCatalogue(directory: shop.index)
    try current.catalogue().verifySegments(where: { !$0.wasVerified }) { _ in true }
    let error = #expect(throws: CatalogueError.self) { try current.catalogue() }
    #expect(error?.code == .corrupt && error?.generation != nil)
    try Data(clean).write(to: URL(fileURLWithPath: path))
    let restored = try current.catalogue()
    restored.verifySegments(where: { !$0.wasVerified }) { _ in true }
    #expect(try current.catalogue().files.values.allSatisfy(\.wasVerified))
  }

  /// Would break if each change of an entity made searches compare all pages again.
  @Test func `the next generation keeps the segments that it shares with the one before`()
    async throws
  {
    let shop = try await Self.shop()
    let current = try CurrentCatalogue(directory: shop.index)
    let first = try current.catalogue()
    try shop.draw("new.jpg", seed: 77)
    try await shop.run((0..<24).map { DrawnShop.row("p\($0)") } + [DrawnShop.row("new")])
    let second = try current.catalogue()
    #expect(second.generation > first.generation && second.files.count > first.files.count)
    for (name, segment) in first.files { #expect(second.files[name] === segment) }
  }

  /// Would break if the segments of an earlier version stayed without seals.
  @Test func `compaction adds the seals that an earlier version did not write`() async throws {
    let shop = try await Self.shop()
    let path = try Self.segment(of: shop)
    let upkeep = CatalogueUpkeep(directory: shop.index)
    #expect(try await upkeep.unsealedSegments() == [])
    try await Self.removeSeals(of: path, in: shop)
    #expect(try await upkeep.unsealedSegments() == [(path as NSString).lastPathComponent])
    #expect(try await upkeep.verify() == [])
    let expected = try await Self.answers(in: Catalogue(directory: shop.index))
    _ = try await upkeep.compact()
    #expect(try await upkeep.unsealedSegments() == [])
    #expect(try await upkeep.verify() == [])
    #expect(try await Self.answers(in: Catalogue(directory: shop.index)) == expected)
  }

  /// Replaces a segment by what an earlier version would have written.
  private static func removeSeals(of path: String, in shop: DrawnShop) async throws {
    let segment = try SignatureSegment(path: path)
    var writer = SegmentWriter()
    for row in 0..<segment.count {
      writer.append(
        segment.signature(at: row), key: segment.key(at: row), tag: segment.tag(at: row),
        filterBits: segment.filterBits(at: row))
    }
    let bytes = writer.encoded(isSealed: false)
    try FileManager.default.removeItem(atPath: path)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let database = try CatalogueConnection(
      path: shop.index + "/" + CatalogueDatabase.fileName, mode: .write)
    try database.execute("UPDATE segments SET byteCount = \(bytes.count)")
  }
}
