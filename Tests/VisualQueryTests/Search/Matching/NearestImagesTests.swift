import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct NearestImagesTests {
  /// Returns the support of the entities of some images, of which each has a score.
  private func support(_ images: [(key: UInt32, score: Double)]) -> [UInt32: ImageSupport] {
    var nearest = NearestImages()
    for image in images { nearest.add(image.key, score: image.score) }
    return nearest.support()
  }

  /// Strangers with one image each, whose scores fall by 0.5 from a highest one.
  private func strangers(_ count: Int, from score: Double) -> [(key: UInt32, score: Double)] {
    (0..<count).map { (1000 + UInt32($0), score - 0.5 * Double($0)) }
  }

  /// Would break if the image that an entity's own evidence is of spoke for it a second time, or chance did.
  @Test func `the other images among the nearest speak for an entity`() throws {
    let own = (0..<5).map { (key: UInt32(1), score: 20 - Double($0)) }
    let found = support(own + strangers(95, from: 19))
    #expect(found.keys.sorted() == [1])
    // Four of the 19 nearest other images are of this entity. By chance, it would be 4 of all 99 others.
    let chance = 4.0 / 99
    let share = try #require(found[1]?.share)
    #expect(abs(share - (4.0 / 19 - chance) / (1 - chance)) < 1e-12)
    #expect(abs(found[1]!.limit - 4.0 / 19 * (1 - chance)) < 1e-12)
  }

  /// Would break if the number of an entity's images were taken for likeness.
  @Test func `images that are not near say nothing`() {
    let own = [(key: UInt32(1), score: 20.0)] + (0..<30).map { (UInt32(1), -Double($0)) }
    let found = support(own + strangers(70, from: 40))
    #expect(found[1]?.share == 0)
    #expect(found[1]!.limit > 0.5)
  }

  /// Would break if the only entity of a catalogue were sure of whatever is asked.
  @Test func `a catalogue without strangers has no support`() {
    let alone = support((0..<40).map { (1, Double($0)) })
    #expect(alone[1] == ImageSupport(share: 0, limit: 0))
    // Of few images, all are among the nearest.
    #expect(support((0..<20).map { (UInt32($0 % 2), Double($0)) }).isEmpty)
    #expect(support(strangers(50, from: 9)).isEmpty && support([]).isEmpty)
  }

  /// Would break if a feed that names an image several times made its product likelier.
  @Test func `copies of an image say nothing`() {
    let images = strangers(60, from: 20) + [(key: 1, score: 25)]
    #expect(support(images + Array(repeating: (1, 25), count: 10))[1]?.share == 0)
    #expect(support(Array(repeating: (1, 25), count: 40)).isEmpty)
  }

  /// Would break if two images that change places at the end of the nearest changed a confidence by a step.
  @Test(arguments: [-0.1, -0.001, 0, 0.001, 0.1])
  func `support is steady where an image becomes one of the nearest`(step: Double) throws {
    let others = strangers(60, from: 20)
    // The twentieth stranger has 10.5, the twenty-first 10.
    let images = others + [(key: 1, score: 25), (key: 1, score: 11 + step)]
    let edge = support(others + [(key: 1, score: 25), (key: 1, score: 11)])[1]!.share
    #expect(abs(support(images)[1]!.share - edge) <= abs(step) * 0.3)
  }

  /// Would break if the order in which images are compared, which is that of a hash table, had a say.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the order of the images does not matter`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let images = (0..<Int.random(in: 1...90, using: &generator)).map { _ in
      (
        key: UInt32.random(in: 0..<12, using: &generator),
        score: Double(Int.random(in: 0..<30, using: &generator)) / 4
      )
    }
    let found = support(images)
    #expect(found == support(images.shuffled(using: &generator)))
    #expect(
      found.values.allSatisfy { (0...1).contains($0.share) && (0...1).contains($0.limit) })
    // An entity never loses support when its images come nearer.
    let key = images[0].key
    let nearer = images.map { $0.key == key ? (key: $0.key, score: $0.score + 1) : $0 }
    #expect((support(nearer)[key]?.share ?? 0) >= (found[key]?.share ?? 0) - 1e-9)
  }
}
