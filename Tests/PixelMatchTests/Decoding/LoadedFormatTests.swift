import Foundation
import PixelMatch
import TestSupport
import Testing

/// One line of `Conformance/loaded.tsv`: an image whose decoder is loaded when first needed, and its
/// pixels according to another decoder.
struct LoadedVector: CustomTestStringConvertible, Sendable {
  let name: String
  let width, height: Int
  /// The largest difference that versions of the codec may have.
  let tolerance: Int
  let pixels: [UInt8]
  var testDescription: String { name }
  var bytes: [UInt8] { PictureVector.bytes(of: "../loaded/" + name) }
  var format: ImageFormat { ImageFormat(rawValue: String(name.split(separator: ".")[1]))! }

  static let all: [LoadedVector] = {
    let file = PictureVector.folder.path + "/loaded.tsv"
    let text = String(decoding: FileManager.default.contents(atPath: file)!, as: UTF8.self)
    return text.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t").map(String.init)
      return LoadedVector(
        name: fields[0], width: Int(fields[1])!, height: Int(fields[2])!,
        tolerance: Int(fields[3])!,
        pixels: [UInt8](Data(base64Encoded: fields[4])!))
    }
  }()

  /// Those that this machine can decode.
  static let readable = all.filter(\.format.isReadable)
}

@Suite struct LoadedFormatTests {
  private func code(_ bytes: [UInt8], _ decoder: ImageDecoder = ImageDecoder()) -> DecodeError.Code?
  {
    #expect(throws: DecodeError.self) { try decoder.decode(bytes, longerSide: 512) }?.code
  }

  /// Turned images, profiles, code points, ten bits, alpha, and the first frame of animations.
  @Test(arguments: LoadedVector.readable)
  func `pixels are those of another decoder`(vector: LoadedVector) throws {
    let picture = try ImageDecoder().decode(vector.bytes)
    #expect((picture.width, picture.height) == (vector.width, vector.height))
    let decoded = rgba(picture)
    try #require(decoded.count == vector.pixels.count)
    let worst = zip(decoded, vector.pixels).map { abs(Int($0) - Int($1)) }.max()!
    #expect(worst <= vector.tolerance)
  }

  /// The code points are not in the reference's result, which ignores them.
  @Test(.enabled(if: ImageFormat.avif.isReadable))
  func `a color space that is no profile is converted`() throws {
    let bytes = PictureVector.bytes(of: "../loaded/p3-code-points.avif")
    let picture = try ImageDecoder().picture(bytes, longerSide: 64)
    #expect(picture.profile?.name == "cICP 12/13/0/1" && picture.profile?.reasonIgnored == nil)
  }

  @Test(arguments: LoadedVector.all)
  func `the contents tell the format and the size before a library is loaded`(
    vector: LoadedVector
  ) throws {
    let header = try ImageDecoder().header(of: vector.bytes)
    #expect(header.format == vector.format)
    let (found, expected) = (
      [header.width, header.height].sorted(), [vector.height, vector.width].sorted()
    )
    // HEVC encodes blocks of 64 pixels, and the file says how to crop them.
    #expect(vector.format == .heic ? found == [64, 64] : found == expected)
  }

  @Test(arguments: LoadedVector.readable)
  func `a smaller picture has the size that is asked for`(vector: LoadedVector) throws {
    for limit in [1, 5, 20] {
      let picture = try ImageDecoder().decode(vector.bytes, longerSide: limit)
      #expect(max(picture.width, picture.height) == limit)
    }
  }

  @Test(arguments: LoadedVector.readable)
  func `limits are checked on the header, the limit itself is accepted`(vector: LoadedVector) throws
  {
    let bytes = vector.bytes
    let header = try ImageDecoder().header(of: bytes)
    let pixels = header.width * header.height
    let isRefused =
      code(bytes, ImageDecoder(limits: DecodeLimits(pixelLimit: pixels - 1))) == .tooManyPixels
    #expect(isRefused)
    _ = try ImageDecoder(limits: DecodeLimits(pixelLimit: pixels)).decode(bytes)
    #expect(code(bytes, ImageDecoder(limits: DecodeLimits(memoryLimit: 1000))) == .tooMuchWork)
  }

  @Test(arguments: LoadedVector.all)
  func `a format that is not accepted is refused with those that are`(vector: LoadedVector) {
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder(formats: [.jpeg, .png]).decode(vector.bytes)
    }
    #expect(error?.code == .unsupportedFormat)
    #expect(
      error?.message == "\(vector.format.name) is not accepted here; send JPEG or PNG")
  }

  @Test(arguments: LoadedVector.all.filter { !$0.format.isReadable })
  func `a library that is missing is named with its package`(vector: LoadedVector) {
    let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(vector.bytes) }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message.contains("install the package lib") == true)
  }

  @Test(arguments: LoadedVector.readable)
  func `a picture that ends too early is refused`(vector: LoadedVector) {
    let bytes = vector.bytes
    let whole = try? ImageDecoder().decode(bytes)
    for count in stride(from: 0, to: bytes.count, by: bytes.count > 300 ? 7 : 1) {
      do {
        let picture = try ImageDecoder().decode(Array(bytes[..<count]))
        // The data after the pixels may be missing: metadata, further frames, alpha.
        #expect(count >= bytes.count / 3, "\(count) bytes")
        #expect(whole.map { picture.width == $0.width } != false || vector.name.hasPrefix("turned"))
      } catch {
        #expect(
          [.truncated, .corrupt, .empty, .unsupportedFormat].contains(error.code),
          "\(count) bytes: \(error.code)")
      }
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `damaged bytes give a picture or an error`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    guard let vector = LoadedVector.readable.randomElement(using: &generator) else { return }
    var bytes = vector.bytes
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let place = Int.random(in: 4..<bytes.count, using: &generator)
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    }
    let limits = DecodeLimits(pixelLimit: 1_000_000)
    for isTolerant in [false, true] {
      let decoder = ImageDecoder(
        limits: limits, keepsTruncated: isTolerant, keepsDamaged: isTolerant)
      if let picture = try? decoder.decode(bytes, longerSide: 64) {
        #expect(max(picture.width, picture.height) <= 64)
      }
    }
  }

  @Test(arguments: LoadedVector.readable)
  func `decoding stops when it is asked to`(vector: LoadedVector) {
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().decode(vector.bytes, shouldStop: { true })
    }
    #expect(error?.code == .cancelled)
  }

  static let large = ImageFormat.readable.filter { ![.jpeg, .png].contains($0) }

  /// Would break if a caller had to wait for a decoder, or a decoding that nobody waits for harmed the
  /// next one.
  @Test(arguments: large)
  func `the work before the first row can be stopped`(format: ImageFormat) throws {
    let bytes = PictureVector.bytes(of: "../large.\(format.rawValue)")
    var asked = 0
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().decode(
        bytes,
        shouldStop: {
          asked += 1
          return asked == 2
        })
    }
    #expect(error?.code == .cancelled && asked == 2)
    let picture = try ImageDecoder().decode(bytes)
    #expect((picture.width, picture.height) == (1024, 640))
  }

  /// libwebp scales by itself; the others are decoded whole and averaged.
  @Test(arguments: large, [512, 300, 100])
  func `a reduced picture is nearly the area average`(format: ImageFormat, limit: Int) throws {
    let bytes = PictureVector.bytes(of: "../large.\(format.rawValue)")
    let small = try ImageDecoder().decode(bytes, longerSide: limit)
    #expect(max(small.width, small.height) == limit)
    let expected = rgba(try ImageDecoder().decode(bytes).reduced(toLongerSide: limit))
    let error = zip(rgba(small), expected).map { abs(Int($0) - Int($1)) }.reduce(0, +)
    #expect(Double(error) / Double(expected.count) < 3)
  }

  /// Otherwise, whoever accepts one of the formats would run the decoder of the other.
  @Test func `an AVIF that holds HEVC is refused`() throws {
    var bytes = PictureVector.bytes(of: "../loaded/plain.heic")
    let end = Int(bytes[3])
    for place in stride(from: 8, to: end, by: 4) where place != 12 {
      bytes.replaceSubrange(place..<place + 4, with: Array("avif".utf8))
    }
    let error = #expect(throws: DecodeError.self) { try ImageDecoder().header(of: bytes) }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message == "AVIF with images of the type 'hvc1' is not supported")
  }

  /// Brands of the container alone leave the codec open.
  @Test(arguments: [("mif1avif", "AVIF"), ("mif1heic", "HEIC"), ("mif1miaf", "HEIC")])
  func `a brand of the container is told by the other brands`(brands: String, name: String) {
    let start = "\0\0\0\u{18}ftyp\(brands.prefix(4))\0\0\0\0\(brands)"
    #expect(ImageFormat.sniffedName(of: Array(start.utf8)) == name)
  }
}
