import PixelMatch
import TestSupport
import Testing

@Suite struct SignatureCodingTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `decoding gives the signature that was encoded`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let signature = Signature.random(using: &generator)
    let bytes = signature.encoded
    #expect(bytes.count == 1096 + 36 * signature.keypoints.count)
    #expect(bytes.count <= 8000)
    #expect(try Signature(encoded: bytes) == signature)
  }

  @Test func `fields stand where the table says`() {
    let signature = Signature(
      width: 0x0102, height: 0x0304, pdq: PDQHash(words: SIMD4(0xA1, 0, 0, 0xB200_0000_0000_0000)),
      pdqQuality: 77, color: ColorHistogram(bins: [UInt8](repeating: 5, count: 192)),
      layout: ColorLayout(bytes: [UInt8](repeating: 9, count: 768)),
      texture: TextureHistogram(bins: [UInt8](repeating: 7, count: 96)),
      keypoints: KeypointSet(
        keypoints: [Keypoint(x: 511, y: 1, level: 5, angle: 0x81)],
        hashes: [KeypointHash(words: SIMD4(0xC1, 0, 0, 0xD200_0000_0000_0000))]))
    let bytes = signature.encoded
    #expect(bytes[0..<8] == [3, 0, 77, 1, 0x02, 0x01, 0x04, 0x03])
    #expect(bytes[8] == 0xA1 && bytes[39] == 0xB2)
    #expect(bytes[40] == 5 && bytes[231] == 5 && bytes[232] == 9 && bytes[999] == 9)
    #expect(bytes[1000] == 7 && bytes[1095] == 7)
    let place = UInt32(511 | 1 << 9 | 5 << 18 | 0x81 << 21)
    #expect(bytes[1096..<1100] == [UInt8](littleEndian: place)[...])
    #expect(bytes[1100] == 0xC1 && bytes[1131] == 0xD2 && bytes.count == 1132)
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    let name: String
    let code: SignatureError.Code
    let apply: @Sendable (inout [UInt8]) -> Void
    var testDescription: String { name }
  }

  @Test(arguments: [
    Damage(name: "empty", code: .wrongLength) { $0 = [] },
    Damage(name: "short", code: .wrongLength) { $0.removeLast() },
    Damage(name: "long", code: .wrongLength) { $0.append(0) },
    Damage(name: "version", code: .otherVersion) { $0[0] = 9 },
    Damage(name: "quality", code: .corrupt) { $0[2] = 101 },
    Damage(name: "keypoints", code: .corrupt) { $0[3] = 255 },
    Damage(name: "fewer keypoints", code: .wrongLength) { $0[3] = 0 },
    Damage(name: "level", code: .corrupt) { $0[1098] |= 0x1C },
  ])
  func `damaged bytes are refused by name`(damage: Damage) {
    var generator = SeededGenerator(seed: 1)
    var bytes = Signature.random(using: &generator).encoded
    damage.apply(&bytes)
    let error = #expect(throws: SignatureError.self) { try Signature(encoded: bytes) }
    #expect(error?.code == damage.code)
  }

  /// Any change of these bytes requires a new `Signature.version`, and shops must index again.
  @Test func `the same picture has the same bytes on every processor`() throws {
    let bytes = SyntheticPicture.pattern(width: 300, height: 200, seed: 3)
    let picture = try PixelBuffer(width: 300, height: 200, format: .rgba8, bytes: bytes)
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in Signature(picture).encoded { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    #expect(hash == 10_645_004_671_016_300_350)
  }
}

extension [UInt8] {
  fileprivate init(littleEndian number: UInt32) {
    self = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
