import PixelMatch
import TestSupport
import Testing

/// Files with faults that browsers ignore: rejected when indexing, accepted as queries on request.
@Suite struct DamagedPictureTests {
  private let lenient = ImageDecoder(keepsDamaged: true)

  private func code(_ decoder: ImageDecoder, _ bytes: [UInt8]) -> DecodeError.Code? {
    #expect(throws: DecodeError.self) { try decoder.decode(bytes) }?.code
  }

  @Test(arguments: ["rgb8.png", "palette4.png", "grey16.png", "rgba8-interlaced.png"])
  func `a wrong checksum of the last pixels is passed over on request`(name: String) throws {
    let whole = PictureVector.bytes(of: name)
    let bytes = PNGFile.withWrongChecksum(whole)
    #expect(code(ImageDecoder(), bytes) == .corrupt)
    let picture = try lenient.picture(bytes, longerSide: .max)
    #expect(rgba(picture.pixels) == rgba(try ImageDecoder().decode(whole)))
    #expect(picture.damage?.code == .corrupt)
    #expect(picture.damage?.message.contains("CRC") == true)
  }

  @Test(arguments: PictureVector.all)
  func `a sound picture is decoded alike, without a word of damage`(vector: PictureVector) throws {
    let bytes = PictureVector.bytes(of: vector.name)
    let picture = try lenient.picture(bytes, longerSide: .max)
    #expect(picture.damage == nil)
    #expect(rgba(picture.pixels) == rgba(try ImageDecoder().decode(bytes)))
  }

  @Test(arguments: ["baseline-420.jpg", "progressive.jpg", "restart.jpg"])
  func `an invalid code in a JPEG is passed over on request`(name: String) throws {
    let whole = PictureVector.bytes(of: name)
    let scan = try #require(
      whole.indices.first { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }, "no scan")
    // A marker within the data of the first scan ends it: libjpeg fills in the rest.
    var bytes = whole
    let place = scan + 2 + Int(whole[scan + 3]) + 8
    bytes.replaceSubrange(place..<place, with: [0xFF, 0xD5])
    #expect(code(ImageDecoder(), bytes) == .corrupt)
    let picture = try lenient.picture(bytes, longerSide: .max)
    #expect((picture.pixels.width, picture.pixels.height) == (37, 23))
    #expect(picture.damage?.code == .corrupt)
  }

  /// Missing data is not damage: half an upload is rejected as before.
  @Test(arguments: ["baseline-420.jpg", "progressive.jpg", "rgb8.png", "rgba8-interlaced.png"])
  func `a truncated picture is refused even so`(name: String) {
    let bytes = PictureVector.bytes(of: name)
    #expect(code(lenient, Array(bytes[..<(bytes.count * 2 / 3)])) == .truncated)
  }

  @Test func `the tolerant mode tells what is missing`() throws {
    let bytes = PictureVector.bytes(of: "../large.jpg")
    let decoder = ImageDecoder(keepsTruncated: true)
    let picture = try decoder.picture(Array(bytes[..<(bytes.count / 2)]), longerSide: 200)
    #expect(picture.damage?.code == .truncated)
  }

  struct Metadata: CustomTestStringConvertible, Sendable {
    let name: String
    let segment: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ segment: [UInt8]) { (self.name, self.segment) = (name, segment) }

    /// An APP1 segment of EXIF around a TIFF structure.
    init(_ name: String, tiff: [UInt8]) {
      let content = Array("Exif\0\0".utf8) + tiff
      self.init(name, [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content)
    }
  }

  private static let tiffHead: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]

  /// Metadata is not a reason to reject an image: without a valid orientation, it is upright.
  @Test(arguments: [
    Metadata("no length", [0xFF, 0xE1, 0, 0]), Metadata("length 1", [0xFF, 0xE1, 0, 1]),
    Metadata("empty", [0xFF, 0xE1, 0, 2]), Metadata("empty comment", [0xFF, 0xFE, 0, 0]),
    Metadata("length too short", [0xFF, 0xE1, 0, 4] + Array("Exif\0\0II*\0".utf8)),
    Metadata("no directory", tiff: tiffHead),
    Metadata("directory far away", tiff: [0x49, 0x49, 42, 0, 255, 255, 255, 255]),
    Metadata("more entries than bytes", tiff: tiffHead + [255, 255, 0x12, 1]),
    Metadata("another byte order", tiff: [0x4A, 0x4A] + tiffHead.dropFirst(2)),
    Metadata("orientation 0", tiff: tiffHead + [1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
    Metadata("orientation 9", tiff: tiffHead + [1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0]),
    Metadata(
      "orientation as text", tiff: tiffHead + [1, 0, 0x12, 1, 2, 0, 1, 0, 0, 0, 6, 0, 0, 0]),
  ])
  func `bad metadata is passed over, and the picture upright`(metadata: Metadata) throws {
    let sound = PictureVector.bytes(of: "baseline-420.jpg")
    let bytes = Array(sound[..<2]) + metadata.segment + sound[2...]
    #expect(try ImageDecoder().header(of: bytes).orientation == .up)
    #expect(rgba(try ImageDecoder().decode(bytes)) == rgba(try ImageDecoder().decode(sound)))
  }
}
