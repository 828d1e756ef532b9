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

  @Test(arguments: Kernels.supported)
  func `every kernel counts the same votes`(kernels: Kernels) throws {
    let segment = try SignatureSegment(bytes: Self.bytes)
    let query = QuerySignature(Self.scenes[3]).keypoints
    let votes = KeypointVotes(query, kernels: kernels).rows(in: LiveSegment(segment), limit: 20)
    let base = KeypointVotes(query, kernels: Kernels(level: 0))
    #expect(votes == base.rows(in: LiveSegment(segment), limit: 20))
    #expect(!votes.isEmpty)
  }

  /// Columns are not read when a segment is opened: damage there may cost votes, but nothing else.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `a damaged index never traps`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = Self.bytes
    let clean = try SignatureSegment(bytes: bytes)
    for _ in 0..<2000 {
      let place = Int.random(in: SegmentLayout.headerByteCount..<bytes.count, using: &generator)
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
