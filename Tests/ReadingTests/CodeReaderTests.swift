import CReading
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import Reading

@Suite struct CodePlacesTests {
  private func places(_ image: PixelBuffer) -> CodePlaces {
    CodePlaces(
      in: CodeReader.gray(of: image) { false }!, width: image.width, height: image.height,
      shouldStop: { false })!
  }

  // Would break if the direction of the bars were that along them.
  @Test(arguments: [0, 30, 45, 90, 135, 170])
  func `bars are found, with the direction that crosses them`(degrees: Double) throws {
    let places = places(try DrawnCode.ean("4006381333931", module: 2, degrees: degrees))
    let box = try #require(places.bars.first)
    let direction = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
    let cosine = Double(box.direction.x) * direction.0 + Double(box.direction.y) * direction.1
    #expect(abs(cosine) > 0.98)
    #expect(box.size.x >= 190 && box.size.x < 400)
    #expect(abs(box.center.x - 200) < 20 && abs(box.center.y - 200) < 20)
    #expect(places.squares.isEmpty)
  }

  @Test(arguments: [0, 15, 45, 80])
  func `finder patterns are found`(degrees: Double) throws {
    let finders = try #require(places(try DrawnCode.qr(module: 5, degrees: degrees)).squares.first)
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
    #expect(places.bars.isEmpty && places.squares.isEmpty)
  }

  /// An image full of finder patterns.
  private static func crowd(module: Int, side: Int) throws -> PixelBuffer {
    let bytes = (0..<side * side).map { place -> UInt8 in
      let (column, row) = (place % side / module % 9, place / side / module % 9)
      let ring = min(column, row, 8 - column, 8 - row)
      return ring == 0 || ring == 2 ? 255 : 0
    }
    return try PixelBuffer(width: side, height: side, format: .gray8, bytes: bytes)
  }

  /// Would break if zbar, which tries all triples of patterns and cannot be stopped, got a crowd of them.
  @Test(arguments: [1, 2, 4, 8])
  func `a crowd of finder patterns has few small squares`(module: Int) throws {
    let squares = places(try Self.crowd(module: module, side: 512)).squares
    #expect((1...4).contains(squares.count))
    for square in squares where module > 1 {
      #expect(square.patternCount == 3 && square.box.size.x < Float(40 * module))
    }
  }

  /// Would break if the look went on after the deadline, or followed lines through the whole image without asking.
  @Test(arguments: [1, 2, 24])
  func `the look for places asks for each row whether it should stop`(module: Int) throws {
    let image = try Self.crowd(module: module, side: 432)
    let gray = CodeReader.gray(of: image) { false }!
    func looks(_ sign: StopSign) -> Bool {
      CodePlaces(in: gray, width: image.width, height: image.height, shouldStop: sign.ask) != nil
    }
    let sign = StopSign()
    #expect(looks(sign))
    #expect(sign.questions > 432)
    for number in stride(from: 0, to: sign.questions, by: 37) {
      let stopped = StopSign(after: number)
      #expect(!looks(stopped))
      #expect(stopped.questions == number + 1)
    }
  }

  @Test(arguments: [(1, 1), (15, 400), (400, 15), (17, 17), (33, 40)])
  func `images of any shape are looked at`(width: Int, height: Int) throws {
    var generator = SeededGenerator(seed: 1)
    let bytes = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let image = try PixelBuffer(width: width, height: height, format: .gray8, bytes: bytes)
    #expect(places(image).bars.isEmpty)
  }
}

/// The loops over pixels, against plain twins.
@Suite struct CodeLoopsTests {
  private func bytes(_ count: Int, _ range: ClosedRange<UInt8>, _ seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: range, using: &generator) }
  }

  @Test(arguments: [0, 1, 7, 33, 320])
  func `lightness and darkness are those of each pixel`(count: Int) {
    let rgba = bytes(4 * count + 4, 0...255, 1)
    var gray = [UInt8](repeating: 9, count: count + 2)
    CodeLoops.gray(rgba.span, into: &gray, at: 1, count)
    func lightness(_ pixel: Int) -> UInt8 {
      let (red, green, blue) = (rgba[4 * pixel], rgba[4 * pixel + 1], rgba[4 * pixel + 2])
      let sum: Int = 77 * Int(red) + 150 * Int(green) + 29 * Int(blue)
      return UInt8(sum >> 8)
    }
    let expected: [UInt8] = [9] + (0..<count).map(lightness) + [9]
    #expect(gray == expected)
    for mean in [0, 8, 130, 263] {
      var isDark = [UInt8](repeating: 9, count: count + 2)
      CodeLoops.dark(gray, 1..<count + 1, than: mean, into: &isDark)
      let expected: [UInt8] = gray[1..<count + 1].map { Int($0) + 8 < mean ? 1 : 0 }
      #expect(isDark == [9] + expected + [9])
    }
  }

  @Test(arguments: [(0, 16), (16, 0), (1, 1), (15, 7), (16, 16)])
  func `steps are summed up over the corners of a block`(columns: Int, rows: Int) {
    let width = 40
    let gray = bytes(width * 20, 0...255, 2)
    let start = 41
    let found = CodeLoops.edges(
      in: gray, width: width, from: start, columns: columns, rows: rows)
    var sums = [Int](repeating: 0, count: 7)
    for y in 0..<rows {
      for x in 0..<columns {
        func value(_ down: Int, _ right: Int) -> Int {
          Int(gray[start + (y + down) * width + x + right])
        }
        let (falling, rising) = (value(1, 1) - value(0, 0), value(0, 1) - value(1, 0))
        let (dx, dy) = (falling + rising, falling - rising)
        let terms: [Int] = [dx * dx, dy * dy, dx * dy, dx, dy, abs(dx), abs(dy)]
        for (index, term) in terms.enumerated() { sums[index] += term }
      }
    }
    let fields: [Int32] = [
      found.xx, found.yy, found.xy, found.sum_x, found.sum_y, found.size_x, found.size_y,
    ]
    #expect(fields.map { Int($0) } == sums)
  }

  /// Would break if noise smaller than a step counted, or an edge over several pixels did not. A rise at the start is none: bars begin dark.
  @Test(arguments: [
    ([], 0), ([9], 0), ([9, 9, 9], 0), ([0, 20, 0, 20, 0], 3), ([0, 7, 0, 7, 0], 0),
    ([0, 3, 6, 9, 12, 9, 6, 3, 0], 1), ([100, 60, 64, 58, 90, 86, 95, 50], 3), ([255, 0], 1),
    ([0, 255], 0),
  ])
  func `the edges of a line are its falls and rises`(line: [UInt8], edges: Int) {
    #expect(CodeLoops.edgeCount(of: line[...], atLeast: 8) == edges)
  }

  /// Returns the patterns of 1 : 1 : 3 : 1 : 1 along a line, from the lengths of its runs.
  private func patterns(_ line: [UInt8]) -> [[Float]] {
    var ends: [Int] = []
    for place in 1...line.count where place == line.count || line[place] != line[place - 1] {
      ends.append(place)
    }
    return ends.indices.compactMap { last in
      guard last >= 4, line[ends[last] - 1] == 1 else { return nil }
      let lengths = (last - 4...last).map { ends[$0] - ($0 == 0 ? 0 : ends[$0 - 1]) }
      let sum = lengths.reduce(0, +)
      let module = Float(sum) / 7
      let isPattern = zip(lengths, [1, 1, 3, 1, 1] as [Float]).allSatisfy { length, modules in
        abs(Float(length) - modules * module) < max(1, modules * module * 0.5)
      }
      guard sum >= 7, isPattern else { return nil }
      let tail = Float(lengths[4] + lengths[3]) + Float(lengths[2]) / 2
      return [Float(ends[last]) - tail, Float(sum)]
    }
  }

  /// Would break if a run were measured wrong because it is longer than a word of the processor, or ends with the line.
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `finder patterns are those of the lengths of runs`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let (count, step) = (
      Int.random(in: 1...200, using: &generator), seed % 3 == 0 ? 3 : 1
    )
    let module = Int.random(in: 1...12, using: &generator)
    var line: [UInt8] = []
    while line.count < count {
      for (index, modules) in [1, 1, 3, 1, 1].enumerated() {
        let length = max(1, modules * module + Int.random(in: -1...1, using: &generator))
        line += repeatElement(UInt8(1 - index % 2), count: length)
      }
      line += repeatElement(0, count: Int.random(in: 1...30, using: &generator))
    }
    line = Array(line.prefix(count))
    let spread = line.flatMap { value in [value] + (1..<step).map { _ in UInt8(1 - value) } }
    var runs = [cr_finder_run](repeating: cr_finder_run(), count: count / 2 + 1)
    let found = CodeLoops.finderRuns(in: spread, from: 0, step: step, count: count, into: &runs)
    #expect(runs[..<found].map { [$0.center, $0.length] } == patterns(line))
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
  private let reader = Reader()

  private struct Reader {
    let reader = CodeReader()!
    func codes(in image: PixelBuffer) -> [ReadCode] { reader.codes(in: image) { false }! }
  }

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

  /// Would break if a code were only seen whose bars are much narrower than a block: who points at a code fills the frame with it.
  @Test(arguments: [15, 20, 30, 40, 50, 60, 70, 80, 90])
  func `a bar code of any share of the width is read`(percent: Int) throws {
    for degrees in [0.0, 10.0] {
      let image = try DrawnCode.ean(
        "4006381333931", module: 10.24 * Double(percent) / 95, degrees: degrees, width: 1024,
        height: 640)
      #expect(reader.codes(in: image).map(\.value) == ["4006381333931"], "\(degrees)")
    }
  }

  /// Would break if a large code hid a small one, or were told several times since parts of it are places, too.
  @Test func `two codes of different sizes are read once each`() throws {
    let large = DrawnCode.bars(of: "4006381333931", module: 6)
    let small = DrawnCode.bars(of: "9783161484100", module: 2)
    let image = try DrawnCode.image(width: 1024, height: 900, degrees: 0) { x, y in
      large(x, y + 180) || small(x, y - 300)
    }
    let values = reader.codes(in: image).map(\.value)
    #expect(values.sorted() == ["4006381333931", "9783161484100"])
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

  /// Would break if places with so few edges were taken for other things than codes. Start B, "A", the check character, stop (ISO/IEC 15417).
  @Test(arguments: [0, 30, 90])
  func `the shortest code of bars is read`(degrees: Double) throws {
    let widths = "211214" + "111323" + "131123" + "2331112"
    let ends = widths.compactMap(\.wholeNumberValue).reduce(into: [0]) { $0.append($0.last! + $1) }
    let module = 3.0
    let image = try DrawnCode.image(degrees: degrees) { x, y in
      let place = x / module + Double(ends.last!) / 2
      guard abs(y) < 60, let next = ends.firstIndex(where: { Double($0) > place }) else {
        return false
      }
      return next % 2 == 1
    }
    let codes = reader.codes(in: image)
    #expect(codes.map(\.value) == ["A"] && codes.map(\.kind) == [.code128])
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
