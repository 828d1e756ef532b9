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
    let read = try QuerySignature(encoded: bytes)
    #expect(read.compactBytes == bytes)
    #expect(read.size == whole.size && read.keypoints.count == 0)
    for (own, other) in zip(read.views, whole.views) {
      #expect(own.variants == other.variants && own.pdqQuality == other.pdqQuality)
      #expect(own.color == other.color && own.texture == other.texture)
      #expect(own.origin == other.origin && own.size == other.size)
    }
    #expect(read.views[0].layout == whole.views[0].layout)
  }

  /// Would break if a signature that is sent gave other answers than the image.
  @Test(arguments: ["q01-mug", "q03-bottle", "q07-kettle"])
  func `the whole form keeps everything in 18 432 bytes`(name: String) throws {
    let bytes = try ImageDecoder().contents(ofFile: SampleShop.query("\(name).jpg"))
    let whole = QuerySignature(
      try ImageDecoder().decode(bytes, longerSide: QuerySignature.workingSide))
    #expect(whole.keypoints.count > 100)
    #expect(whole.encoded.count <= QuerySignature.encodedByteLimit)
    #expect(try QuerySignature(encoded: whole.encoded) == whole)
  }

  /// Noise has the most keypoints, and a frame gives it two views.
  @Test func `no image has a longer form than the limit`() throws {
    var generator = SeededGenerator(seed: 4)
    let side = 1024
    var pixels = [UInt8](repeating: 255, count: 4 * side * side)
    for y in 100..<924 {
      for x in 100..<924 {
        for channel in 0..<3 {
          pixels[4 * (y * side + x) + channel] = .random(in: 0...255, using: &generator)
        }
      }
    }
    let noise = QuerySignature(
      try PixelBuffer(width: side, height: side, format: .rgba8, bytes: pixels))
    #expect(noise.views.count == 2 && noise.keypoints.count > 390)
    #expect(noise.encoded.count <= QuerySignature.encodedByteLimit)
    // 24 kB as text.
    #expect(QuerySignature.encodedByteLimit <= 18_432)
    #expect(noise.encoded.count > QuerySignature.encodedByteLimit - 1000)
    #expect(try QuerySignature(encoded: noise.encoded) == noise)
  }

  /// Would break if the signature of a narrow image were refused: half of an odd width is rounded, so that the finer keypoints
  /// at the bottom lay below the image.
  @Test(arguments: [41, 61, 101, 151])
  func `a narrow image has a whole form, too`(width: Int) throws {
    var generator = SeededGenerator(seed: UInt64(width))
    let height = 1024
    let pixels = (0..<4 * width * height).map { index in
      index % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &generator)
    }
    let narrow = QuerySignature(
      try PixelBuffer(width: width, height: height, format: .rgba8, bytes: pixels))
    #expect(narrow.keypoints.count > 50)
    #expect(try QuerySignature(encoded: narrow.encoded) == narrow)
  }

  /// Would break if the signatures of apps that were built with an earlier version were rejected.
  @Test func `a signature without marks is read`() throws {
    let image = SyntheticPicture.scene(width: 700, height: 500, seed: 3)
    let unmarked = try #require(
      QuerySignature(image, isSent: false, shouldStop: { false }))
    #expect(unmarked.marks == nil && unmarked.encoded[2] == 2)
    #expect(try QuerySignature(encoded: unmarked.encoded) == unmarked)
    let marked = QuerySignature(image).encoded
    #expect(marked[2] == 3 && marked[3...].starts(with: unmarked.encoded[3...]))
  }

  /// A client's bytes are as untrusted as an attacker's: they give an error or a signature that
  /// works.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `no bytes do harm`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = seed % 2 == 0 ? Self.good : Self.goodWhole
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
        in: 0...255, using: &generator)
    }
    if seed % 3 == 0 { bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator)) }
    if seed % 7 == 0 { bytes[3] = UInt8.random(in: 0...255, using: &generator) }
    guard let read = try? QuerySignature(encoded: bytes) else { return }
    #expect(try QuerySignature(encoded: bytes[2] == 1 ? read.compactBytes : read.encoded) == read)
    #expect(read.size.x <= Signature.workingSide && read.size.y <= Signature.workingSide)
    _ = AlignedColor(read).residual(
      of: read.views[0].layout, size: (read.size.x, read.size.y),
      under: PlaneTransform(matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1]))
    var writer = SegmentWriter()
    writer.append(.random(using: &generator), key: 0)
    let found = PatchCheck(read)?.agreement(
      of: 0, in: try SignatureSegment(bytes: writer.encoded()),
      under: PlaneTransform(matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1]))
    #expect((0...1).contains(found?.share ?? 0))
    let known = Alignment(
      transform: PlaneTransform(matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1]), inliers: 0, visible: 0,
      isMirrored: false, claim: ImageClaim(), pairs: [])
    _ = PatchCheck(read)?.realigned(
      known, of: 0, in: try SignatureSegment(bytes: writer.encoded()))
  }

  private static let goodWhole = QuerySignature(
    SyntheticPicture.scene(width: 700, height: 500, seed: 3)
  ).encoded

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
