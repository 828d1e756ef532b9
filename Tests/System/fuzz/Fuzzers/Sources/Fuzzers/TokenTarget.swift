@testable import PixelMatch
@testable import ShopBase
@testable import ShopSearch
@testable import ShopModel
import VisualQuery

/// The data that clients keep for the server: tokens, the bytes under their seal, and signatures.
/// The first byte of an input tells which.
enum TokenTarget: FuzzTarget {
  static let name = "token"
  static let byteLimit = 4096

  private static let secret = Array("the secret of a catalogue".utf8)
  private static let identity = Array("0123456789abcdef".utf8)

  static func run(_ bytes: [UInt8]) -> Bool {
    guard let kind = bytes.first else { return false }
    let content = Array(bytes.dropFirst())
    switch kind {
    case UInt8(ascii: "t"): checkText(content)
    case UInt8(ascii: "s"): checkSeal(content)
    case UInt8(ascii: "c"): checkContinuation(content)
    case UInt8(ascii: "y"): _ = SyncState.position(in: content, of: identity)
    case UInt8(ascii: "q"): checkQuery(content)
    case UInt8(ascii: "p"):
      if let signature = try? Signature(encoded: content) {
        precondition(signature.encoded == content, "a signature has two forms")
      }
    default: return false
    }
    return true
  }

  private static func checkText(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let decoded = Base64URL.decoded(text) {
      precondition(Base64URL.encoded(decoded) == text, "bytes have two texts")
    }
    if let opened = SealedToken.open(text, secret: secret) {
      precondition(SealedToken.seal(opened, secret: secret) == text, "a token has two texts")
    }
    _ = try? QuerySignature(text: text)
  }

  private static func checkSeal(_ bytes: [UInt8]) {
    let token = SealedToken.seal(bytes, secret: secret)
    precondition(SealedToken.open(token, secret: secret) == bytes, "a token does not open")
    precondition(SealedToken.open(token, secret: identity) == nil, "another secret opens a token")
    var altered = bytes + [0]
    altered[bytes.count / 2] ^= 1
    let code = Base64URL.decoded(token)!.suffix(16)
    precondition(
      SealedToken.open(Base64URL.encoded(altered + code), secret: secret) == nil,
      "an altered token opens")
  }

  private static func checkContinuation(_ bytes: [UInt8]) {
    guard let continuation = Continuation(bytes: bytes) else { return }
    _ = continuation.options
    _ = continuation.showing(Array(continuation.entries.indices))
    _ = try? QuerySignature(encoded: continuation.signature)
    // Numbers of the question may be written in other ways; after one round they are not.
    guard let written = continuation.bytes else { return }
    precondition(Continuation(bytes: written)?.bytes == written, "a continuation changes")
  }

  private static func checkQuery(_ bytes: [UInt8]) {
    guard let query = try? QuerySignature(encoded: bytes) else { return }
    let written = bytes[2] == 1 ? query.compactBytes : query.encoded
    precondition(written == bytes, "a query's signature has two forms")
    _ = GeometricCheck(query)
    _ = KeypointVotes(query.keypoints)
    for view in query.views {
      let same = AppearanceRarity([]).similarity(view.color, view.color)
      precondition((0...1).contains(same), "a similarity is not one")
    }
  }

  static func seeds() -> [[UInt8]] {
    let query = QuerySignature(PictureCheck.picture(96, 64))
    let signature = Signature(PictureCheck.picture(96, 64))
    let state = identity + bigEndianBytes(of: 7)
    let contents: [(kind: String, content: [UInt8])] = [
      ("t", Array(SealedToken.seal(state, secret: secret).utf8)),
      ("t", Array(query.compactText.utf8)), ("s", state), ("y", state), ("q", query.compactBytes),
      ("p", signature.encoded), ("c", continuation(signature: query.compactBytes)),
      ("c", continuation(signature: [])),
    ]
    return contents.map { Array($0.kind.utf8) + $0.content }
  }

  /// The bytes of a continuation with all fields and three entries.
  private static func continuation(signature: [UInt8]) -> [UInt8] {
    let question = Array(
      (#"{"labels":["mug"],"texts":["OATS",{"text":"500 g","box":[0.1,0.2,0.5,0.1]}],"#
        + #""limit":10,"products":3,"stores":1,"types":["product","store"],"#
        + #""minimumConfidence":0.5,"near":[59.3,18.1],"locale":"de","date":1.5e9}"#).utf8)
    var bytes: [UInt8] = [1] + bigEndianBytes(of: 3)
    bytes += bigEndianBytes(of: UInt64(question.count)).suffix(4) + question
    bytes += bigEndianBytes(of: UInt64(signature.count)).suffix(2) + signature
    bytes.append(3)
    for entry in 0..<UInt8(3) {
      // Key, whether it is shown, type, tier, picture.
      bytes += [0, 0, 0, entry, entry & 1, entry & 1, entry, 255 * (entry & 1)]
      bytes += bigEndianBytes(of: Double.nan.bitPattern) + bigEndianBytes(of: 0.75.bitPattern)
      bytes += [0, 3] + Array("mug".utf8) + [1, entry]
      bytes += bigEndianBytes(of: UInt64(Float(0.5).bitPattern)).suffix(4)
      bytes += bigEndianBytes(of: UInt64(Float(2).bitPattern)).suffix(4)
    }
    return bytes
  }

  static let dictionary = utf8(
    #""labels":["#, #""texts":["#, #""box":["#, #""limit":"#, #""products":"#,
    #""types":["product"]"#, #""near":["#,
    #""productFilter":{"#, #""date":"#, #""locale":"#)
}
