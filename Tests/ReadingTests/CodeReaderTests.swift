import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import Reading

@Suite struct CodePlacesTests {
  private func places(_ image: PixelBuffer) -> CodePlaces {
    CodePlaces(in: CodeReader.gray(of: image), width: image.width, height: image.height)
  }

  // Would break if the direction of the bars were that along them.
  @Test(arguments: [0, 30, 45, 90, 135, 170])
  func `bars are found, with the direction that crosses them`(degrees: Double) throws {
    let places = places(try DrawnCode.ean("4006381333931", module: 2, degrees: degrees))
    let box = try #require(places.bars.first)
    let direction = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
    let cosine = Double(box.direction.x) * direction.0 + Double(box.direction.y) * direction.1
    #expect(abs(cosine) > 0.98)
    #expect(box.size.x >= 190 && box.size.x < 300)
    #expect(abs(box.center.x - 200) < 20 && abs(box.center.y - 200) < 20)
    #expect(places.finders == nil)
  }

  @Test(arguments: [0, 15, 45, 80])
  func `finder patterns are found`(degrees: Double) throws {
    let finders = try #require(places(try DrawnCode.qr(module: 5, degrees: degrees)).finders)
    #expect(abs(finders.module - 5) < 1.2)
    #expect(abs(finders.box.center.x - 200) < 8 && abs(finders.box.center.y - 200) < 8)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `smooth images have no places of codes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let image = try PixelBuffer(
      width: 320, height: 240, format: .rgba8,
      bytes: SyntheticPicture.discs(width: 320, height: 240, using: &generator))
    let places = places(image)
    #expect(places.bars.isEmpty && places.finders == nil)
  }

  @Test(arguments: [(1, 1), (15, 400), (400, 15), (17, 17), (33, 40)])
  func `images of any shape are looked at`(width: Int, height: Int) throws {
    var generator = SeededGenerator(seed: 1)
    let bytes = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let image = try PixelBuffer(width: width, height: height, format: .gray8, bytes: bytes)
    #expect(places(image).bars.isEmpty)
  }
}

@Suite struct CodeValueTests {
  // Would break if what a stranger's code says could end a line of a terminal or a log.
  @Test(arguments: [
    ("https://shop.example/p/1", "https://shop.example/p/1"),
    ("a\u{0}b\u{1B}[31m\r\nc", "a\u{FFFD}b\u{FFFD}[31m\u{FFFD}\u{FFFD}c"),
    ("\u{7F}\u{85}", "\u{FFFD}\u{FFFD}"), ("שלום", "שלום"), ("", ""),
  ])
  func `control characters of a code are replaced`(value: String, text: String) {
    #expect(CodeReader.text(of: Array(value.utf8)) == text)
  }

  @Test func `bytes that are no text and values without end are cut to size`() {
    #expect(CodeReader.text(of: [0x41, 0xFF, 0xC3]) == "A\u{FFFD}\u{FFFD}")
    let long = CodeReader.text(of: [UInt8](repeating: 0x41, count: 100_000))
    #expect(long.unicodeScalars.count == ReadCode.valueLimit)
  }
}

@Suite(.enabled(if: CodeReader() != nil, "zbar is not installed"))
struct CodeReaderTests {
  private let reader = CodeReader()!

  @Test(arguments: [0, 20, 45, 90, 160, 180])
  func `a bar code is read at any angle`(degrees: Double) throws {
    for module in [1.4, 2.0, 3.0] {
      let codes = reader.codes(
        in: try DrawnCode.ean("4006381333931", module: module, degrees: degrees))
      #expect(codes.map(\.value) == ["4006381333931"], "module \(module)")
      #expect(codes.map(\.kind) == [.ean13])
      let corners = codes.first?.corners ?? []
      #expect(corners.count == 4 && corners.allSatisfy { (-0.1...1.1).contains($0.x) })
    }
  }

  @Test(arguments: [0, 15, 45, 100, 180])
  func `a QR code is read at any angle`(degrees: Double) throws {
    for module in degrees == 45 ? [5.0] : [3.0, 5.0] {
      let codes = reader.codes(in: try DrawnCode.qr(module: module, degrees: degrees))
      #expect(codes.map(\.value) == ["https://shop.example/p/mug-red"], "module \(module)")
      #expect(codes.map(\.kind) == [.qr])
      #expect(codes.first?.corners.count == 4)
    }
  }

  @Test func `a code whose check digit is wrong is not read`() throws {
    #expect(
      reader.codes(in: try DrawnCode.ean("4006381333932", module: 3, degrees: 0)).isEmpty)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `noise and stripes have no code`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let widths = (0..<200).map { _ in Double.random(in: 1...8, using: &generator) }
    var edges: [Double] = [-300]
    for width in widths { edges.append(edges.last! + width) }
    let image = try DrawnCode.image(degrees: Double(seed) * 10) { x, _ in
      (edges.firstIndex { $0 > x } ?? 0).isMultiple(of: 2)
    }
    #expect(reader.codes(in: image).isEmpty)
  }
}
