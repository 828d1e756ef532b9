import Foundation
import TestSupport
import Testing
@testable import PixelMatch

@Suite struct KeypointVotesTests {
  private static let scenes = (0..<12 as Range<UInt64>).map {
    SyntheticPicture.scene(width: 360, height: 300, seed: 50 + $0)
  }

  private static let bytes: [UInt8] = {
    var writer = SegmentWriter()
    for (row, scene) in scenes.enumerated() { writer.append(Signature(scene), key: UInt32(row)) }
    return writer.encoded()
  }()

  /// Votes must find the image of a crop without its hash or color.
  @Test(arguments: 0..<12)
  func `a crop votes for its picture most`(row: Int) throws {
    let segment = try SignatureSegment(bytes: Self.bytes)
    let crop = Self.scenes[row].cropped(x: 90..<270, y: 60..<240)
    let votes = KeypointVotes(QuerySignature(crop).keypoints).rows(
      in: LiveSegment(segment), limit: 5)
    #expect(votes.first?.row == row && votes.first?.isMirrored == false)
    let mirrored = SyntheticPicture.warped(crop, width: 180, height: 180) { x, y in
      SIMD2(180 - x, y)
    }
    let others = KeypointVotes(QuerySignature(mirrored).keypoints).rows(
      in: LiveSegment(segment), limit: 5)
    #expect(others.first?.row == row && others.first?.isMirrored == true)
  }

  /// Would break if the rows of a size chart that all products have left no room for the one product beside it, or if those that remain were
  /// those of a few products.
  @Test func `many rows of one image leave room for others`() throws {
    let (chart, thing) = (Self.scenes[0], Self.scenes[1].cropped(x: 90..<250, y: 60..<220))
    var writer = SegmentWriter()
    for row in 0..<30 { writer.append(Signature(chart), key: UInt32(row)) }
    writer.append(Signature(Self.scenes[1]), key: 30)
    let segment = try SignatureSegment(bytes: writer.encoded())
    var pixels = [UInt8](repeating: 255, count: 4 * 560 * 300)
    for (image, left) in [(chart, 0), (thing, 380)] {
      let own = SyntheticPicture.rgba(image)
      for row in 0..<image.height {
        let start = 4 * (row * 560 + left)
        pixels.replaceSubrange(
          start..<start + 4 * image.width,
          with: own[4 * row * image.width..<4 * (row + 1) * image.width])
      }
    }
    let votes = KeypointVotes(
      QuerySignature(SyntheticPicture.picture(pixels, 560, 300)).keypoints)
    let rows = votes.rows(in: LiveSegment(segment), limit: 12).map(\.row)
    #expect(rows.contains(30), "\(rows)")
    let copies = rows.filter { $0 < 30 }
    #expect(copies.count == 8 && copies.contains { $0 >= 20 }, "\(rows)")
    // Their order is that of the votes.
    #expect(rows.first.map { $0 < 30 } == true)
  }

  @Test(arguments: Kernels.supported)
  func `every kernel counts the same votes`(kernels: Kernels) throws {
    let segment = try SignatureSegment(bytes: Self.bytes)
    let query = QuerySignature(Self.scenes[3]).keypoints
    let votes = KeypointVotes(query, kernels: kernels).rows(in: LiveSegment(segment), limit: 20)
    let base = KeypointVotes(query, kernels: Kernels(level: 0))
    #expect(votes == base.rows(in: LiveSegment(segment), limit: 20))
    #expect(!votes.isEmpty)
  }

  /// Would break if reading ahead touched bytes outside of the file, or changed what is found.
  @Test func `reading ahead changes no votes`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/s.segment"
    try Data(Self.bytes).write(to: URL(fileURLWithPath: path))
    let segment = try SignatureSegment(path: path)
    #expect(!segment.isWordIndexCold)
    for scene in Self.scenes.prefix(3) {
      let votes = KeypointVotes(QuerySignature(scene).keypoints)
      let expected = votes.rows(in: LiveSegment(try SignatureSegment(bytes: Self.bytes)), limit: 9)
      votes.beginReading(segment, longest: 1000)
      #expect(votes.rows(in: LiveSegment(segment), limit: 9) == expected)
    }
    let rows = Array((0..<segment.count).reversed()) + [0]
    for part in [SignatureSegment.RowPart.appearance, .alignment] {
      segment.readAhead(part, of: rows)
      segment.beginReading(part, of: rows)
      segment.beginReading(part, of: [])
    }
    let whole = try SignatureSegment(bytes: Self.bytes)
    #expect(rows.allSatisfy { segment.signature(at: $0) == whole.signature(at: $0) })
  }

  /// Would break if a range were left out, or if many small requests were made for what lies together.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `near ranges are read together, in the order of the file`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let ranges = (0..<200).map { _ in
      let start = Int.random(in: 0..<8 << 20, using: &random)
      return start..<start + Int.random(in: 0..<100_000, using: &random)
    }
    let joined = MappedBytes.joined(ranges)
    #expect(ranges.allSatisfy { range in joined.contains { $0.contains(range) } })
    #expect(zip(joined, joined.dropFirst()).allSatisfy { $1.lowerBound - $0.upperBound > 16 << 10 })
    let ends = Set(ranges.flatMap { [$0.lowerBound, $0.upperBound] })
    #expect(joined.allSatisfy { ends.contains($0.lowerBound) && ends.contains($0.upperBound) })
    #expect(MappedBytes.joined([]).isEmpty)
  }

  /// Would break if other words were read ahead than are looked up.
  @Test(arguments: [1, 3, 5, 14, 24])
  func `a keypoint looks up the words that differ in its doubtful bits`(wordBits: Int) throws {
    var random = SeededGenerator(seed: UInt64(wordBits))
    for _ in 0..<20 {
      let hash = UInt64.random(in: 0..<1 << 56, using: &random)
      let doubts = Array((0..<24 as Range<UInt8>).shuffled(using: &random).prefix(6))
      let words = Kernels.probedWords(
        of: .init(hashes: [hash], angles: [0], doubts: doubts, isMirrored: false),
        wordBits: wordBits)
      let flipped = Self.flipped(doubts, wordBits)
      let own = UInt32(hash & (1 << UInt64(wordBits) - 1))
      let expected = (0..<1 << flipped.count).map { choice in
        flipped.enumerated().reduce(own) { word, flip in
          choice >> flip.offset & 1 == 1 ? word ^ 1 << UInt32(flip.element) : word
        }
      }
      #expect(words == expected)
    }
  }

  /// The bits that are tried both ways: the least certain ones, then the first ones.
  private static func flipped(_ doubts: [UInt8], _ bits: Int) -> [UInt8] {
    let known = doubts.filter { $0 < bits }
    return Array((known + (0..<UInt8(bits)).filter { !known.contains($0) }).prefix(5))
  }

  /// The definition in plain code: words, probes, distances, weights and turns.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `votes are those of the definition`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let signatures = (0..<Int.random(in: 1...300, using: &generator)).map { _ in
      Signature.random(using: &generator)
    }
    var writer = SegmentWriter()
    for signature in signatures { writer.append(signature, key: 0) }
    let segment = try SignatureSegment(bytes: writer.encoded())
    let query = Self.query(like: signatures, using: &generator)
    let dead = signatures.indices.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
    let limit = Int.random(in: 1...40, using: &generator)
    let found = KeypointVotes(query).rows(in: LiveSegment(segment, deadRows: dead), limit: limit)
    let expected = Self.defined(query, signatures, segment.wordBits, dead: Set(dead))
    #expect(found == Array(expected.prefix(limit)))
    #expect(!found.isEmpty || dead.count == signatures.count)
  }

  /// Keypoints of the signatures with some bits changed.
  private static func query(
    like signatures: [Signature], using generator: inout SeededGenerator
  ) -> QueryKeypoints {
    var points: [QueryKeypoints.Point] = []
    var (hashes, doubts): ([KeypointHash], [UInt8]) = ([], [])
    for _ in 0..<90 {
      let set = signatures.randomElement(using: &generator)!.keypoints
      guard let index = set.keypoints.indices.randomElement(using: &generator) else { continue }
      var hash = set.hashes[index]
      for _ in 0..<Int.random(in: 0...9, using: &generator) {
        let bit = UInt32.random(in: 0..<96, using: &generator)
        hash.words[Int(bit / 32)] ^= 1 << (bit % 32)
      }
      hashes.append(hash)
      doubts += (0..<24).shuffled(using: &generator).prefix(6)
      points.append(
        QueryKeypoints.Point(
          column: 1, row: 1, level: 0, angle: .random(in: 0...255, using: &generator),
          isFine: false, ratio: 1))
    }
    return QueryKeypoints(
      points: points,
      views: [false, true].map { .init(hashes: hashes, doubts: doubts, isMirrored: $0) })
  }

  private static func defined(
    _ query: QueryKeypoints, _ signatures: [Signature], _ bits: Int, dead: Set<Int>
  ) -> [KeypointVotes.Row] {
    struct Owner: Hashable {
      let row: Int
      let isMirrored: Bool
    }
    var lists: [Int: [(row: Int, angle: UInt8, hash: UInt64)]] = [:]
    for (row, signature) in signatures.enumerated() {
      for (keypoint, hash) in zip(signature.keypoints.keypoints, signature.keypoints.hashes) {
        lists[Int(hash.words[0]) & (1 << bits - 1), default: []]
          .append((row, keypoint.angle, hash.leadingBits >> UInt64(bits)))
      }
    }
    let keypointCount = lists.values.reduce(0) { $0 + $1.count }
    let longest = max(32, 32 * keypointCount >> bits)
    let limit = (56 - bits) * 7 / 32
    /// The best weight of each keypoint by turn.
    var weights: [Owner: [SIMD2<Int>: Int]] = [:]
    for view in query.views {
      for (number, hash) in view.hashes.enumerated() {
        let flips = flipped(Array(view.doubts[6 * number..<6 * number + 6]), bits)
        for probe in 0..<1 << flips.count {
          var word = Int(hash.words[0]) & (1 << bits - 1)
          for (place, flip) in flips.enumerated() where probe >> place & 1 == 1 {
            word ^= 1 << Int(flip)
          }
          guard let list = lists[word], list.count <= longest else { continue }
          let rarity = max(1, bits + 4 - Int(log2(Double(list.count))))
          for posting in list {
            let distance = (posting.hash ^ hash.leadingBits >> UInt64(bits)).nonzeroBitCount
            guard distance <= limit, !dead.contains(posting.row) else { continue }
            let turn = Int((posting.angle &- view.angle(of: query.points[number])) >> 4)
            let weight = rarity * (4 * limit - 3 * distance)
            let owner = Owner(row: posting.row, isMirrored: view.isMirrored)
            let known = weights[owner, default: [:]][SIMD2(turn, number)] ?? 0
            weights[owner, default: [:]][SIMD2(turn, number)] = max(known, weight)
          }
        }
      }
    }
    return weights.map { owner, counted in
      var turns = [Int](repeating: 0, count: 16)
      for (place, weight) in counted { turns[place.x] += weight }
      let most = turns.indices.map { turns[$0] + turns[($0 + 1) % 16] }.max()!
      return KeypointVotes.Row(row: owner.row, weight: most, isMirrored: owner.isMirrored)
    }.sorted {
      ($1.weight, $0.row, $0.isMirrored ? 1 : 0) < ($0.weight, $1.row, $1.isMirrored ? 1 : 0)
    }
  }

  /// Columns are not read when a segment is opened: damage there may cost votes, but nothing else.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a damaged index never traps`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = Self.bytes
    let clean = try SignatureSegment(bytes: bytes)
    // The seals of the seals are compared when a segment is opened.
    let columns = SegmentLayout.headerByteCount..<SegmentLayout.offsets(clean.size).end
    for _ in 0..<2000 {
      let place = Int.random(in: columns, using: &generator)
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    }
    let damaged = try SignatureSegment(bytes: bytes)
    let query = QuerySignature(Self.scenes[1])
    _ = KeypointVotes(query.keypoints).rows(in: LiveSegment(damaged), limit: 5)
    for row in 0..<clean.count {
      _ = GeometricCheck(query).alignment(of: row, in: damaged, isMirrored: false)
      _ = damaged.signature(at: row)
    }
  }

  @Test func `segments without a corner give no votes`() throws {
    let grey = try PixelBuffer(
      width: 60, height: 60, format: .gray8, bytes: [UInt8](repeating: 9, count: 3600))
    var writer = SegmentWriter()
    let query = QuerySignature(Self.scenes[0]).keypoints
    #expect(
      KeypointVotes(query).rows(
        in: LiveSegment(try SignatureSegment(bytes: writer.encoded())), limit: 5
      ).isEmpty
    )
    writer.append(Signature(grey), key: 1)
    let plain = try SignatureSegment(bytes: writer.encoded())
    #expect(KeypointVotes(query).rows(in: LiveSegment(plain), limit: 5).isEmpty)
    #expect(plain.isFlat(0) && QuerySignature(grey).isBlank)
    let full = try SignatureSegment(bytes: Self.bytes)
    #expect(
      KeypointVotes(QuerySignature(grey).keypoints).rows(in: LiveSegment(full), limit: 5).isEmpty)
  }
}
