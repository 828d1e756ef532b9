import TestSupport
import Testing
@testable import PixelMatch

@Suite struct SegmentMergerTests {
  /// Would break if a merged segment found other images than a segment that is written at once.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `merging gives the bytes of writing the live rows at once`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (sources, whole): ([LiveSegment], SegmentWriter) = ([], SegmentWriter())
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      var own = SegmentWriter()
      var dead: [Int] = []
      // Sizes far apart have words of different lengths, and a source may lose nearly all rows.
      let share = Int.random(in: 0...9, using: &generator)
      for row in 0..<[0, 1, 9, 70, 300].randomElement(using: &generator)! {
        let signature = Signature.random(using: &generator)
        let (key, tag) = (UInt32(row), UInt32.random(in: 0...9, using: &generator))
        own.append(signature, key: key, tag: tag, filterBits: 1 << UInt64(row % 64))
        if Int.random(in: 0...9, using: &generator) < share {
          dead.append(row)
        } else {
          whole.append(signature, key: key, tag: tag, filterBits: 1 << UInt64(row % 64))
        }
      }
      sources.append(LiveSegment(try SignatureSegment(bytes: own.encoded()), deadRows: dead))
    }
    let merger = try SegmentMerger(sources)
    var bytes: [UInt8] = []
    let byteCount = try merger.write { part, offset throws(SegmentError) in
      let missing = offset + part.count - bytes.count
      if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
      bytes.replaceSubrange(offset..<offset + part.count, with: part)
    }
    #expect(byteCount == bytes.count && merger.rowCount == whole.count)
    #expect(bytes == whole.encoded())
  }

  /// Damage must not be copied under checksums that are right.
  @Test func `a damaged source is refused`() throws {
    var generator = SeededGenerator(seed: 1)
    var writer = SegmentWriter()
    for row in 0..<20 { writer.append(.random(using: &generator), key: UInt32(row)) }
    var bytes = writer.encoded()
    bytes[bytes.count / 2] ^= 1
    let damaged = LiveSegment(try SignatureSegment(bytes: bytes))
    let error = #expect(throws: SegmentError.self) { try SegmentMerger([damaged]) }
    #expect(error?.code == .corrupt)
  }
}
