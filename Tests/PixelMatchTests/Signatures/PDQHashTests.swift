import PixelMatch
import TestSupport
import Testing

@Suite struct PDQHashTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `hexadecimal text gives the same hash back`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let hash = PDQHash.random(using: &generator)
    #expect(hash.hex.utf8.count == 64)
    #expect(PDQHash(hex: hash.hex) == hash)
    #expect(PDQHash(hex: hash.hex.uppercased()) == hash)
  }

  @Test func `text begins with bit 255`() {
    var hash = PDQHash()
    hash[bit: 255] = true
    hash[bit: 0] = true
    #expect(hash.hex == "8" + String(repeating: "0", count: 62) + "1")
  }

  @Test(arguments: ["", "0", String(repeating: "0", count: 63), String(repeating: "g", count: 64)])
  func `other text is no hash`(text: String) {
    #expect(PDQHash(hex: text) == nil)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the distance counts the bits that were flipped`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let hash = PDQHash.random(using: &generator)
    var other = hash
    let flips = Set((0..<40).map { _ in Int.random(in: 0..<256, using: &generator) })
    for bit in flips { other[bit: bit].toggle() }
    #expect(hash.hammingDistance(to: other) == flips.count)
    #expect(other.hammingDistance(to: hash) == flips.count)
    #expect(hash.hammingDistance(to: hash) == 0)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the distance obeys the triangle inequality`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (a, b, c) = (
      PDQHash.random(using: &generator), PDQHash.random(using: &generator),
      PDQHash.random(using: &generator)
    )
    #expect(a.hammingDistance(to: c) <= a.hammingDistance(to: b) + b.hammingDistance(to: c))
  }
}
