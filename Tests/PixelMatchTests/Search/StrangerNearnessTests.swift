import TestSupport
import Testing
@testable import PixelMatch

/// How near vectors come to those of other things.
@Suite struct StrangerNearnessTests {
  private static let (dimensions, things) = (64, 40)

  private static func vector(_ generator: inout SeededGenerator) -> [Float] {
    (0..<dimensions).map { _ in
      (0..<12).reduce(Float(-6)) { sum, _ in sum + .random(in: 0..<1, using: &generator) }
    }
  }

  private static func embedding(_ vector: [Float]) throws -> ImageEmbedding {
    try ImageEmbedding(model: "m", vector: vector)
  }

  /// Returns the vectors of some things with several images each.
  private static func shop(
    images: Int, noise: Float, _ generator: inout SeededGenerator
  ) throws -> [(thing: Int, vector: ImageEmbedding)] {
    try (0..<things).flatMap { thing in
      let own = vector(&generator)
      return try (0..<images).map { _ in
        (thing, try embedding(zip(own, vector(&generator)).map { $0 + noise * $1 }))
      }
    }
  }

  /// Would break if the images of one thing counted as strangers, or if any stranger spoke.
  @Test(arguments: [1, 3])
  func `only what is nearer than strangers speaks`(images: Int) throws {
    var generator = SeededGenerator(seed: 5)
    let shop = try Self.shop(images: images, noise: 0.2, &generator)
    let nearness = try #require(
      StrangerNearness(of: shop, among: shop.count, shouldStop: { false }))
    // The nearest of forty directions is some two deviations nearer than their mean.
    #expect((1.5...3).contains(nearness.location))
    #expect(nearness.say(nearness.location) == 0)
    #expect(nearness.say(nearness.location + 20 * nearness.scale) == nearness.say(100))
    #expect(nearness.say(100) > 4)
  }

  /// Would break if a model that cannot tell a few things apart were believed, or if more things did not bring nearer strangers.
  @Test func `strangers that are alike, and many of them, come nearer`() throws {
    var generator = SeededGenerator(seed: 6)
    let shop = try Self.shop(images: 1, noise: 0.2, &generator)
    let plain = try #require(StrangerNearness(of: shop, among: 40, shouldStop: { false }))
    // Each thing has a twin.
    let twins: [(thing: Int, vector: ImageEmbedding)] = shop.indices.map { index in
      let place = index - index % 4 + index % 2
      return (index, shop[place].vector)
    }
    let alike = try #require(StrangerNearness(of: twins, among: 40, shouldStop: { false }))
    let many = try #require(StrangerNearness(of: shop, among: 40_000, shouldStop: { false }))
    #expect(alike.location > plain.location + 1)
    let near = plain.location + 7 * plain.scale
    #expect(plain.say(near) > 1 && alike.say(near) == 0)
    #expect(many.location > plain.location && many.scale == plain.scale)
  }

  /// Would break if a handful of things were a measure, or equal vectors divided by zero.
  @Test func `too few things, and equal vectors, tell nothing`() throws {
    var generator = SeededGenerator(seed: 7)
    let shop = try Self.shop(images: 1, noise: 0, &generator)
    func nearness(_ vectors: [(thing: Int, vector: ImageEmbedding)]) -> StrangerNearness? {
      StrangerNearness(of: vectors, among: vectors.count, shouldStop: { false })
    }
    #expect(nearness([]) == nil)
    #expect(nearness(Array(shop.prefix(15))) == nil)
    #expect(nearness(shop.map { (1, $0.vector) }) == nil)
    #expect(nearness(shop.indices.map { ($0, shop[0].vector) }) == nil)
    #expect(StrangerNearness(of: shop, among: 40, shouldStop: { true }) == nil)
  }
}
