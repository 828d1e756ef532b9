import PixelMatch
import TestSupport
import Testing

/// Images whose pixels come in passes over the whole image, of which a smaller image needs only a
/// few.
@Suite struct InterlacedPictureTests {
  private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Passes without a column or a row are omitted from the file: a reader that expects them would
  /// read another pass in their place.
  @Test(arguments: 1...9, [1, 2, 3, 4, 5, 8, 9])
  func `an interlaced picture has the pixels of the same picture without passes`(
    width: Int, height: Int
  ) throws {
    let pixels = Self.noise(3 * width * height, seed: UInt64(16 * width + height))
    let files = [true, false].map {
      PNGFile.rgb(width: width, height: height, pixels: pixels, isInterlaced: $0)
    }
    let decoded = try files.map { rgba(try ImageDecoder().decode($0)) }
    #expect(decoded[0] == decoded[1])
    let hashes = try files.map { try ImageDecoder().pdqCoefficients(of: $0).hash }
    #expect(hashes[0] == hashes[1])
  }

  /// The rule: as few passes as leave the requested longer side.
  @Test(arguments: [(64, 1), (63, 1), (33, 1), (32, 2), (17, 2), (16, 4), (9, 4), (8, 8), (3, 8)])
  func `a smaller picture is made of every 2nd, 4th or 8th pixel that suffices`(
    limit: Int, step: Int
  ) throws {
    let (width, height) = (64, 43)
    let pixels = Self.noise(3 * width * height, seed: 1)
    let file = PNGFile.rgb(width: width, height: height, pixels: pixels, isInterlaced: true)
    let columns = Array(stride(from: 0, to: width, by: step))
    let rows = Array(stride(from: 0, to: height, by: step))
    var kept: [UInt8] = []
    for y in rows {
      for x in columns {
        let place = 3 * (y * width + x)
        kept += pixels[place..<place + 3]
        kept.append(255)
      }
    }
    let expected = try PixelBuffer(
      width: columns.count, height: rows.count, format: .rgba8, bytes: kept)
    let decoded = try ImageDecoder().decode(file, longerSide: limit)
    #expect(rgba(decoded) == rgba(expected.reduced(toLongerSide: limit)))
  }

  /// Would break if the rest of the file were read, which takes nearly all of the time.
  @Test func `passes that a smaller picture does not need are not read`() throws {
    let side = 512
    let file = PNGFile.rgb(
      width: side, height: side, pixels: Self.noise(3 * side * side, seed: 2), isInterlaced: true,
      level: 0)
    // libpng asks for a few kilobytes at once.
    let start = Array(file[..<(file.count / 16 + 8192)])
    #expect(
      rgba(try ImageDecoder().decode(start, longerSide: side / 4))
        == rgba(try ImageDecoder().decode(file, longerSide: side / 4)))
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().decode(start, longerSide: side / 2)
    }
    #expect(error?.code == .truncated)
  }

  @Test func `a smaller picture takes no more memory than its passes`() throws {
    let file = PNGFile.black(width: 4000, height: 3000, isInterlaced: true)
    let decoder = ImageDecoder(limits: DecodeLimits(memoryLimit: 1_000_000))
    #expect(try decoder.decode(file, longerSide: 500).width == 500)
    let error = #expect(throws: DecodeError.self) { try decoder.decode(file, longerSide: 1000) }
    #expect(error?.code == .tooMuchWork)
    #expect(error?.message.contains("the limit is") == true)
    #expect(try ImageDecoder().decode(file, longerSide: 1000).width == 1000)
  }

  /// If the deadline were checked only after a whole pass, it would be exceeded by seconds.
  @Test func `the passes of a large picture are cut by a stop`() throws {
    let file = PNGFile.black(width: 3000, height: 2000, isInterlaced: true)
    var asked = 0
    _ = try ImageDecoder().decode(
      file, longerSide: 2000,
      shouldStop: {
        asked += 1
        return false
      })
    let needed = asked
    #expect(needed > 50)
    asked = 0
    let error = #expect(throws: DecodeError.self) {
      try ImageDecoder().decode(
        file, longerSide: 2000,
        shouldStop: {
          asked += 1
          return asked == needed / 2
        })
    }
    #expect(error?.code == .cancelled && asked == needed / 2)
  }
}
