@testable import Reading
@testable import ShopBase
@testable import ShopStore
@testable import ShopModel
import VisualQuery

/// Text and codes: words and their comparison, stored readings, and the places of codes in an image. The first byte of an input tells which.
enum TextTarget: FuzzTarget {
  static let name = "text"
  static let byteLimit = 8192

  static func run(_ bytes: [UInt8]) -> Bool {
    guard let kind = bytes.first else { return false }
    let content = Array(bytes.dropFirst())
    switch kind {
    case UInt8(ascii: "w"): compare(String(decoding: content, as: UTF8.self))
    case UInt8(ascii: "r"): read(String(decoding: content, as: UTF8.self))
    case UInt8(ascii: "c"): return look(at: content)
    case UInt8(ascii: "t"): return encode(content)
    default: return false
    }
    return true
  }

  /// Each line is the title of an entity, and all lines together are what is read.
  private static func compare(_ text: String) {
    let titles = text.split(separator: "\n", maxSplits: 40).map(String.init)
    let index = PieceIndex(
      titles.enumerated().flatMap { key, title in
        PieceIndex.words(of: title).map {
          PieceIndex.Word(key: UInt32(key), text: $0, weight: 1)
        }
      })
    let lines = titles.enumerated().map { number, title in
      let side = Double(number) / 40
      let places = [(side, 0), (1, side), (side, side), (0, 1)]
      return TextLine(
        text: title, certainty: Double(number % 3) / 2,
        corners: places.map { ReadPoint(x: $0.0, y: $0.1) })
    }
    guard let agreements = index.agreements(of: lines, shouldStop: { false }) else { return }
    for key in 0...UInt32(titles.count) {
      precondition(agreements.agreement(with: key) >= 0, "an agreement below zero")
      precondition((0...1).contains(agreements.contradiction(with: key)), "not a share")
      let words = agreements.words(comparedWith: key)
      precondition(words.count <= 32 && Set(words).count == words.count, "a word comes twice")
      precondition(key < titles.count || words.allSatisfy { !$0.agrees }, "nothing agrees")
    }
    let best = agreements.best(5)
    precondition(best.count <= 5 && Set(best).count == best.count, "an entity comes twice")
  }

  private static func read(_ text: String) {
    guard let json = try? JSONValue(stored: text),
      let reading = ImageReading(json: json, models: [])
    else { return }
    _ = PieceIndex.words(of: reading.lines)
    // Numbers are rounded once.
    let written = reading.json
    precondition(
      ImageReading(json: written, models: [])?.json == written, "a reading changes")
  }

  /// - Parameter bytes: A tokenizer, a byte 0, and a text.
  private static func encode(_ bytes: [UInt8]) -> Bool {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let tokenizer = try? Tokenizer(Array(parts[0])) else { return false }
    let text = String(decoding: parts[1], as: UTF8.self)
    let tokens = tokenizer.tokens(of: text)
    precondition(tokens == tokenizer.tokens(of: text), "a text has other tokens")
    let cut = tokenizer.tokens(of: text, limit: 8)
    precondition(cut.count <= max(8, tokenizer.tokens(of: "", limit: 0).count), "too many tokens")
    return true
  }

  /// - Parameter bytes: The width of an image less 1, and its pixels.
  private static func look(at bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return false }
    let width = Int(first) + 1
    let height = (bytes.count - 1) / width
    guard height > 0 else { return false }
    let places = CodePlaces(
      in: Array(bytes.dropFirst().prefix(width * height)), width: width, height: height,
      shouldStop: { false })!
    for box in places.bars + places.squares.map(\.box) {
      let numbers = box.corners.flatMap { [$0.x, $0.y] }
      precondition(numbers.allSatisfy(\.isFinite), "a place that is not finite")
    }
    return true
  }

  static func seeds() -> [[UInt8]] {
    let reading = ImageReading(
      models: [],
      lines: [
        TextLine(
          text: "HONEY OATS", certainty: 0.9,
          corners: [(0, 0), (1, 0), (1, 0.5), (0, 0.5)].map { ReadPoint(x: $0.0, y: $0.1) })
      ], codes: [ReadCode(kind: .qr, value: "https://shop.example/p/1", corners: [])],
      unreadCount: 2)
    let bars = (0..<64 * 48).map { UInt8($0 % 64 / 2 % 3 == 0 ? 0 : 255) }
    return utf8(
      "wHoney oats 500 g\nHoney almonds 1 kg\nHafer-M\u{FC}sli\n\u{05E9}\u{05D5}\u{05E7}\u{05D5}\u{05DC}\u{05D3} \u{202E}abc\n\u{7D05}\u{8336}\u{2009}12",
      "r" + reading.json.text, tokenizer) + [Array("c".utf8) + [63] + bars]
  }

  private static let tokenizer = #"""
    t{"model":{"type":"BPE","unk_token":"c","vocab":{"a":0,"b":1,"ab":2,"c":3},"merges":["a b"]},"normalizer":{"type":"Lowercase"},
    "pre_tokenizer":{"type":"ByteLevel"},"post_processor":{"type":"BertProcessing","sep":["c",3],"cls":["c",3]},
    "added_tokens":[{"id":4,"content":"<x>","lstrip":true}]}
    """# + "\u{0}abba <x> caf\u{E9}"

  static let dictionary = utf8(
    "\"merges\":[[\"a\",\"b\"]]", "\"ignore_merges\":true", "\"end_of_word_suffix\":\"</w>\"",
    "\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\s+(?!\\\\S)| ?[^\\\\s\\\\p{L}]+\"},\"behavior\":\"Isolated\"",
    "\"type\":\"NFC\"", "\"type\":\"Strip\"",
    "\n", "HONEY", "oats", "500 g", "\u{202E}", "\u{0301}", "\u{200D}", "\"lines\":[",
    "\"codes\":[",
    "\"corners\":[[0,0],[1,0],[1,1],[0,1]]", "\"certainty\":", "\"unread\":", "\"kind\":\"qr\"",
    "1e308")
}
