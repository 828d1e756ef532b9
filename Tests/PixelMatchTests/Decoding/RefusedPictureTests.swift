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
    let many = bytes[..<33] + (0..<1001).flatMap { _ in chunk(1) } + bytes[33...]
    #expect(code(Array(many)) == .tooMuchWork)
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
