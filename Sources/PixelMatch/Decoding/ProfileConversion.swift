#if Codecs
  internal import CImage

  /// A Swift interface to the conversion of pixels by an ICC profile. No other code calls it.
  ///
  /// Sound: a conversion is opened, used and closed within `withConversion`, and each call receives
  /// the size of the memory that it reads or writes.
  @safe struct ProfileConversion: ~Copyable {
    private let opened: OpaquePointer

    private init(_ opened: OpaquePointer) { unsafe self.opened = opened }

    /// Opens a conversion and calls `body` with it.
    ///
    /// - Returns: The reason why the profile cannot be used, or `nil` if `body` was called.
    static func withConversion(
      by profile: ICCProfile, _ body: (borrowing ProfileConversion) throws(DecodeError) -> Void
    ) throws(DecodeError) -> String? {
      let channels =
        switch profile.channels {
        case .gray: CI_GRAY
        case .rgb: CI_RGB
        case .cmyk: CI_CMYK
        }
      var status = CI_OK
      let opened = unsafe profile.bytes.withUnsafeBufferPointer { lent in
        unsafe ci_conversion_open(lent.baseAddress, lent.count, channels, &status)
      }
      guard let opened = unsafe opened else { return "there is no memory for a conversion" }
      defer { unsafe ci_conversion_close(opened) }
      guard status == CI_OK else {
        let message = unsafe String(cString: ci_conversion_message(opened))
        return message.isEmpty ? "there is no memory for a conversion" : message
      }
      try body(unsafe ProfileConversion(opened))
      return nil
    }

    /// Converts pixels of four bytes in place.
    func convert(_ pixels: inout [UInt8], _ range: Range<Int>) {
      precondition(range.lowerBound >= 0 && range.upperBound <= pixels.count / 4)
      unsafe pixels.withUnsafeMutableBufferPointer { lent in
        guard let start = lent.baseAddress else { return }
        unsafe ci_conversion_apply(opened, start + 4 * range.lowerBound, range.count)
      }
    }

    /// Returns the first `byteCount` bytes of a zlib stream, or fewer if it is shorter or damaged.
    static func inflated(_ stream: ArraySlice<UInt8>, byteCount: Int) -> [UInt8] {
      unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { out, count in
        unsafe stream.withUnsafeBufferPointer { lent in
          _ = unsafe ci_inflate(lent.baseAddress, lent.count, out.baseAddress, byteCount, &count)
        }
      }
    }
  }
#endif
