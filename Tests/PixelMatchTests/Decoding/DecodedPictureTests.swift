import Foundation
import PixelMatch
import Testing

/// One line of `Conformance/pictures.tsv`: an image, and its pixels according to another decoder.
struct PictureVector: CustomTestStringConvertible, Sendable {
  let name: String
  let width, height: Int
  let pixels: [UInt8]
  var testDescription: String { name }

  static let folder = Bundle.module.resourceURL!.appendingPathComponent("Conformance")

  static func bytes(of name: String) -> [UInt8] {
    [UInt8](FileManager.default.contents(atPath: folder.path + "/pictures/" + name)!)
  }

  static let all = vectors(in: "pictures.tsv")
  static let profiled = vectors(in: "profiles.tsv")

  private static func vectors(in file: String) -> [PictureVector] {
    let text = FileManager.default.contents(atPath: folder.path + "/" + file)!
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map { line in
      let fields = line.split(separator: "\t").map(String.init)
      return PictureVector(
        name: fields[0], width: Int(fields[1])!, height: Int(fields[2])!,
        pixels: [UInt8](Data(base64Encoded: fields[3])!))
    }
  }
}

/// Returns all pixels of an image as RGBA.
func rgba(_ picture: PixelBuffer) -> [UInt8] {
  var pixels: [UInt8] = []
  picture.forEachRGBARow { row, _ in for index in row.indices { pixels.append(row[index]) } }
  return pixels
}

@Suite struct DecodedPictureTests {
  /// PNG must agree in every bit. JPEG must too, because both decoders use libjpeg-turbo's exact
  /// transform, except for a step if another version rounds the upsampling of colors differently.
  @Test(arguments: PictureVector.all)
  func `pixels are those of another decoder`(vector: PictureVector) throws {
    let picture = try ImageDecoder().decode(PictureVector.bytes(of: vector.name))
    #expect((picture.width, picture.height) == (vector.width, vector.height))
    let decoded = rgba(picture)
    try #require(decoded.count == vector.pixels.count)
    let tolerance = vector.name.hasSuffix(".png") ? 0 : 2
    let worst = zip(decoded, vector.pixels).map { abs(Int($0) - Int($1)) }.max()!
    #expect(worst <= tolerance)
  }

  @Test func `every kind of picture is there`() {
    #expect(PictureVector.all.count { $0.name.hasSuffix(".png") } >= 22)
    #expect(PictureVector.all.count { $0.name.hasSuffix(".jpg") } >= 20)
  }

  @Test(arguments: PictureVector.all)
  func `a smaller picture is the area average of the full one`(vector: PictureVector) throws {
    let bytes = PictureVector.bytes(of: vector.name)
    let full = try ImageDecoder().decode(bytes)
    let small = try ImageDecoder().decode(bytes, longerSide: 30)
    #expect(max(small.width, small.height) == 30)
    let expected = rgba(full.reduced(toLongerSide: 30))
    let worst = zip(rgba(small), expected).map { abs(Int($0) - Int($1)) }.max()!
    // A rotated image is averaged before it is rotated, which rounds identically.
    #expect(worst == 0)
  }

  /// The fraction itself may fall short of the limit by a quarter; larger results are reduced to
  /// the limit.
  @Test(arguments: [(1600, 1024), (500, 500), (512, 512), (260, 256), (200, 200), (150, 128)])
  func `a large JPEG is decoded at the fraction that leaves enough`(
    limit: Int, longerSide: Int
  ) throws {
    let bytes = PictureVector.bytes(of: "../large.jpg")
    let header = try ImageDecoder().header(of: bytes)
    #expect((header.width, header.height) == (1024, 640))
    let picture = try ImageDecoder().decode(bytes, longerSide: limit)
    #expect(max(picture.width, picture.height) == longerSide)
    let expected = try ImageDecoder().decode(bytes).reduced(toLongerSide: longerSide)
    let error = zip(rgba(picture), rgba(expected)).map { abs(Int($0) - Int($1)) }.reduce(0, +)
    #expect(Double(error) / Double(rgba(expected).count) < 3)
  }

  @Test func `rows in a stream have the hash of the whole picture`() throws {
    let bytes = PictureVector.bytes(of: "../large.jpg")
    let streamed = try ImageDecoder().pdqCoefficients(of: bytes)
    let whole = PDQHasher.coefficients(of: try ImageDecoder().decode(bytes))
    #expect(streamed.hash == whole.hash)
    #expect(streamed.quality == whole.quality)
  }

  @Test(arguments: 1...8)
  func `the header tells how a picture must be turned`(orientation: Int) throws {
    let header = try ImageDecoder().header(of: PictureVector.bytes(of: "exif\(orientation).jpg"))
    #expect(header.orientation.rawValue == UInt8(orientation))
    #expect((header.width, header.height) == (37, 23))
  }
}
