internal import CZlib

/// PNG files that tests write.
public enum PNGFile {
  /// The first column and row of each of Adam7's passes, and the steps to the next ones.
  private static let passes = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2),
  ]

  /// The bytes of a file of eight-bit RGB pixels.
  ///
  /// - Parameters:
  ///   - pixels: Rows of three bytes a pixel.
  ///   - level: zlib's level; at 0, the data is as long as the pixels.
  public static func rgb(
    width: Int, height: Int, pixels: [UInt8], isInterlaced: Bool, level: Int = 6
  ) -> [UInt8] {
    precondition(pixels.count == 3 * width * height, "pixels of another size")
    var data: [UInt8] = []
    for (x0, y0, dx, dy) in isInterlaced ? passes : [(0, 0, 1, 1)] where x0 < width {
      for y in stride(from: y0, to: height, by: dy) {
        data.append(0)
        for x in stride(from: x0, to: width, by: dx) {
          let place = 3 * (y * width + x)
          data += pixels[place..<place + 3]
        }
      }
    }
    return file(
      width: width, height: height, depth: 8, color: 2, isInterlaced: isInterlaced, data: data,
      level: level)
  }

  /// The bytes of a file of black pixels of one bit.
  public static func black(width: Int, height: Int, isInterlaced: Bool) -> [UInt8] {
    var count = 0
    for (x0, y0, dx, dy) in isInterlaced ? passes : [(0, 0, 1, 1)] where x0 < width {
      let columns = (width - x0 + dx - 1) / dx
      count += (1 + (columns + 7) / 8) * ((height - y0 + dy - 1) / dy)
    }
    return file(
      width: width, height: height, depth: 1, color: 0, isInterlaced: isInterlaced,
      data: [UInt8](repeating: 0, count: count), level: 9)
  }

  private static func file(
    width: Int, height: Int, depth: UInt8, color: UInt8, isInterlaced: Bool, data: [UInt8],
    level: Int
  ) -> [UInt8] {
    let header = number(width) + number(height) + [depth, color, 0, 0, isInterlaced ? 1 : 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
      + chunk("IDAT", compressed(data, level: level)) + chunk("IEND", [])
  }

  /// A file with further chunks after its header.
  public static func inserting(_ chunks: [[UInt8]], into file: [UInt8]) -> [UInt8] {
    Array(file[..<33]) + chunks.flatMap { $0 } + Array(file[33...])
  }

  /// A chunk with a compressed ICC profile.
  public static func profileChunk(_ profile: [UInt8]) -> [UInt8] {
    chunk("iCCP", Array("p".utf8) + [0, 0] + compressed(profile, level: 9))
  }

  /// A file whose last chunk of pixels has a wrong checksum.
  public static func withWrongChecksum(_ file: [UInt8]) -> [UInt8] {
    var bytes = file
    var (place, wrong) = (8, 0)
    while place + 12 <= file.count {
      let length = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      if file[place + 4..<place + 8].elementsEqual("IDAT".utf8) { wrong = place + 8 + length }
      place += 12 + length
    }
    precondition(wrong > 0, "not a PNG with pixels")
    bytes[wrong] ^= 0x55
    return bytes
  }

  /// A chunk with its checksum.
  public static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let checked = Array(name.utf8) + content
    return number(content.count) + checked + number(checksum(checked))
  }

  /// Big-endian, four bytes.
  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Bytes in the format of gzip.
  public static func gzipped(_ bytes: [UInt8]) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
      + compressed(bytes, level: 9).dropFirst(2).dropLast(4)
      + number(checksum(bytes)) + number(bytes.count)
  }

  // Sound: zlib gets each buffer along with its size.
  private static func checksum(_ bytes: [UInt8]) -> Int {
    unsafe bytes.withUnsafeBufferPointer { unsafe Int(crc32(0, $0.baseAddress, UInt32($0.count))) }
  }

  /// Bytes in the format of zlib, which HTTP calls `deflate`.
  public static func compressed(_ bytes: [UInt8], level: Int) -> [UInt8] {
    let capacity = Int(compressBound(UInt(bytes.count)))
    return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { out, count in
      var written = UInt(capacity)
      let status = unsafe compress2(
        out.baseAddress!, &written, bytes, UInt(bytes.count), Int32(level))
      precondition(status == Z_OK, "zlib fails with \(status)")
      count = Int(written)
    }
  }
}
