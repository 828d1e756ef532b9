@testable import ShopSearch
import TestSupport
import Testing
@testable import ShopBase
import VisualQuery

@Suite struct SealedTokenTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Vectors: FIPS 180-4 examples of NIST, and the million of RFC 6234.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 100_000),
      "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee"
    ),
  ])
  func `SHA-256 is NIST's`(message: String, digest: String) {
    #expect(hex(SHA256.hash(Array(message.utf8))) == digest)
  }

  /// Vectors: RFC 4231, 4.2, 4.3 and 4.7 (a key longer than a block).
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `the code is RFC 4231's`(key: [UInt8], message: String, code: String) {
    #expect(hex(SHA256.authenticationCode(for: Array(message.utf8), key: key)) == code)
  }

  /// Vectors: RFC 4648, 10, without padding.
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"),
  ])
  func `base64url is RFC 4648's`(text: String, encoded: String) {
    #expect(Base64URL.encoded(Array(text.utf8)) == encoded)
    #expect(Base64URL.decoded(encoded) == Array(text.utf8))
  }

  @Test(arguments: ["Z", "Zh", "Zm9", "Zm9v=", "Zm 9v", "Zm+v", "Zm/v", "é"])
  func `other spellings are refused, so that a token has one text`(text: String) {
    #expect(Base64URL.decoded(text) == nil)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a token that was altered anywhere does not open`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let bytes = (0..<Int.random(in: 0...90, using: &generator)).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
    let token = SealedToken.seal(bytes, secret: [1, 2, 3])
    #expect(SealedToken.open(token, secret: [1, 2, 3]) == bytes)
    #expect(SealedToken.open(token, secret: [1, 2, 4]) == nil)
    var text = Array(token)
    let place = Int.random(in: text.indices, using: &generator)
    text[place] = text[place] == "A" ? "B" : "A"
    #expect(SealedToken.open(String(text), secret: [1, 2, 3]) == nil)
    #expect(SealedToken.open(String(token.dropLast(4)), secret: [1, 2, 3]) == nil)
  }
}
