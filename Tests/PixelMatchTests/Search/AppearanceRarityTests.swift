import TestSupport
import Testing
@testable import PixelMatch

@Suite struct AppearanceRarityTests {
  private func histogram(_ bins: [Int: UInt8]) -> ColorHistogram {
    ColorHistogram(bins: (0..<ColorHistogram.binCount).map { bins[$0] ?? 0 })
  }

  /// Would break if every bin counted alike, as in a plain sum of differences.
  @Test func `a rare color that is shared says more than a common one`() throws {
    var generator = SeededGenerator(seed: 1)
    var writer = SegmentWriter()
    for row in 0..<200 {
      let random = Signature.random(using: &generator)
      writer.append(
        Signature(
          width: 9, height: 9, pdq: random.pdq, pdqQuality: 9, color: histogram([3: 200]),
          layout: random.layout, texture: random.texture, keypoints: .empty), key: UInt32(row))
    }
    let live = LiveSegment(try SignatureSegment(bytes: writer.encoded()))
    let rarity = AppearanceRarity([live])
    let query = histogram([3: 100, 90: 100])
    let common = histogram([3: 100])
    let rare = histogram([90: 100])
    #expect(rarity.similarity(query, rare) > rarity.similarity(query, common) + 0.1)
    let plain = AppearanceRarity([])
    #expect(plain.similarity(query, rare) == plain.similarity(query, common))
    #expect(rarity.similarity(query, query) == 1)
  }
}
