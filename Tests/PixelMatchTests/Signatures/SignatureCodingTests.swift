import PixelMatch
import TestSupport
import Testing

@Suite struct SignatureCodingTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `decoding gives the signature that was encoded`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var signature = Signature.random(using: &generator)
    let bytes = signature.encoded
    #expect(bytes.count == 384 + 15 * signature.keypoints.count)
    #expect(try Signature(encoded: bytes) == signature)
    signature.embedding = .random(using: &generator)
    let longer = signature.encoded
    #expect(longer.count <= 3672 && longer.starts(with: bytes))
    #expect(try Signature(encoded: longer) == signature)
  }

  /// Would break if a damaged embedding were taken for another one, or for none.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a cut or damaged embedding is refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var signature = Signature.random(using: &generator)
    signature.embedding = try ImageEmbedding(
      model: "m", vector: (0..<20).map { _ in .random(in: 0.1...1, using: &generator) })
    let bytes = signature.encoded
    let start = bytes.count - 40
    let cut = Array(bytes.prefix(.random(in: start + 1..<bytes.count, using: &generator)))
    #expect(throws: SignatureError.self) { try Signature(encoded: cut) }
    // The length and the padding follow from the rest.
    for place in Array(start + 8..<start + 12) + Array(start + 13..<start + 16)
      + Array(start + 36..<start + 40)
    {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      let final = damaged
      #expect(throws: SignatureError.self, "byte \(place - start)") {
        try Signature(encoded: final)
      }
    }
  }

  @Test func `fields stand where the table says`() {
    let signature = Signature(
      width: 0x0102, height: 0x0304, pdq: PDQHash(words: SIMD4(0xA1, 0, 0, 0xB200_0000_0000_0000)),
      pdqQuality: 77, color: ColorHistogram(bins: [UInt8](repeating: 4, count: 192)),
      layout: ColorLayout(bytes: [UInt8](repeating: 9, count: 192)),
      texture: TextureHistogram(bins: [UInt8](repeating: 10, count: 96)),
      keypoints: KeypointSet(
        keypoints: [Keypoint(x: 511, y: 3, level: 5, angle: 0x81)],
        hashes: [KeypointHash(words: SIMD3(0xC1, 0, 0xD200_0000))]))
    let bytes = signature.encoded
    #expect(bytes[0..<8] == [7, 0, 77, 1, 0x02, 0x01, 0x04, 0x03])
    #expect(bytes[8] == 0xA1 && bytes[39] == 0xB2)
    #expect(bytes[40] == 0x22 && bytes[135] == 0x22 && bytes[136] == 0x33 && bytes[183] == 0x33)
    #expect(bytes[184] == 9 && bytes[375] == 9)
    #expect(bytes[376..<384] == [0, 0, 0, 0, 0, 1, 0, 0])
    #expect(bytes[384..<387] == [255, 1, 0x81])
    #expect(bytes[387] == 0xC1 && bytes[398] == 0xD2 && bytes.count == 399)
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
    Damage(name: "no width", code: .corrupt) { ($0[4], $0[5]) = (0, 0) },
    Damage(name: "too high", code: .corrupt) { $0[7] = 255 },
    Damage(name: "a level more", code: .corrupt) { $0[382] += 1 },
    Damage(name: "a keypoint less on a level", code: .corrupt) { $0[376] &-= 1 },
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
    #expect(hash == 2_201_669_635_993_879_604)
  }
}
