import Foundation
import PixelMatch
import TestSupport
import Testing

@Suite struct RefusedPictureTests {
  private func code(_ bytes: [UInt8], _ limits: DecodeLimits = .default) -> DecodeError.Code? {
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder(limits: limits).decode(bytes, longerSide: 512)
    }
    return error?.code
  }

  struct Format: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }

    init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
  }

  @Test(arguments: [
    Format("BMP", "BM" + String(repeating: "\0", count: 60)), Format("TIFF", "II*\0\u{8}\0\0\0"),
    Format("JPEG XL", [0xFF, 0x0A, 0x00]), Format("PDF", "%PDF-1.7"), Format("ICO", [0, 0, 1, 0]),
    Format("SVG", "<?xml version=\"1.0\"?><svg/>"), Format("HTML", "<!doctype html><p>"),
    Format("text", "hello"), Format("gzip", [0x1F, 0x8B, 8]),
    Format("MP4 video", "\0\0\0 ftypisom"),
    Format("this kind of file", [0x07, 0x80, 0xFE]),
  ])
  func `another kind of file is refused by its name`(format: Format) {
    let decoder = ImageDecoder(formats: [.jpeg, .png])
    let error = #expect(throws: DecodeError.self) { try decoder.header(of: format.bytes) }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message == "\(format.name) is not supported; send JPEG or PNG")
  }

  @Test func `no bytes are an error of their own`() { #expect(code([]) == .empty) }

  @Test func `too many bytes are refused, the limit itself is not`() throws {
    let bytes = PictureVector.bytes(of: "baseline-420.jpg")
    #expect(code(bytes, DecodeLimits(byteLimit: bytes.count - 1)) == .tooManyBytes)
    _ = try ImageDecoder(limits: DecodeLimits(byteLimit: bytes.count)).decode(bytes)
  }

  @Test(arguments: ["baseline-420.jpg", "progressive.jpg", "rgb8.png", "rgba8-interlaced.png"])
  func `too many pixels are refused, the limit itself is not`(name: String) throws {
    let bytes = PictureVector.bytes(of: name)
    #expect(code(bytes, DecodeLimits(pixelLimit: 37 * 23 - 1)) == .tooManyPixels)
    _ = try ImageDecoder(limits: DecodeLimits(pixelLimit: 37 * 23)).decode(bytes)
  }

  /// Without a limit on the header, a few kilobytes would allocate gigabytes.
  @Test func `a header of billions of pixels takes no memory`() {
    var jpeg = PictureVector.bytes(of: "progressive.jpg")
    let frame = jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC2 }!
    for (place, byte) in [0xFF, 0xDC, 0xFF, 0xDC].enumerated() {
      jpeg[frame + 5 + place] = UInt8(byte)
    }
    #expect(code(jpeg) == .tooManyPixels)
    var png = PictureVector.bytes(of: "rgb8.png")
    for (place, byte) in [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF].enumerated() {
      png[16 + place] = UInt8(byte)
    }
    #expect(code(png) == .tooManyPixels)
  }

  /// 191 KB of empty scans kept a stock decoder busy for five seconds.
  @Test func `more blocks times scans than the limit are refused`() throws {
    let bytes = PictureVector.bytes(of: "progressive.jpg")
    let header = try ImageDecoder().header(of: bytes)
    #expect(header.isProgressive && header.scanCount > 3)
    // 5 × 3 blocks of luma and 2 × 3 × 2 of colors.
    let work = (15 + 12) * header.scanCount
    #expect(code(bytes, DecodeLimits(blockScanLimit: work - 1)) == .tooMuchWork)
    _ = try ImageDecoder(limits: DecodeLimits(blockScanLimit: work)).decode(bytes)

    let scan = bytes.indices.last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }!
    let bomb =
      bytes[..<scan] + (0..<500).flatMap { _ in bytes[scan..<bytes.count - 2] } + [0xFF, 0xD9]
    #expect(code(Array(bomb), DecodeLimits(blockScanLimit: 10_000)) == .tooMuchWork)
  }

  /// A decision of arithmetic coding takes no bits if it is expected: only the number of blocks
  /// bounds the work that a few bytes can cause.
  @Test func `a block of arithmetic coding counts as 200`() throws {
    let bytes = PictureVector.bytes(of: "arithmetic.jpg")
    #expect(try !ImageDecoder().header(of: bytes).isProgressive)
    let work = 200 * (15 + 12)
    #expect(code(bytes, DecodeLimits(blockScanLimit: work - 1)) == .tooMuchWork)
    _ = try ImageDecoder(limits: DecodeLimits(blockScanLimit: work)).decode(bytes)
  }

  @Test(arguments: ["rgba8-interlaced.png", "progressive.jpg"])
  func `the memory of a picture that is kept whole is limited`(name: String) {
    let bytes = PictureVector.bytes(of: name)
    #expect(code(bytes, DecodeLimits(memoryLimit: 3400)) == .tooMuchWork)
  }

  /// Rows of a million pixels: a few kilobytes of file took 821 MB to hash.
  @Test func `the memory of long rows is limited`() throws {
    let bytes = PNGFile.black(width: 1 << 18, height: 6, isInterlaced: false)
    let decoder = ImageDecoder(limits: DecodeLimits(memoryLimit: 11 << 20))
    #expect(try decoder.decode(bytes, longerSide: 1024).width == 1024)
    let error = #expect(throws: DecodeError.self) { try decoder.pdqCoefficients(of: bytes) }
    #expect(error?.code == .tooMuchWork)
    #expect(code(bytes, DecodeLimits(memoryLimit: 1 << 20)) == .tooMuchWork)
    #expect(try ImageDecoder().pdqCoefficients(of: bytes).quality == 0)
  }

  @Test(arguments: ["tEXt", "zTXt", "iTXt", "prVt"])
  func `large or many PNG chunks are refused before they are read`(kind: String) throws {
    let bytes = PictureVector.bytes(of: "rgb8.png")
    func chunk(_ count: Int) -> [UInt8] {
      // The checksum is wrong; the parser must reject the file before libpng reads it.
      [0, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)] + Array(kind.utf8)
        + [UInt8](repeating: 65, count: count + 4)
    }
    let large = bytes[..<33] + chunk(5000) + bytes[33...]
    #expect(code(Array(large), DecodeLimits(chunkByteLimit: 4999)) == .tooMuchWork)
    let limit = kind == "prVt" ? 1000 : 100_000
    let more = [[UInt8]](repeating: chunk(0), count: limit + 1).joined()
    #expect(code(Array(bytes[..<33] + more + bytes[33...])) == .tooMuchWork)
  }

  /// Tools that keep metadata write some thousands.
  @Test(arguments: ["tEXt", "zTXt", "iTXt"])
  func `3000 texts in a PNG are skipped`(kind: String) throws {
    let bytes = PictureVector.bytes(of: "rgb8.png")
    let texts = (0..<3000).map { PNGFile.chunk(kind, Array("Key\($0)\0\0\0\0\0 text".utf8)) }
    let picture = try ImageDecoder().decode(PNGFile.inserting(texts, into: bytes))
    #expect(rgba(picture) == rgba(try ImageDecoder().decode(bytes)))
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    let name: String
    let change: @Sendable ([UInt8]) -> [UInt8]
    let reason: String
    var testDescription: String { name }

    init(_ name: String, _ reason: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
      (self.name, self.reason, self.change) = (name, reason, change)
    }

    /// Replaces each byte, given the one before it.
    init(
      _ name: String, _ reason: String, each: @escaping @Sendable (UInt8, UInt8) -> [UInt8]
    ) {
      self.init(name, reason) { bytes in
        zip([0] + bytes, bytes).flatMap { each($0, $1) }
      }
    }
  }

  /// Would break if a file that a transfer damaged were called another format.
  @Test(arguments: [
    Damage("CR LF to LF", "line ends", each: { $1 == 0x0D ? [] : [$1] }),
    Damage("LF to CR LF", "line ends", each: { $1 == 0x0A ? [0x0D, 0x0A] : [$1] }),
    Damage(
      "bare LF to CR LF", "line ends", each: { $1 == 0x0A && $0 != 0x0D ? [0x0D, 0x0A] : [$1] }),
    Damage("LF to CR", "line ends", each: { $1 == 0x0A ? [0x0D] : [$1] }),
    Damage("seven bits", "highest bit", each: { [$1 & 0x7F] }),
    Damage("UTF-8", "UTF-8", { Array(String(decoding: $0, as: UTF8.self).utf8) }),
    Damage(
      "Latin-1 to UTF-8", "UTF-8",
      each: { $1 < 0x80 ? [$1] : Array(String(UnicodeScalar($1)).utf8) }),
  ])
  func `a PNG that was taken for text is called that`(damage: Damage) {
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().header(of: damage.change(PictureVector.bytes(of: "rgb8.png")))
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains(damage.reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix("PNG is damaged: ") == true)
  }

  @Test func `a JPEG that was taken for text is called that`() {
    let text = String(decoding: PictureVector.bytes(of: "baseline-420.jpg"), as: UTF8.self)
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().header(of: Array(text.utf8))
    }
    #expect(error?.code == .corrupt && error?.message.contains("UTF-8") == true)
  }

  /// Xcode writes such files into apps; only Apple's decoder reads them.
  @Test func `Xcode's PNG is called by its name`() {
    let bytes = PictureVector.bytes(of: "rgb8.png")
    let file = Array(bytes[..<8]) + PNGFile.chunk("CgBI", [0x50, 0, 0x20, 2]) + bytes[8...]
    let error = #expect(throws: DecodeError.self) { try ImageDecoder().header(of: file) }
    #expect(error?.code == .unsupportedFormat && error?.message.contains("CgBI") == true)
  }

  /// Would break if colors were made up without a word. Browsers show black in their place.
  @Test(arguments: ["palette2.png", "palette4.png", "palette8.png"])
  func `a palette that lacks colors is damage`(name: String) throws {
    let bytes = PictureVector.bytes(of: name)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("PLTE".utf8)) })
    let length = bytes[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
    func file(palette: ArraySlice<UInt8>) -> [UInt8] {
      bytes[..<(place - 4)] + PNGFile.chunk("PLTE", Array(palette)) + bytes[(place + 8 + length)...]
    }
    let short = file(palette: bytes[(place + 4)..<(place + 4 + length / 2 / 3 * 3)])
    #expect(code(short) == .corrupt)
    let picture = try ImageDecoder(keepsDamaged: true).picture(short, longerSide: .max)
    #expect(picture.damage?.message.contains("its palette has \(length / 6) colors") == true)
    for (found, whole) in zip(rgba(picture.pixels), rgba(try ImageDecoder().decode(bytes))) {
      #expect(found == whole || found == 0)
    }
    let odd = #expect(throws: DecodeError.self) {
      try ImageDecoder(keepsDamaged: true).decode(
        file(palette: bytes[(place + 4)..<(place + 3 + length)]))
    }
    #expect(odd?.message.contains("its palette has \(length - 1) bytes") == true)
  }

  /// https://github.com/w3c/png/issues/310
  @Test func `the orientation of a PNG after its pixels does not count`() throws {
    let turned = PictureVector.bytes(of: "rgb8-exif6.png")
    let place = try #require(
      turned.indices.first { turned[$0...].starts(with: Array("eXIf".utf8)) })
    let length = turned[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
    let exif = turned[(place - 4)..<(place + 8 + length)]
    let plain = PictureVector.bytes(of: "rgb8.png")
    #expect(try ImageDecoder().header(of: turned).orientation != .up)
    #expect(
      try ImageDecoder().header(of: PNGFile.inserting([Array(exif)], into: plain)).orientation
        != .up)
    let late = plain.dropLast(12) + exif + plain.suffix(12)
    #expect(try ImageDecoder().header(of: Array(late)).orientation == .up)
  }

  /// Would break if the coefficients of a progressive JPEG took more memory than was checked: 100 megapixels take 300 MB
  /// (`vq match` 319 MB as a whole), which is within the default limit.
  @Test(arguments: [([1, 1, 1], 600), ([2, 1, 1], 300)])
  func `the memory of a progressive JPEG of 100 megapixels is checked on its header`(
    sampling: [Int], megabytes: Int
  ) throws {
    var bytes = PictureVector.bytes(of: "progressive.jpg")
    let frame = bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC2 }!
    bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x27, 0x10, 0x27, 0x10])
    for (component, factor) in sampling.enumerated() {
      bytes[frame + 11 + 3 * component] = UInt8(factor << 4 | factor)
    }
    let exact = DecodeLimits(memoryLimit: (megabytes - 10) * 1_000_000)
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder(limits: exact).decode(bytes, longerSide: 1024, shouldStop: { true })
    }
    #expect(error?.code == .tooMuchWork)
    // Beyond the limit, decoding is rejected before memory is allocated; within the limit, it ends as soon as the
    // caller stops it.
    let standard = #expect(throws: DecodeError.self) {
      try ImageDecoder().decode(bytes, longerSide: 1024, shouldStop: { true })
    }
    #expect(standard?.code == (megabytes > 512 ? .tooMuchWork : .cancelled))
  }

  @Test func `what the C libraries do not take is refused by name`() {
    var bytes = PictureVector.bytes(of: "baseline-420.jpg")
    let frame = bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 }!
    bytes[frame + 4] = 12
    #expect(code(bytes) == .unsupportedFormat)
    bytes[frame + 4] = 8
    bytes[frame + 1] = 0xC3
    #expect(code(bytes) == .unsupportedFormat)
  }

  /// Every length from zero to all but one byte gives an error with the right code, never a crash.
  @Test(arguments: [
    "baseline-420.jpg", "progressive.jpg", "restart.jpg", "cmyk-adobe.jpg", "rgb8.png",
    "palette4.png", "rgba8-interlaced.png",
  ])
  func `a picture that ends too early is refused at every byte`(name: String) throws {
    let bytes = PictureVector.bytes(of: name)
    let whole = rgba(try ImageDecoder().decode(bytes))
    for count in 0..<bytes.count {
      do {
        let picture = try ImageDecoder().decode(Array(bytes[..<count]))
        // Only data after the last pixel may be missing.
        #expect(count >= bytes.count - 16 && rgba(picture) == whole, "\(count) bytes")
      } catch {
        #expect(
          [.truncated, .corrupt, .empty, .unsupportedFormat].contains(error.code),
          "\(count) bytes: \(error.code)")
      }
    }
  }

  @Test(arguments: ["baseline-420.jpg", "rgb8.png"])
  func `the message says how much was there`(name: String) {
    let bytes = PictureVector.bytes(of: name)
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().decode(Array(bytes[..<(bytes.count * 2 / 3)]))
    }
    #expect(error?.code == .truncated)
    #expect(error?.message.contains("of 23 rows are there") == true)
  }

  @Test(arguments: ["baseline-420.jpg", "progressive.jpg", "rgb8.png"])
  func `the tolerant mode keeps the decoded part`(name: String) throws {
    let bytes = PictureVector.bytes(of: "../large" + (name.hasSuffix("png") ? ".png" : ".jpg"))
    let whole = try ImageDecoder().decode(bytes)
    let decoder = ImageDecoder(keepsTruncated: true)
    let part = try decoder.decode(Array(bytes[..<(bytes.count / 2)]))
    #expect((part.width, part.height) == (whole.width, whole.height))
    let (a, b) = (rgba(part), rgba(whole))
    let rowBytes = 4 * whole.width
    // The upper rows are right, the last ones white.
    #expect(a[..<(rowBytes * 100)] == b[..<(rowBytes * 100)])
    #expect(a.suffix(rowBytes).allSatisfy { $0 == 255 })
    #expect(throws: DecodeError.self) { try decoder.decode(Array(bytes[..<20])) }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `damaged bytes give a picture or an error`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let vector = PictureVector.all.randomElement(using: &generator)!
    var bytes = PictureVector.bytes(of: vector.name)
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let place = Int.random(in: 8..<bytes.count, using: &generator)
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    }
    let limits = DecodeLimits(pixelLimit: 1_000_000)
    for isTolerant in [false, true] {
      let decoder = ImageDecoder(
        limits: limits, keepsTruncated: isTolerant, keepsDamaged: isTolerant)
      if let picture = try? decoder.decode(bytes, longerSide: 64) {
        #expect(max(picture.width, picture.height) <= 64)
      }
      _ = try? decoder.pdqCoefficients(of: bytes)
    }
  }

  @Test(arguments: [
    "../large.jpg", "../large-progressive.jpg", "../large.png", "rgba8-interlaced.png",
  ])
  func `decoding stops when it is asked to`(name: String) {
    let bytes = PictureVector.bytes(of: name)
    var asked = 0
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().decode(
        bytes,
        shouldStop: {
          asked += 1; return asked == 2
        })
    }
    #expect(error?.code == .cancelled)
    #expect(asked == 2)
  }

  /// Would break if a file was read in one call, which takes 30 ms for one of 32 MB.
  @Test func `reading a file asks between its parts whether to stop`() throws {
    let path = NSTemporaryDirectory() + UUID().uuidString
    let bytes = [UInt8](repeating: 7, count: 5_000_000)
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var asked = 0
    let whole = try ImageDecoder().contents(ofFile: path) {
      asked += 1
      return false
    }
    #expect(whole == bytes)
    #expect(asked >= 4)
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().contents(ofFile: path) { true }
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `files that cannot be read are told apart`() throws {
    let folder = NSTemporaryDirectory() + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/picture.jpg"
    let bytes = PictureVector.bytes(of: "baseline-420.jpg")
    #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
    #expect(try ImageDecoder().contents(ofFile: path) == bytes)
    let limits = DecodeLimits(byteLimit: bytes.count - 1)
    for (path, decoder, code, text) in [
      (folder + "/none.jpg", ImageDecoder(), DecodeError.Code.unreadable, "No such file"),
      (folder, ImageDecoder(), .unreadable, "directory"),
      (path, ImageDecoder(limits: limits), .tooManyBytes, "\(bytes.count - 1)"),
    ] {
      let error = #expect(throws: DecodeError.self) { try decoder.contents(ofFile: path) }
      #expect(error?.code == code)
      #expect(error?.message.contains(text) == true)
    }
  }
}
