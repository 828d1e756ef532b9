import TestSupport
import Testing

@testable import PixelMatch

@Suite struct FileNameTests {
  /// Would break if a name of any bytes were lost on the way through text.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `any bytes survive as text`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces: [[UInt8]] = [
      Array("a/b.jpg".utf8), Array("é杯😀".utf8), [0xE9], [0xFF, 0xFE], [0xF0, 0x9F], [0xC0, 0x80],
      [0xED, 0xA0, 0x80], [0x80],
    ]
    let bytes = (0..<Int.random(in: 0...8, using: &generator))
      .flatMap { _ in pieces.randomElement(using: &generator)! }
    #expect(FileName.bytes(FileName.text(bytes)) == bytes)
    #expect(
      FileName.systemName(FileName.text(bytes)).dropLast().map(UInt8.init(bitPattern:)) == bytes)
  }

  @Test func `names in UTF-8 are themselves`() {
    #expect(FileName.text(Array("café/杯.jpg".utf8)) == "café/杯.jpg")
    #expect(FileName.readable(FileName.text(Array("caf".utf8) + [0xE9])) == "caf\u{FFFD}")
  }
}
