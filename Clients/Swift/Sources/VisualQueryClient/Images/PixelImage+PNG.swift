public import Foundation

extension PixelImage {
  /// The image as a PNG file (ISO/IEC 15948) without compression: about 3 bytes a pixel.
  ///
  /// An app sends a JPEG file of the platform's encoder instead if it can, which is a tenth of that.
  public var png: Data {
    var header = Self.bigEndian(UInt32(width)) + Self.bigEndian(UInt32(height))
    header += [8, 2, 0, 0, 0]  // 8 bits, RGB, deflate, adaptive filters, not interlaced
    var rows: [UInt8] = []
    rows.reserveCapacity(rgb.count + height)
    for row in 0..<height {
      rows.append(0)  // no filter
      rows += rgb[row * width * 3..<(row + 1) * width * 3]
    }
    var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    for (name, content) in [("IHDR", header), ("IDAT", Self.stored(rows)), ("IEND", [])] {
      let chunk = Array(name.utf8) + content
      file.append(contentsOf: Self.bigEndian(UInt32(content.count)) + chunk)
      file.append(contentsOf: Self.bigEndian(Self.checksum(chunk)))
    }
    return file
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
