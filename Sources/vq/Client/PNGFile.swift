import PixelMatch

/// Writes PNG files (ISO/IEC 15948) without compression, as the client package for apps does with raw pixels.
enum PNGFile {
  /// Returns the file of an image: about 3 bytes a pixel.
  static func bytes(of image: PixelBuffer) -> [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity((3 * image.width + 1) * image.height)
    image.forEachRGBARow { row, _ in
      rows.append(0)  // no filter
      for index in row.indices where index % 4 < 3 { rows.append(row[index]) }
    }
    // 8 bits, RGB, deflate, adaptive filters, not interlaced
    let header =
      bigEndian(UInt32(image.width)) + bigEndian(UInt32(image.height)) + [8, 2, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("IDAT", stored(rows)) + chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return bigEndian(UInt32(content.count)) + named + bigEndian(checksum(named))
  }

  /// Returns a zlib stream of stored blocks (RFC 1950, RFC 1951, 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, bytes.count)
      let length = UInt16(end - start)
      stream += [end == bytes.count ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8)]
      stream += [UInt8(~length & 0xFF), UInt8(~length >> 8)]
      stream += bytes[start..<end]
      start = end
    } while start < bytes.count
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    return stream + bigEndian(b << 16 | a)
  }

  private static let checksumTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
    }
  }

  /// Returns the CRC-32 of a chunk (ISO/IEC 15948, annex D).
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { value, byte in
      checksumTable[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8)
    }
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }
}
