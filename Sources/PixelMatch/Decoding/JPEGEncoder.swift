#if Codecs
  internal import CImage

  extension PixelBuffer {
    /// The length of the longest side of a JPEG file, in pixels.
    package static let jpegSideLimit = 65_500

    /// Encodes the image as a baseline JPEG file, 4:2:0, with libjpeg.
    ///
    /// - Parameter quality: `1...100`, on libjpeg's scale.
    /// - Precondition: No side is longer than ``jpegSideLimit``.
    /// - Complexity: O(pixels). Takes at most 15 bytes of memory per pixel.
    package func jpeg(quality: Int = 85) -> [UInt8] {
      precondition(max(width, height) <= Self.jpegSideLimit && (1...100).contains(quality))
      var pixels: [UInt8] = []
      pixels.reserveCapacity(4 * width * height)
      forEachRGBARow { row, _ in
        for index in row.indices { pixels.append(row[index]) }
      }
      // A coefficient takes at most 27 bits, there are 1.5 coefficients per pixel, and each byte
      // may be followed by a stuffed byte; the tables take less than 1000 bytes.
      let capacity = 11 * (width + 16) * (height + 16) + 4096
      return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { out in
        var count = 0
        // Sound: both buffers outlive the call, which receives their sizes.
        let status = unsafe pixels.withUnsafeBufferPointer { lent in
          unsafe ci_jpeg_encode(
            lent.baseAddress, UInt32(width), UInt32(height), UInt32(quality), out.baseAddress,
            out.count, &count)
        }
        precondition(status == CI_OK, "no memory for an encoder")
        return unsafe Array(out.prefix(count))
      }
    }
  }

  extension ImageDecoder {
    /// Makes a smaller copy of an encoded image, as a JPEG file, upright.
    ///
    /// - Throws: ``DecodeError``.
    package func jpeg(
      of bytes: [UInt8], longerSide limit: Int, quality: Int
    ) throws(DecodeError) -> [UInt8] {
      try decode(bytes, longerSide: limit).jpeg(quality: quality)
    }

    /// Makes a smaller copy of an image, as a JPEG file.
    ///
    /// - Throws: ``DecodeError`` with the code `unsupportedFormat` in a build without codecs.
    package func jpeg(
      of pixels: PixelBuffer, longerSide limit: Int, quality: Int
    ) throws(DecodeError) -> [UInt8] {
      pixels.reduced(toLongerSide: limit).jpeg(quality: quality)
    }
  }
#endif
