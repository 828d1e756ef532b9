import TestSupport
import Testing
@testable import PixelMatch

@Suite struct ImageEmbeddingTests {
  private static func normal(_ count: Int, _ generator: inout SeededGenerator) -> [Float] {
    (0..<count).map { _ in
      (0..<12).reduce(Float(-6)) { sum, _ in sum + .random(in: 0..<1, using: &generator) }
    }
  }

  private static func cosine(_ a: [Float], _ b: [Float]) -> Double {
    func dot(_ a: [Float], _ b: [Float]) -> Double {
      zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) }
    }
    return dot(a, b) / (dot(a, a) * dot(b, b)).squareRoot()
  }

  /// Would break if components were lost, mixed up or rounded too coarsely.
  @Test(arguments: [2, 7, 128, 511, 512])
  func `short vectors keep their angles`(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    for _ in 0..<20 {
      let (a, b) = (Self.normal(count, &generator), Self.normal(count, &generator))
      let (first, second) = (
        try ImageEmbedding(model: "m", vector: a), try ImageEmbedding(model: "m", vector: b)
      )
      #expect(first.components.count == count)
      let found = try #require(first.similarity(to: second))
      #expect(abs(found - Self.cosine(a, b)) < 0.015)
    }
  }

  /// A projection onto *k* dimensions is off by some 1/√k = 0.044; would break if it were no projection, or if it kept
  /// only a part of the vector.
  @Test(arguments: [513, 768, 1280, 2048, 4096])
  func `long vectors nearly keep their angles`(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    var errors: [Double] = []
    for _ in 0..<60 {
      let a = Self.normal(count, &generator)
      // Features after a rectifier have many zeros, and the last ones count as much as the first.
      let noise = Self.normal(count, &generator)
      let share = Float.random(in: 0...2, using: &generator)
      let b = zip(a, noise).enumerated().map { index, pair in
        index % 3 == 0 ? 0 : max(0, pair.0 + share * pair.1)
      }
      let (first, second) = (
        try ImageEmbedding(model: "m", vector: a), try ImageEmbedding(model: "m", vector: b)
      )
      #expect(first.components.count == 512)
      errors.append(abs(try #require(first.similarity(to: second)) - Self.cosine(a, b)))
    }
    #expect(errors.reduce(0, +) / Double(errors.count) < 0.05)
    #expect(errors.max()! < 0.2)
  }

  @Test func `a vector of another length or scale is the same`() throws {
    let vector: [Float] = [1, -2, 3.5, 0]
    let one = try ImageEmbedding(model: "m", vector: vector)
    #expect(one.components == [36, -73, 127, 0])
    #expect(try ImageEmbedding(model: "m", vector: vector.map { $0 * 1e-30 }) == one)
    #expect(try ImageEmbedding(model: "m", vector: vector.map { $0 * 1e30 }) == one)
    #expect(one.similarity(to: one) == 1)
  }

  @Test func `embeddings of other models cannot be compared`() throws {
    let one = try ImageEmbedding(model: "m", vector: [1, 2, 3])
    #expect(one.similarity(to: try ImageEmbedding(model: "n", vector: [1, 2, 3])) == nil)
    #expect(one.similarity(to: try ImageEmbedding(model: "m", vector: [1, 2])) == nil)
  }

  /// Vectors of the reference, <https://datatracker.ietf.org/doc/html/rfc9923>, appendix A.
  @Test(arguments: [
    ("a", 0xaf63_dc4c_8601_ec8c as UInt64), ("foobar", 0x8594_4171_f739_67e8),
  ])
  func `names are hashed as the reference says`(name: String, hash: UInt64) {
    #expect(ImageEmbedding.fingerprint(of: name) == hash)
  }

  @Test(arguments: [
    ("", [1, 2], EmbeddingError.Code.invalidModel),
    (String(repeating: "é", count: 201), [1, 2], .invalidModel),
    ("m", [], .wrongDimensions), ("m", [1], .wrongDimensions),
    ("m", [Float](repeating: 1, count: 4097), .wrongDimensions),
    ("m", [1, .nan], .invalidVector), ("m", [1, .infinity], .invalidVector),
    ("m", [0, 0, 0], .invalidVector),
  ])
  func `what is no embedding is refused`(
    model: String, vector: [Float], code: EmbeddingError.Code
  ) {
    let error = #expect(throws: EmbeddingError.self) {
      try ImageEmbedding(model: model, vector: vector)
    }
    #expect(error?.code == code)
  }

  /// The signs and rows of the projection can be found out by asking, and a vector can be made of one of the rows that are
  /// left out. Would break if such a vector stopped the program.
  @Test func `a vector that the projection takes to zero is refused`() throws {
    let count = 1024
    let columns = try (0..<count).map { place in
      try ImageEmbedding(
        model: "m", vector: (0..<count).map { $0 == place ? 1 : 0 }
      ).components.map { $0 > 0 }
    }
    // Relative to the row of the first component, whose signs are then those of the columns.
    let signs = columns.map { $0[0] }
    let rows = Set(
      (0..<ImageEmbedding.componentLimit).map { component in
        (0..<10).reduce(0) { row, bit in
          let place = 1 << bit
          return columns[place][component] == signs[place] ? row : row | place
        }
      })
    #expect(rows.count == ImageEmbedding.componentLimit)
    let missing = try #require((0..<count).first { !rows.contains($0) })
    let vector = signs.enumerated().map { place, sign -> Float in
      ((place & missing).nonzeroBitCount % 2 == 0) == sign ? 1 : -1
    }
    let error = #expect(throws: EmbeddingError.self) {
      try ImageEmbedding(model: "m", vector: vector)
    }
    #expect(error?.code == .invalidVector)
  }

  @Test(arguments: [2, 8, 9, 512])
  func `the stored form is read again`(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let embedding = try ImageEmbedding(model: "m", vector: Self.normal(count, &generator))
    let stored = embedding.stored
    #expect(stored.count == embedding.storedByteCount && stored.count % 8 == 0)
    #expect(ImageEmbedding(stored: stored) == embedding)
    #expect(ImageEmbedding(stored: stored + [0, 0]) == embedding)
    #expect(ImageEmbedding(stored: Array(stored.prefix(16))) == nil)
    #expect(ImageEmbedding(stored: [UInt8](repeating: 0, count: stored.count)) == nil)
  }

  // MARK: Contrast

  private func segment(_ embeddings: [ImageEmbedding?]) throws -> LiveSegment {
    var generator = SeededGenerator(seed: 1)
    var writer = SegmentWriter()
    for (row, embedding) in embeddings.enumerated() {
      var signature = Signature.random(using: &generator, hasKeypoints: false)
      signature.embedding = embedding
      writer.append(signature, key: UInt32(row))
    }
    return LiveSegment(try SignatureSegment(bytes: writer.encoded()))
  }

  /// Would break if a model whose vectors are all alike made everything stand out.
  @Test(arguments: [0, 3] as [Float])
  func `what stands out is measured against the catalogue`(common: Float) throws {
    var generator = SeededGenerator(seed: 5)
    func drawn() throws -> ImageEmbedding {
      try ImageEmbedding(
        model: "m", vector: Self.normal(64, &generator).map { $0 + common })
    }
    let others = try (0..<200).map { _ in try drawn() }
    let query = try drawn()
    let halves = try [segment(Array(others[..<90])), segment(Array(others[90...]))]
    let contrast = try #require(EmbeddingContrast(query, in: halves))
    #expect(contrast.distinction(of: query) == EmbeddingContrast.limit)
    let standing = others.map { contrast.distinction(of: $0) }
    #expect(standing.allSatisfy { (0..<4).contains($0) })
    #expect(standing.count { $0 > 2 } < 15 && standing.count { $0 == 0 } > 60)
    #expect(contrast.distinction(of: nil) == 0)
  }

  @Test func `a few embeddings say nothing of what is usual`() throws {
    var generator = SeededGenerator(seed: 6)
    func drawn(_ model: String) throws -> ImageEmbedding {
      try ImageEmbedding(model: model, vector: Self.normal(16, &generator))
    }
    let query = try drawn("m")
    let few = try (0..<15).map { _ in try drawn("m") }
    let other = try (0..<50).map { _ in try drawn("n") }
    #expect(EmbeddingContrast(query, in: []) == nil)
    #expect(EmbeddingContrast(query, in: [try segment(few + other)]) == nil)
    #expect(EmbeddingContrast(query, in: [try segment(few + [query] + other)]) != nil)
    let same = [ImageEmbedding](repeating: query, count: 40)
    #expect(EmbeddingContrast(query, in: [try segment(same)]) == nil)
  }
}
