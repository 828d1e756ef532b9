import TestSupport
import Testing
@testable import PixelMatch

/// The directions that tell the things of a catalogue apart.
@Suite struct EmbeddingDirectionsTests {
  private static let (dimensions, things, images) = (48, 24, 4)

  /// Draws a number around zero.
  private static func number(_ generator: inout SeededGenerator) -> Float {
    (0..<12).reduce(Float(-6)) { sum, _ in sum + .random(in: 0..<1, using: &generator) }
  }

  /// The images of each thing, and one more of each as a question. The first dimensions are of the thing, and the others, which are
  /// larger, are of the light.
  private static func shop(
    _ generator: inout SeededGenerator
  ) throws -> (things: [[ImageEmbedding]], questions: [ImageEmbedding]) {
    var (all, questions): ([[ImageEmbedding]], [ImageEmbedding]) = ([], [])
    for _ in 0..<things {
      let own = (0..<12).map { _ in number(&generator) }
      func image(_ generator: inout SeededGenerator) throws -> ImageEmbedding {
        let vector = (0..<dimensions).map {
          $0 < 12 ? own[$0] + 0.2 * number(&generator) : 3 * number(&generator)
        }
        return try ImageEmbedding(model: "m", vector: vector)
      }
      all.append(try (0..<images).map { _ in try image(&generator) })
      questions.append(try image(&generator))
    }
    return (all, questions)
  }

  private static func segment(_ embeddings: [ImageEmbedding]) throws -> LiveSegment {
    var writer = SegmentWriter()
    for (row, embedding) in embeddings.enumerated() {
      var signature = Signature(SyntheticPicture.scene(width: 64, height: 64, seed: 1))
      signature.embedding = embedding
      writer.append(signature, key: UInt32(row))
    }
    return LiveSegment(try SignatureSegment(bytes: writer.encoded()))
  }

  /// Would break if the directions were those in which one thing differs, or if they were not used.
  @Test func `fitted directions tell things apart`() throws {
    var generator = SeededGenerator(seed: 11)
    let (things, questions) = try Self.shop(&generator)
    let directions = try #require(EmbeddingDirections(things))
    let stored = things.flatMap { $0 }
    let segments = [try Self.segment(stored)]
    var right = (plain: 0, fitted: 0)
    for (thing, question) in questions.enumerated() {
      let plain = try #require(EmbeddingContrast(question, in: segments))
      let fitted = try #require(EmbeddingContrast(question, in: segments, by: directions))
      func nearest(_ contrast: EmbeddingContrast) -> Int {
        stored.indices.max {
          contrast.unlimitedDistinction(of: stored[$0])
            < contrast.unlimitedDistinction(of: stored[$1])
        }! / Self.images
      }
      right.plain += nearest(plain) == thing ? 1 : 0
      right.fitted += nearest(fitted) == thing ? 1 : 0
    }
    #expect(right.fitted >= right.plain + 4, "\(right)")
  }

  /// Would break if a stored form lost a number, or if another length, count or number were believed.
  @Test func `directions are stored and read`() throws {
    var generator = SeededGenerator(seed: 12)
    let directions = try #require(EmbeddingDirections(try Self.shop(&generator).things))
    #expect((2..<Self.things).contains(directions.count))
    let bytes = directions.stored
    #expect(EmbeddingDirections(stored: bytes) == directions)
    for length in [0, 11, 12, bytes.count - 1] {
      #expect(EmbeddingDirections(stored: Array(bytes.prefix(length))) == nil)
    }
    #expect(EmbeddingDirections(stored: bytes + [0]) == nil)
    for place in [8, 9, 10, 11] {
      var damaged = bytes
      damaged[place] = 0xFF
      #expect(EmbeddingDirections(stored: damaged) == nil, "\(place)")
    }
    var infinite = bytes
    infinite.replaceSubrange(12..<16, with: [0, 0, 0x80, 0x7F])
    #expect(EmbeddingDirections(stored: infinite) == nil)
  }

  /// Would break if a few images decided what counts, or vectors of another model were compared.
  @Test func `too few images tell nothing`() throws {
    var generator = SeededGenerator(seed: 13)
    let (things, questions) = try Self.shop(&generator)
    #expect(EmbeddingDirections([]) == nil)
    #expect(EmbeddingDirections(things.map { [$0[0]] }) == nil)
    #expect(EmbeddingDirections(Array(things.prefix(15))) == nil)
    #expect(EmbeddingDirections(things.enumerated().map { $0 < 10 ? $1 : [$1[0]] }) == nil)
    let directions = try #require(EmbeddingDirections(things))
    #expect(directions.coordinates(of: questions[0])?.count == directions.count)
    let other = try ImageEmbedding(model: "n", vector: questions[0].components.map { Float($0) })
    let short = try ImageEmbedding(model: "m", vector: [1, 2, 3])
    #expect(directions.coordinates(of: other) == nil && directions.coordinates(of: short) == nil)
    let segments = [try Self.segment(things.flatMap { $0 })]
    #expect(EmbeddingContrast(other, in: segments, by: directions) == nil)
  }
}
