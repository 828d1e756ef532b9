import TestSupport
import Testing
@testable import PixelMatch

@Suite struct QuerySignatureCodingTests {
  private func signature() throws -> QuerySignature {
    let bytes = try ImageDecoder().contents(ofFile: SampleShop.image("oats.jpg"))
    return QuerySignature(try ImageDecoder().decode(bytes, longerSide: QuerySignature.workingSide))
  }

  @Test func `the compact form keeps all but the corners`() throws {
    let whole = try signature()
    let bytes = whole.compactBytes
    #expect(bytes.count == 200 + 553 * whole.views.count)
    let read = try QuerySignature(compactBytes: bytes)
    #expect(read.compactBytes == bytes)
    #expect(read.size == whole.size && read.keypoints.count == 0)
    for (own, other) in zip(read.views, whole.views) {
      #expect(own.variants == other.variants && own.pdqQuality == other.pdqQuality)
      #expect(own.color == other.color && own.texture == other.texture)
      #expect(own.origin == other.origin && own.size == other.size)
    }
    #expect(read.views[0].layout == whole.views[0].layout)
  }

  /// A client's bytes are as untrusted as an attacker's: they give an error or a signature that
  /// works.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `no bytes do harm`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = Self.good
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
        in: 0...255, using: &generator)
    }
    if seed % 3 == 0 { bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator)) }
    if seed % 7 == 0 { bytes[3] = UInt8.random(in: 0...255, using: &generator) }
    guard let read = try? QuerySignature(compactBytes: bytes) else { return }
    #expect(read.size.x <= Signature.workingSide && read.size.y <= Signature.workingSide)
    _ = AlignedColor(read).residual(
      of: read.views[0].layout, size: (read.size.x, read.size.y),
      under: PlaneTransform(matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1]))
  }

  private static let good: [UInt8] = {
    var generator = SeededGenerator(seed: 1)
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Signature.version)
    bytes += [1, 1]
    for _ in 0..<2 { bytes.append(littleEndian: UInt16(200)) }
    bytes += (0..<192).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for number in [0, 0, 200, 200] as [UInt16] { bytes.append(littleEndian: number) }
    bytes.append(90)
    bytes += (0..<544).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return bytes
  }()
}
