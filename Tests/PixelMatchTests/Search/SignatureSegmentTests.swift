import Foundation
@testable import PixelMatch
import TestSupport
import Testing

@Suite struct SignatureSegmentTests {
  private func bytes(rows: Int, seed: UInt64 = 1) -> (signatures: [Signature], bytes: [UInt8]) {
    var generator = SeededGenerator(seed: seed)
    var writer = SegmentWriter()
    let signatures = (0..<rows).map { _ in Signature.random(using: &generator) }
    for (row, signature) in signatures.enumerated() {
      writer.append(
        signature, key: UInt32(row * 7), tag: UInt32(row), filterBits: UInt64(row) << 40)
    }
    return (signatures, writer.encoded())
  }

  @Test(arguments: [0, 1, 7, 8, 9, 100])
  func `every row comes back as it was written`(rows: Int) throws {
    let (signatures, bytes) = bytes(rows: rows)
    let segment = try SignatureSegment(bytes: bytes)
    try segment.verify()
    #expect(segment.count == rows)
    for row in 0..<rows {
      #expect(segment.signature(at: row) == signatures[row])
      #expect(segment.key(at: row) == UInt32(row * 7))
      #expect(segment.tag(at: row) == UInt32(row))
      #expect(segment.filterBits(at: row) == UInt64(row) << 40)
    }
  }

  @Test func `a mapped file reads like the bytes, even after it is removed`() throws {
    let (signatures, bytes) = bytes(rows: 20)
    let path = NSTemporaryDirectory() + "segment-\(UUID().uuidString)"
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    let segment = try SignatureSegment(path: path)
    try FileManager.default.removeItem(atPath: path)
    #expect(segment.signature(at: 19) == signatures[19])
    try segment.verify()
  }

  @Test func `a file that is not there is missing`() {
    let error = #expect(throws: SegmentError.self) {
      try SignatureSegment(path: "/no/such/segment")
    }
    #expect(error?.code == .missing)
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    let name: String
    let code: SegmentError.Code
    let apply: @Sendable (inout [UInt8]) -> Void
    var testDescription: String { name }

    /// Writes a number into the header and updates its checksum.
    static func header(_ bytes: inout [UInt8], at offset: Int, _ value: UInt64, bytes width: Int) {
      for place in 0..<width { bytes[offset + place] = UInt8(value >> UInt64(8 * place) & 255) }
      let sum = SegmentLayout.checksum(bytes.span.extracting(0..<SegmentLayout.checksumOffset))
      for place in 0..<8 {
        bytes[SegmentLayout.checksumOffset + place] = UInt8(sum >> UInt64(8 * place) & 255)
      }
    }
  }

  @Test(arguments: [
    Damage(name: "empty", code: .notASegment) { $0 = [] },
    Damage(name: "text", code: .notASegment) { $0 = Array("hello, world".utf8) },
    Damage(name: "header cut", code: .truncated) { $0.removeLast($0.count - 2000) },
    Damage(name: "last byte cut", code: .truncated) { $0.removeLast() },
    Damage(name: "a bit of the header", code: .corrupt) { $0[20] ^= 1 },
    Damage(name: "format", code: .otherFormatVersion) { Damage.header(&$0, at: 8, 7, bytes: 4) },
    Damage(name: "signatures", code: .otherSignatureVersion) {
      Damage.header(&$0, at: 12, 99, bytes: 4)
    },
    Damage(name: "far too many rows", code: .corrupt) {
      Damage.header(&$0, at: 16, .max, bytes: 8)
    },
    Damage(name: "more rows than there are", code: .truncated) {
      Damage.header(&$0, at: 16, 5000, bytes: 8)
    },
    Damage(name: "columns", code: .corrupt) { Damage.header(&$0, at: 24, 3, bytes: 8) },
    Damage(name: "blocks", code: .corrupt) { Damage.header(&$0, at: 32, 1 << 60, bytes: 8) },
    Damage(name: "keypoints", code: .corrupt) { Damage.header(&$0, at: 40, 1 << 60, bytes: 8) },
    Damage(name: "embeddings of an older format", code: .corrupt) {
      Damage.header(&$0, at: 8, 4, bytes: 4)
    },
    Damage(name: "sums in an older format", code: .corrupt) {
      Damage.header(&$0, at: 8, 3, bytes: 4)
    },
    Damage(name: "an offset", code: .corrupt) { Damage.header(&$0, at: 56, 1 << 60, bytes: 8) },
    Damage(name: "a length", code: .corrupt) { Damage.header(&$0, at: 64, 1 << 60, bytes: 8) },
  ])
  func `a damaged segment is refused when it is opened`(damage: Damage) {
    var bytes = bytes(rows: 10).bytes
    damage.apply(&bytes)
    let damaged = bytes
    let error = #expect(throws: SegmentError.self) { try SignatureSegment(bytes: damaged) }
    #expect(error?.code == damage.code)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a flipped bit in a column is found by verify`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (signatures, clean) = bytes(rows: 40)
    var bytes = clean
    let size = SegmentLayout.Size(
      rows: 40, blocks: signatures.reduce(0) { $0 + ($1.keypoints.count + 7) / 8 },
      keypoints: signatures.reduce(0) { $0 + $1.keypoints.count })
    let (offsets, _) = SegmentLayout.offsets(size)
    let column = size.columns.randomElement(using: &generator)!
    let place = Int.random(in: 0..<column.byteCount(size), using: &generator)
    bytes[offsets[column]! + place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    let segment = try SignatureSegment(bytes: bytes)
    let error = #expect(throws: SegmentError.self) { try segment.verify() }
    #expect(error?.code == .corrupt)
  }
}
