@testable import ShopBase
import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Encodings of feeds, HTML within fields, and lists of images.
@Suite struct FeedEncodingTests {
  struct Encoded: CustomTestStringConvertible, Sendable {
    let what: String
    let bytes: [UInt8]
    let name: String?
    var testDescription: String { what }
  }

  private static let table = "id;title;image\n1;Käse für 5 €;a.jpg\n2;Öl;b.jpg\n"

  private static func windows1252(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { scalar in
      (0x80...0xFF).first { SingleByteEncoding.windows1252.scalar($0) == scalar }
        ?? UInt8(scalar.value)
    }
  }

  private static func utf16(_ text: String, isBigEndian: Bool, hasMark: Bool) -> [UInt8] {
    ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit -> [UInt8] in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBigEndian ? bytes : bytes.reversed()
    }
  }

  @Test(arguments: [
    Encoded(what: "UTF-8 with a mark", bytes: [0xEF, 0xBB, 0xBF] + Array(table.utf8), name: nil),
    Encoded(what: "Windows-1252", bytes: windows1252(table), name: "Windows-1252"),
    Encoded(
      what: "UTF-16 of Excel",
      bytes: utf16(table.replacing(";", with: "\t"), isBigEndian: false, hasMark: true),
      name: "UTF-16"),
    Encoded(
      what: "UTF-16, big end first", bytes: utf16(table, isBigEndian: true, hasMark: true),
      name: "UTF-16"),
    Encoded(
      what: "UTF-16 without a mark", bytes: utf16(table, isBigEndian: false, hasMark: false),
      name: "UTF-16"),
    Encoded(
      what: "Windows line ends", bytes: Array(table.replacing("\n", with: "\r\n").utf8), name: nil),
    Encoded(
      what: "carriage returns", bytes: Array(table.replacing("\n", with: "\r").utf8), name: nil),
    Encoded(
      what: "XML in Windows-1252",
      bytes: windows1252(
        "<?xml version='1.0' encoding='windows-1252'?><rss><item><id>1</id><title>Käse für 5 €</title></item>"
          + "<item><id>2</id><title>Öl</title></item></rss>"), name: "Windows-1252"),
    Encoded(
      what: "XML in UTF-16",
      bytes: utf16(
        "<?xml version='1.0' encoding='utf-16'?><rss><item><id>1</id><title>Käse für 5 €</title></item>"
          + "<item><id>2</id><title>Öl</title></item></rss>", isBigEndian: false, hasMark: true),
      name: "UTF-16"),
    Encoded(
      what: "XML that declares nothing and is Windows-1252",
      bytes: windows1252(
        "<rss><item><id>1</id><title>Käse für 5 €</title></item><item><id>2</id><title>Öl</title></item></rss>"
      ),
      name: "Windows-1252"),
  ]) func `encodings are recognized`(encoded: Encoded) throws {
    let export = try ReadExport(encoded.bytes)
    #expect(export.products.map(\.title) == ["Käse für 5 €", "Öl"])
    #expect(export.encoding?.name == encoded.name && export.warnings.isEmpty)
  }

  /// A pipe may at first give only the header of gzip. The rest was then decoded twice: Windows-1252 became "KÃ¤se", and
  /// UTF-16 was refused as garbage.
  @Test(arguments: [
    Encoded(what: "Windows-1252", bytes: windows1252(table), name: "Windows-1252"),
    Encoded(
      what: "UTF-16", bytes: utf16(table, isBigEndian: false, hasMark: true), name: "UTF-16"),
  ]) func `a compressed feed is decoded once however it arrives`(encoded: Encoded) throws {
    let folder = try TemporaryDirectory()
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
    process.arguments = ["-n", "-c", try folder.write(encoded.bytes, to: "feed")]
    process.standardOutput = output
    try process.run()
    let compressed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let (lines, encoding) = try Self.lines(compressed.prefix(10), then: compressed.dropFirst(10))
    #expect(lines == Self.table.split(separator: "\n").map(String.init))
    #expect(encoding == encoded.name)
  }

  /// Returns the lines of a pipe whose second part comes once the first was read.
  private static func lines(
    _ first: Data, then second: Data
  ) throws -> (lines: [String], encoding: String?) {
    let pipe = Pipe()
    let input = pipe.fileHandleForWriting
    try input.write(contentsOf: first)
    Thread.detachNewThread {
      var waiting: Int32 = 1
      while waiting > 0, unsafe ioctl(input.fileDescriptor, UInt(FIONREAD), &waiting) == 0 {
        usleep(1000)
      }
      try? input.write(contentsOf: second)
      try? input.close()
    }
    var reader = try RecordReader(
      path: "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)")
    _ = try reader.peek()
    var lines: [String] = []
    while case .bytes(let bytes, _)? = try reader.next() {
      lines.append(String(decoding: bytes, as: UTF8.self))
    }
    return (lines, reader.encoding?.name)
  }

  /// Would break if a carriage return at the end of a chunk were taken for the line break of the file: each further line would be
  /// two.
  @Test func `line breaks are told from both of their halves`() throws {
    let (first, second) = (String(repeating: "a", count: 1100) + "\r", "\nb,c\r\nd,e\r\n")
    let lines = try Self.lines(Data(first.utf8), then: Data(second.utf8)).lines
    #expect(lines == [String(first.dropLast()), "b,c", "d,e"])
  }

  /// Would break if blanks before the first record were kept, of which a small compressed file may have gigabytes.
  @Test func `blanks at the beginning are counted, not kept`() throws {
    let folder = try TemporaryDirectory()
    let blanks = String(repeating: " \n", count: 1 << 20)
    var reader = try RecordReader(path: folder.write(blanks + "x\n", to: "feed"))
    #expect(try reader.peek() == UInt8(ascii: "x"))
    #expect(reader.heldByteCount < 1 << 20)
    guard case .bytes(let bytes, let line)? = try reader.next() else {
      Issue.record("there is no record")
      return
    }
    #expect(bytes == [UInt8(ascii: "x")] && line == (1 << 20) + 1)
  }

  /// Would break if a character at the end of a chunk were lost.
  @Test(arguments: [1, 2, 3, 7, 1000]) func `text is the same however it is cut`(size: Int) {
    let text = "äöü 😀 " + String(repeating: "x", count: 50) + "€"
    for isBigEndian in [true, false] {
      var decoder = TextDecoder()
      var buffer: [UInt8] = []
      var rest = Self.utf16(text, isBigEndian: isBigEndian, hasMark: true)[...]
      // The first part has the whole byte order mark, because the reader waits for it.
      for count in [64] + Array(repeating: size, count: 1000) where !rest.isEmpty {
        let start = buffer.count
        buffer += rest.prefix(count)
        rest = rest.dropFirst(count)
        decoder.decode(&buffer, from: start)
      }
      decoder.finish(&buffer)
      #expect(String(decoding: buffer, as: UTF8.self) == "\u{FEFF}" + text)
    }
  }

  @Test(arguments: [
    ("<b>Bold</b> &amp; co &#39;x&#39;", "Bold & co 'x'"), ("a < b && c > d", "a < b && c > d"),
    ("Size <M>", "Size <M>"), ("A&nbsp;B &uuml; &#x27;&#8364;&#128;", "A B ü '€€"),
    ("<p>One</p><ul><li>Two</li><li>Three</li></ul>", "One\nTwo\nThree"),
    ("x<script>alert('1 < 2')</script>y<!-- no -->z", "xyz"),
    ("R&D &unknown; &", "R&D &unknown; &"),
    ("<p class=\"a\">open", "open"), ("<b", "<b"), ("5\" <br/> wide", "5\"\nwide"),
  ]) func `HTML becomes text`(html: String, text: String) { #expect(PlainText.text(html) == text) }

  @Test(
    arguments: [
      ("a.jpg", ["a.jpg"]), ("a.jpg, b.jpg", ["a.jpg", "b.jpg"]),
      ("a.jpg|b.jpg", ["a.jpg", "b.jpg"]),
      ("a.jpg;b.png", ["a.jpg", "b.png"]), ("Mug, large.jpg", ["Mug, large.jpg"]),
      ("https://x/a.jpg,https://x/b.jpg", ["https://x/a.jpg", "https://x/b.jpg"]),
      ("https://x/w_1,h_2/a.jpg", ["https://x/w_1,h_2/a.jpg"]),
      ("https://x/a.jpg https://x/b.jpg", ["https://x/a.jpg", "https://x/b.jpg"]),
      ("[\"a.jpg\", \"b.jpg\"]", ["a.jpg", "b.jpg"]), ("no_selection", []), ("", []),
      ("my photo.jpg", ["my photo.jpg"]), ("a.jpg b.png", ["a.jpg", "b.png"]),
    ] as [(String, [String])]) func `a field may list images`(text: String, names: [String])
  {
    #expect(ImageList.names(in: text) == names)
  }
}
