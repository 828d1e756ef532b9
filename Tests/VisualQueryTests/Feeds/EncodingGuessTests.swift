import TestSupport
import Testing

@testable import ShopFeeds
import VisualQuery

/// Text that is not UTF-8 and does not say what it is.
@Suite struct EncodingGuessTests {
  /// A title with its bytes, by Python's codecs, in hexadecimal digits.
  struct Encoded: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: String
    let title: String
    let bytes: String

    var decoded: [UInt8] {
      let digits = Array(bytes)
      return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
    }
  }

  private static let titles = [
    Encoded(
      testDescription: "Windows-1250 of Czech", name: "Windows-1250", title: "Hrnek červený velký",
      bytes: "48726e656b20e8657276656efd2076656c6bfd"),
    Encoded(
      testDescription: "Windows-1250 of Polish", name: "Windows-1250",
      title: "Łóżko dębowe ściągane",
      bytes: "a3f3bf6b6f2064ea626f7765209c6369b967616e65"),
    Encoded(
      testDescription: "ISO-8859-2 of Polish", name: "ISO-8859-2", title: "Łóżko dębowe ściągane",
      bytes: "a3f3bf6b6f2064ea626f776520b66369b167616e65"),
    Encoded(
      testDescription: "Windows-1250 of Hungarian", name: "Windows-1250",
      title: "Tűzőgép zöld füzettel, őszi",
      bytes: "54fb7af567e970207af66c642066fc7a657474656c2c20f5737a69"),
    Encoded(
      testDescription: "Windows-1251 of Russian", name: "Windows-1251", title: "Кружка красная",
      bytes: "caf0f3e6eae020eaf0e0f1ede0ff"),
    Encoded(
      testDescription: "Windows-1251 of Ukrainian", name: "Windows-1251",
      title: "Чашка синя для її кави",
      bytes: "d7e0f8eae020f1e8edff20e4ebff20bfbf20eae0e2e8"),
    Encoded(
      testDescription: "KOI8-R", name: "KOI8-R", title: "Кружка красная эмалированная",
      bytes: "ebd2d5d6cbc120cbd2c1d3cec1d120dccdc1ccc9d2cfd7c1cecec1d1"),
    Encoded(
      testDescription: "Windows-1252 of German", name: "Windows-1252", title: "Tässchen grün",
      bytes: "54e473736368656e206772fc6e"),
    Encoded(
      testDescription: "Windows-1252 of French", name: "Windows-1252",
      title: "Tasse émaillée – l’été",
      bytes: "546173736520e96d61696c6ce9652096206c92e974e9"),
    Encoded(
      testDescription: "Windows-1252 of Swedish", name: "Windows-1252", title: "Kåsa för äventyr",
      bytes: "4be573612066f67220e476656e747972"),
    Encoded(
      testDescription: "Windows-1253", name: "Windows-1253", title: "Κούπα κόκκινη",
      bytes: "caeffdf0e120eafceaeae9ede7"),
    Encoded(
      testDescription: "Windows-1254", name: "Windows-1254", title: "Kırmızı çanta, yeşil tişört",
      bytes: "4bfd726dfd7afd20e7616e74612c207965fe696c207469fef67274"),
    Encoded(
      testDescription: "Windows-1255", name: "Windows-1255", title: "ספל אדום גדול",
      bytes: "f1f4ec20e0e3e5ed20e2e3e5ec"),
    Encoded(
      testDescription: "Windows-1256", name: "Windows-1256", title: "كوب أحمر كبير",
      bytes: "dfe6c820c3cde3d120dfc8edd1"),
    Encoded(
      testDescription: "GBK", name: "GBK", title: "红色搪瓷杯",
      bytes: "baecc9abccc2b4c9b1ad"),
    Encoded(
      testDescription: "Big5", name: "Big5", title: "紅色露營馬克杯",
      bytes: "acf5a6e2c553c0e7b0a8a74aaa4d"),
    Encoded(
      testDescription: "Shift-JIS", name: "Shift-JIS", title: "赤いマグカップ",
      bytes: "90d482a2837d834f834a83628376"),
    Encoded(
      testDescription: "EUC-KR", name: "EUC-KR", title: "빨강 머그컵",
      bytes: "bba1b0ad20b8d3b1d7c4c5"),
  ]

  /// Would break if text were taken for Western European: titles were wrong without a word.
  @Test(arguments: titles) func `the letters tell the encoding`(title: Encoded) throws {
    let export = try ReadExport(Array("id;title\n1;".utf8) + title.decoded + Array("\n".utf8))
    #expect(export.products.map(\.title) == [title.title])
    #expect(export.encoding?.name == title.name && export.encoding?.isGuessed == true)
  }

  /// Would break if a character in the middle of two reads were lost.
  @Test(arguments: titles) func `a named encoding is used, also in long texts`(title: Encoded)
    throws
  {
    let count = 20_000
    let row = Array("x;".utf8) + title.decoded + Array("\n".utf8)
    let rows = (0..<count).flatMap { Array("\($0)".utf8) + row.dropFirst(1) }
    let options = FeedOptions(encoding: title.name)
    let folder = try TemporaryDirectory()
    let path = try folder.write(Array("id;title\n".utf8) + rows, to: "f.csv")
    var records = try RecordReader(path: path, encoding: options.encoding)
    var found = 0
    while let record = try records.next() {
      guard case .bytes(let bytes, _) = record else { continue }
      if String(decoding: bytes, as: UTF8.self).hasSuffix(title.title) { found += 1 }
    }
    #expect(found == count)
  }

  /// Would break if a document of anybody reached any of the library's converters.
  @Test func `documents reach few converters`() {
    #expect(
      SystemEncoding(named: "gb2312")?.title == "GBK" && SystemEncoding(named: "EUC_KR") != nil)
    #expect(
      SystemEncoding(named: "ISO-2022-CN-EXT") == nil && SystemEncoding(named: "utf-7") == nil)
  }

  @Test func `known encodings can be named`() {
    for name in ["utf-8", "windows-1251", "gbk", "Shift_JIS", "euc-kr", "iso-8859-2", "utf-16le"] {
      #expect(FeedEncoding.isKnown(name))
    }
    #expect(!FeedEncoding.isKnown("klingon-8") && !FeedEncoding.isKnown("utf-8//IGNORE"))
  }
}
