@testable import ShopFeeds
@testable import ShopModel
@testable import ShopSearch
import Foundation
import TestSupport
import Testing
@testable import ShopBase
import VisualQuery

/// Conformance with RFC 8259. The names of cases begin as those of JSON test suites do: what every reader
/// must take, what every reader must refuse, and what the RFC leaves to the reader.
@Suite struct JSONReaderTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let value: JSONValue?
    var testDescription: String { name }

    init(_ name: String, _ text: String, _ value: JSONValue? = nil) {
      self.init(name, Array(text.utf8), value)
    }

    init(_ name: String, _ bytes: [UInt8], _ value: JSONValue? = nil) {
      self.name = name
      self.bytes = bytes
      self.value = value
    }
  }

  private static func read(
    _ bytes: [UInt8], _ limits: JSONLimits = JSONLimits()
  ) throws(JSONError) -> JSONValue {
    try JSONValue(json: bytes, limits: limits, shouldStop: { false })
  }

  private static func failure(_ text: String, _ limits: JSONLimits = JSONLimits()) -> JSONError? {
    #expect(throws: JSONError.self) { try read(Array(text.utf8), limits) }
  }

  /// Would break if a form of JSON that the RFC allows were refused or read as another value.
  @Test(arguments: [
    Case("y_null", "null", .null), Case("y_true", "true", .bool(true)),
    Case("y_false", "false", .bool(false)), Case("y_blanks_around", " \t\r\n1 \n", .integer(1)),
    Case("y_empty_list", "[ ]", .array([])), Case("y_empty_object", "{\n}", .object([:])),
    Case("y_list", "[1,\"a\" , null]", .array([.integer(1), .string("a"), .null])),
    Case("y_list_of_empty", "[[],{}]", .array([.array([]), .object([:])])),
    Case(
      "y_nested", #"{"a":[{"b":[]}],"c":{}}"#,
      .object(["a": .array([.object(["b": .array([])])]), "c": .object([:])])),
    Case("y_empty_name", #"{"":1}"#, .object(["": .integer(1)])),
    Case("y_escaped_name", #"{"\u0061\n":1}"#, .object(["a\n": .integer(1)])),
    Case("y_zero", "0", .integer(0)), Case("y_minus_zero", "-0", .integer(0)),
    Case("y_minus", "-12", .integer(-12)), Case("y_decimal", "14.25", .number(14.25)),
    Case("y_exponent", "1E+2", .integer(100)), Case("y_small_exponent", "25e-1", .number(2.5)),
    Case("y_zero_exponent", "0e999", .integer(0)), Case("y_whole_decimal", "3.0", .integer(3)),
    Case("y_largest_integer", "9223372036854775807", .integer(.max)),
    Case("y_smallest_integer", "-9223372036854775808", .integer(.min)),
    Case("y_whole_beyond_2_53", "9007199254740993.0", .integer(9_007_199_254_740_993)),
    Case("y_fraction_beyond_2_53", "9007199254740993.5", .number(9_007_199_254_740_994)),
    Case("y_large_exponent_whole", "922337203685477580.7e1", .integer(.max)),
    Case("y_least_double", "5e-324", .number(.leastNonzeroMagnitude)),
    Case("y_empty_text", #""""#, .string("")),
    Case(
      "y_escapes", #""\"\\\/\b\f\n\r\t\u00E9\u0000""#,
      .string("\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{0}")),
    Case("y_surrogate_pair", #""\uD83D\ude00""#, .string("\u{1F600}")),
    Case("y_last_code_point", #""\uDBFF\uDFFF""#, .string("\u{10FFFF}")),
    Case("y_noncharacter", #""\uFFFF""#, .string("\u{FFFF}")),
    Case("y_raw_unicode", "\"é中😀\u{2028}\u{7F}\"", .string("é中😀\u{2028}\u{7F}")),
    Case("y_escapes_between_raw", #""é\né\t""#, .string("é\né\t")),
  ])
  func `what the RFC allows is read`(json: Case) throws {
    #expect(try Self.read(json.bytes) == json.value)
  }

  /// Would break if text that is not JSON went in, as trailing commas and a NUL behind the value once did.
  @Test(arguments: [
    Case("n_empty", ""), Case("n_blank", " \n"), Case("n_word_cut", "nul"),
    Case("n_word_longer", "nullx"), Case("n_word_case", "True"), Case("n_NaN", "NaN"),
    Case("n_infinity", "-Infinity"), Case("n_list_open", "[1"), Case("n_list_comma_last", "[1,]"),
    Case("n_list_comma_first", "[,1]"), Case("n_list_two_commas", "[1,,2]"),
    Case("n_list_no_comma", "[1 2]"), Case("n_list_closed_by_brace", "[1}"),
    Case("n_list_colon", "[1:2]"), Case("n_end_alone", "]"), Case("n_two_ends", "[]]"),
    Case("n_object_open", "{"), Case("n_object_comma_last", #"{"a":1,}"#),
    Case("n_object_no_colon", #"{"a" 1}"#), Case("n_object_no_value", #"{"a":}"#),
    Case("n_object_no_name", "{:1}"), Case("n_object_bare_name", "{a:1}"),
    Case("n_object_number_name", "{1:1}"), Case("n_object_single_quotes", "{'a':1}"),
    Case("n_object_closed_by_bracket", #"{"a":1]"#), Case("n_two_values", "1 2"),
    Case("n_comma_behind", "{},"), Case("n_comment", "1 // one"), Case("n_comment_star", "/**/1"),
    Case("n_leading_zero", "01"), Case("n_minus_leading_zero", "-01"), Case("n_plus", "+1"),
    Case("n_minus_alone", "-"), Case("n_point_first", ".5"), Case("n_point_last", "1."),
    Case("n_exponent_empty", "1e"), Case("n_exponent_sign", "1e+"), Case("n_hexadecimal", "0x1"),
    Case("n_point_exponent", "1.e2"), Case("n_full_width_digit", "１"),
    Case("n_text_open", #""a"#), Case("n_text_escape_cut", #""\"#),
    Case("n_text_bad_escape", #""\a""#), Case("n_text_hex_escape", #""\x41""#),
    Case("n_text_escape_short", #""\u12""#), Case("n_text_escape_no_hex", #""\u12g4""#),
    Case("n_text_tab", "\"\t\""), Case("n_text_line_break", "\"\n\""),
    Case("n_text_NUL", "\"\u{0}\""), Case("n_high_surrogate_alone", #""\ud800""#),
    Case("n_low_surrogate_alone", #""\udc00""#), Case("n_surrogate_and_letter", #""\ud800\u0041""#),
    Case("n_surrogates_swapped", #""\ude00\ud83d""#),
    Case("n_two_high_surrogates", #""\ud83d\ud83d""#),
    Case("n_NUL_behind", "1\u{0}"), Case("n_form_feed", "[\u{C}1]"),
    Case("n_no_break_space", "[\u{A0}1]"), Case("n_mark_within", "[\u{FEFF}1]"),
    Case("n_mark_twice", "\u{FEFF}\u{FEFF}1"),
    Case("n_utf8_alone", [0x22, 0xFF, 0x22]), Case("n_utf8_overlong", [0x22, 0xC0, 0x80, 0x22]),
    Case("n_utf8_surrogate", [0x22, 0xED, 0xA0, 0x80, 0x22]),
    Case("n_utf8_cut", [0x22, 0xE4, 0xB8, 0x22]),
    Case("n_utf8_beyond", [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22]),
    Case("n_utf8_behind_escape", [0x22, 0x5C, 0x6E, 0x80, 0x22]),
    Case("n_utf16", [0x22, 0, 0x61, 0, 0x22, 0]), Case("n_utf16_mark", [0xFF, 0xFE, 0x31, 0]),
  ])
  func `what is not JSON is refused`(json: Case) {
    let error = #expect(throws: JSONError.self) { try Self.read(json.bytes) }
    #expect([.invalid, .truncated, .notUTF8].contains(error?.code))
    #expect(error.map { (0...json.bytes.count).contains($0.offset) } == true)
  }

  /// Would break if a choice that stored rows and clients rely on changed unnoticed.
  @Test(arguments: [
    Case("i_mark_first", "\u{FEFF}1", .integer(1)),
    Case("i_name_twice", #"{"a":1,"a":2}"#, .object(["a": .integer(1)])),
    Case("i_name_equivalent", "{\"\u{E9}\":1,\"e\u{301}\":2}", .object(["\u{E9}": .integer(1)])),
    Case("i_number_too_large", "1e309"), Case("i_number_too_small", "1e-400", .integer(0)),
    Case("i_number_rounded_to_whole", "0.99999999999999999999", .integer(1)),
    Case("i_integer_beyond_64_bits", "9223372036854775808", .number(0x1p63)),
    Case("i_number_longer", String(repeating: "1", count: 1025), nil),
    Case("i_long_decimals", "0." + String(repeating: "0", count: 1021) + "1", .integer(0)),
  ])
  func `what the RFC leaves open is read as ever`(json: Case) throws {
    guard let value = json.value else {
      #expect(throws: JSONError.self) { try Self.read(json.bytes) }
      return
    }
    #expect(try Self.read(json.bytes) == value)
  }

  /// Would break if a message pointed elsewhere than at the fault.
  @Test(arguments: [
    ("[1,\n x]", JSONError.Code.invalid, 5, "expected a value at byte 5, found 'x'"),
    (#"{"a" 1}"#, .invalid, 5, "expected ':' at byte 5, found '1'"),
    ("[1", .truncated, 2, "expected ',' or ']' at byte 2, found the end"),
    ("01", .invalid, 1, "no digit after a leading 0"),
    ("[\"ab\u{1}\"]", .invalid, 4, "control character"),
    (#"["\ud800"]"#, .invalid, 2, "unpaired surrogate at byte 2"),
    ("[1e400]", .numberOutOfRange, 1, "beyond ±1.8e308 at byte 1"),
  ])
  func `a failure says where and what`(
    text: String, code: JSONError.Code, offset: Int, message: String
  ) {
    let error = Self.failure(text)
    #expect(error?.code == code && error?.offset == offset)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `invalid UTF-8 is found at its byte`() {
    for bytes in [
      Array("[\"abc".utf8) + [0xFF, 0x22, 0x5D], Array(#"["\nb"#.utf8) + [0xFF, 0x22],
    ] {
      let error = #expect(throws: JSONError.self) { try Self.read(bytes) }
      #expect(error?.code == .notUTF8 && error?.offset == 5)
    }
  }

  // MARK: Limits

  private static func nested(_ depth: Int, _ open: String, _ close: String) -> String {
    String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
  }

  /// Would break if a limit let one more through or one less.
  @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
  func `nesting ends at its limit`(open: String, close: String) throws {
    let limits = JSONLimits(depth: 16)
    _ = try Self.read(Array(Self.nested(16, open, close).utf8), limits)
    let error = Self.failure(Self.nested(17, open, close), limits)
    #expect(error?.code == .tooDeep && error?.offset == 16 * open.utf8.count)
    #expect(error?.message.contains("16 levels") == true)
    // Nesting that never ends is rejected at the same place.
    #expect(Self.failure(String(repeating: open, count: 100_000), limits)?.offset == error?.offset)
  }

  @Test func `values and bytes end at their limits`() throws {
    let list = "[" + Array(repeating: "1", count: 99).joined(separator: ",") + "]"
    _ = try Self.read(Array(list.utf8), JSONLimits(valueCount: 100))
    #expect(Self.failure(list, JSONLimits(valueCount: 99))?.code == .tooManyValues)
    _ = try Self.read(Array(list.utf8), JSONLimits(byteCount: list.utf8.count))
    let error = Self.failure(list, JSONLimits(byteCount: list.utf8.count - 1))
    #expect(error?.code == .tooLong && error?.message.contains("has 199 bytes") == true)
  }

  /// Would break if nobody learned that one of two values was dropped.
  @Test func `names that are repeated in one object are told or refused`() throws {
    let text = #"[{"a":1,"b":{"c":1},"c":2,"a":3},{"a":1,"\u00e9":1,"e\u0301":2}]"#
    var reader = JSONReader(Array(text.utf8), limits: JSONLimits())
    let value = try reader.read(shouldStop: { false })
    #expect(reader.repeatedNames == ["a", "\u{E9}"])
    guard case .array(let values) = value, case .object(let first) = values[0] else {
      Issue.record("no list")
      return
    }
    #expect(first["a"] == .integer(1))
    let error = Self.failure(text, JSONLimits(allowsRepeatedNames: false))
    #expect(error?.code == .repeatedName && error?.message.contains("'a'") == true)
    let once = #"[{"a":1},{"a":{"a":1}}]"#
    _ = try Self.read(Array(once.utf8), JSONLimits(allowsRepeatedNames: false))
    let many = "{" + (0..<100).map { "\"\($0 / 2)\":1" }.joined(separator: ",") + "}"
    reader = JSONReader(Array(many.utf8), limits: JSONLimits())
    _ = try reader.read(shouldStop: { false })
    #expect(reader.repeatedNames.count == 8)
  }

  /// Hashing a name of 60 KB of accents took ten seconds.
  @Test func `names end at their limit`() throws {
    let name = "a" + String(repeating: "\u{301}\u{316}", count: 25)
    let text = #"{"\#(name)":1}"#
    let value = try Self.read(Array(text.utf8), JSONLimits(nameByteCount: 101))
    #expect(value == .object([name: .integer(1)]))
    let error = Self.failure(text, JSONLimits(nameByteCount: 100))
    #expect(error?.code == .nameTooLong && error?.offset == 1)
  }

  /// Would break if work grew faster than the text: each kind of nesting once took time in proportion to
  /// the cube of its depth.
  @Test(arguments: [
    ("[", "]"), (#"{"a":"#, "}"), (#"[{"labels":["#, "]}]"), ("[1,", "]"), (#"{"a":1,"b":"#, "}"),
  ])
  func `the steps are in proportion to the bytes`(open: String, close: String) throws {
    for depth in [1, 10, 100, 1000] {
      for count in [1, 10, 100] {
        let text =
          "["
          + Array(repeating: Self.nested(depth, open, close), count: count).joined(separator: ",")
          + "]"
        var reader = JSONReader(
          Array(text.utf8), limits: JSONLimits(depth: 4000, valueCount: .max, byteCount: .max))
        _ = try reader.read(shouldStop: { false })
        #expect(reader.stepCount <= 2 * text.utf8.count)
      }
    }
  }

  /// Would break if a text were read to its end although nobody waits for it.
  @Test func `reading stops when the caller asks to`() throws {
    let list = "[" + Array(repeating: "1", count: 100_000).joined(separator: ",") + "]"
    var questions = 0
    _ = try JSONValue(json: Array(list.utf8)) {
      questions += 1
      return false
    }
    #expect(questions >= 100_000 / JSONReader.stopInterval)
    var stops = 0
    let error = #expect(throws: JSONError.self) {
      _ = try JSONValue(json: Array(list.utf8)) {
        stops += 1
        return stops == 3
      }
    }
    #expect(error?.code == .cancelled && stops == 3)
    #expect(try #require(error).offset < 2 * 3 * JSONReader.stopInterval + 2)
  }

  @Test func `reading stops when the task is cancelled`() async {
    let list = Array(("[" + Array(repeating: "1", count: 10_000).joined(separator: ",") + "]").utf8)
    let task = Task { () -> JSONError? in
      while !Task.isCancelled { await Task.yield() }
      return #expect(throws: JSONError.self) { _ = try JSONValue(json: list) }
    }
    task.cancel()
    #expect(await task.value?.code == .cancelled)
  }

  // MARK: Writing

  private static func value(_ generator: inout SeededGenerator, depth: Int) -> JSONValue {
    func text() -> String {
      let scalars: [Unicode.Scalar] = [
        "a", "Z", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{301}", "中",
        "\u{2028}",
        "\u{FFFD}", "😀", "\u{10FFFF}",
      ]
      var text = ""
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        text.unicodeScalars.append(scalars.randomElement(using: &generator)!)
      }
      return text
    }
    switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .integer(Int64(truncatingIfNeeded: generator.next()))
    case 3: return .integer(Int64.random(in: -1000...1000, using: &generator))
    case 4:
      let number = Double(bitPattern: generator.next())
      // A number that is whole is read as an integer.
      return number.isFinite && Int64(exactly: number) == nil ? .number(number) : .number(0.5)
    case 5: return .string(text())
    case 6:
      return .array(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          value(&generator, depth: depth - 1)
        })
    default:
      var object: [String: JSONValue] = [:]
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        object[text()] = value(&generator, depth: depth - 1)
      }
      return .object(object)
    }
  }

  /// Would break if anything that is written were read back as something else, or if the texts of rows
  /// that earlier versions stored differed from those of today, which would make every entity a change.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `what is written is read back, and is what Foundation writes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for _ in 0..<10 {
      let value = Self.value(&generator, depth: 5)
      #expect(try Self.read(Array(value.text.utf8)) == value)
      #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == value.text)
    }
  }

  /// Would break if a value without a text were stored as `null`, which no list can read back.
  @Test func `a value of any depth has a text`() throws {
    var value = JSONValue.integer(1)
    for _ in 0..<2000 { value = .array([value]) }
    #expect(value.text == Self.nested(2000, "[", "]"))
    #expect(JSONValue.array([.number(.infinity), .number(.nan)]).text == "[null,null]")
    #expect(JSONValue.array([.number(1e16), .number(-0.0), .number(10)]).text == "[1e+16,-0,10]")
  }

  /// Would break if damaged text trapped, or were read as something that cannot be written.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `noise is refused, or read and written again`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "{", "}", "[", "]", ",", ":", #""a""#, #""\u00e9\n""#, "1", "-0", "1.5", "1e3", "true",
      "null",
      " ", "\n", "\"", "\\", "\u{0}", "é",
    ]
    for _ in 0..<200 {
      var bytes = (0..<Int.random(in: 1...10, using: &generator)).flatMap { _ in
        Array(pieces.randomElement(using: &generator)!.utf8)
      }
      if Bool.random(using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8(
          truncatingIfNeeded: generator.next())
      }
      guard let value = try? Self.read(bytes) else { continue }
      #expect(try Self.read(Array(value.text.utf8)) == value)
    }
  }
}
