import PixelMatch
import TestSupport
import Testing

/// JPEG files that end too early: without their end marker only, or without pixels.
@Suite struct UnendedJPEGTests {
  private static let names =
    PictureVector.all.map(\.name).filter { $0.hasSuffix(".jpg") } + [
      "../large.jpg", "../large-progressive.jpg",
    ]

  private func error(_ bytes: [UInt8]) -> DecodeError? {
    #expect(throws: DecodeError.self) { try ImageDecoder().decode(bytes) }
  }

  /// Old phones and transfers by FTP leave the marker out, and browsers show the image
  /// (https://github.com/SixLabors/ImageSharp/issues/440).
  ///
  /// Would break if libjpeg's warning that the bytes end, which comes while rows are still read ahead, were taken for
  /// missing rows.
  @Test(arguments: names, [1, 2])
  func `a JPEG that lacks only its end marker is whole`(name: String, count: Int) throws {
    let bytes = PictureVector.bytes(of: name)
    try #require(bytes.suffix(2) == [0xFF, 0xD9])
    let whole = try ImageDecoder().picture(bytes, longerSide: .max)
    let picture = try ImageDecoder().picture(Array(bytes.dropLast(count)), longerSide: .max)
    #expect(picture.damage == nil)
    #expect(rgba(picture.pixels) == rgba(whole.pixels))
  }

  /// Would break if an arithmetic decoder's zeros, which never end, were taken for pixels.
  @Test(arguments: names)
  func `a JPEG that lacks pixels, too, is truncated`(name: String) {
    let bytes = PictureVector.bytes(of: name)
    #expect(error(Array(bytes.dropLast(24)))?.code == .truncated)
  }

  /// Would break if a scan that is missing as a whole went unnoticed, since no data ends within it.
  @Test(arguments: ["progressive.jpg", "progressive-grey.jpg", "../large-progressive.jpg"])
  func `a JPEG that lacks its last scan is truncated`(name: String) throws {
    let bytes = PictureVector.bytes(of: name)
    let scans = bytes.indices.filter {
      bytes[$0] == 0xFF && $0 + 1 < bytes.count && bytes[$0 + 1] == 0xDA
    }
    // The tables of the scan may come before it.
    let tables = bytes.indices.last {
      $0 < scans.last! && bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC4 && $0 > scans[scans.count - 2]
    }
    for end in [scans.last!, tables ?? scans.last!] {
      let part = Array(bytes[..<end])
      #expect(error(part)?.code == .truncated)
      let shown = try ImageDecoder(keepsTruncated: true).picture(part, longerSide: .max)
      #expect(shown.damage?.code == .truncated)
    }
  }

  /// Would break if rows that libjpeg made up were counted, or rows that are there were not.
  @Test(arguments: [10, 100, 1000, 5000, 17_000, 30_000])
  func `the rows that are there are those of the whole image`(missing: Int) throws {
    let bytes = PictureVector.bytes(of: "../large.jpg")
    let whole = rgba(try ImageDecoder().decode(bytes))
    let part = Array(bytes.dropLast(missing))
    let picture = try ImageDecoder(keepsTruncated: true).picture(part, longerSide: .max)
    let message = try #require(picture.damage?.message)
    let words = message.split(separator: " ")
    let rows = try #require(Int(words[words.count - 6]), "\(message)")
    #expect(message.hasSuffix("\(rows) of 640 rows are there"))
    let rowBytes = 4 * picture.pixels.width
    #expect(rgba(picture.pixels)[..<(rows * rowBytes)] == whole[..<(rows * rowBytes)])
    // A row of blocks has 16 rows of pixels, and its last one needs the next row of blocks.
    let share = Double(part.count) / Double(bytes.count)
    #expect(Double(rows) > (share - 0.25) * 640 && (missing > 100 || rows >= 640 - 33), "\(rows)")
  }
}
