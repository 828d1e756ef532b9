@testable import ShopModel
@testable import ShopSearch
import Foundation
import TestSupport
import Testing
@testable import ShopBase
import VisualQuery

@Suite struct JSONWriterTests {
  private static func value(_ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 8 : 6), using: &generator) {
    case 0: .null
    case 1: .bool(Bool.random(using: &generator))
    case 2:
      .integer(
        Int64(bitPattern: generator.next() >> UInt64.random(in: 0...63, using: &generator)))
    case 3: .number(Double(bitPattern: generator.next()))
    case 4: .number((Double.random(in: -1e4...1e4, using: &generator) * 100).rounded() / 100)
    case 5:
      .number(
        [0, -0.0, 1e16, 1e-5, 123_456_789_012, .leastNonzeroMagnitude]
          .randomElement(using: &generator)!)
    case 6: .string(generator.drawnText())
    case 7:
      .array(
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth - 1, &generator) })
    default:
      .object(
        Dictionary(
          (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            (generator.drawnText(upTo: 4), value(depth - 1, &generator))
          }, uniquingKeysWith: { first, _ in first }))
    }
  }

  /// Would break if an answer had other bytes than those of `JSONEncoder`, or if the texts of stored entities, whose hashes tell
  /// whether a row changed, became others.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `a value has the bytes that JSONEncoder gives`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let value = Self.value(4, &generator)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = JSONWriter.bytes(of: value)
    #expect(bytes == Array(try encoder.encode(value)))
  }

  /// Would break if the depth of a value were bounded by the stack of a thread.
  @Test func `a value of any depth is written`() {
    var value = JSONValue.array([])
    for _ in 0..<100_000 { value = .array([value]) }
    #expect(JSONWriter.bytes(of: value).count == 200_002)
    // Takes the value apart level by level, because Swift would destroy it recursively and overflow the stack.
    while case .array(let values) = value, let inner = values.first { value = inner }
  }
}
