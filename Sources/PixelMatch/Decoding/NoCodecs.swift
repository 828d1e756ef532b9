#if !Codecs
  // The replacement of libjpeg and libpng in a build without the package trait `Codecs`: headers
  // are read and limits are checked as usual, but no pixels are decoded.

  /// The reader of the rows of an encoded image. No instance exists in this build, because opening
  /// one fails.
  struct RowReader: ~Copyable {
    private let opened: Never

    static func withReader<Result>(
      of bytes: [UInt8], format: ImageFormat, denominator: Int, limits: DecodeLimits,
      keepsDamaged: Bool,
      _ body: (borrowing RowReader) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
      throw DecodeError(withoutCodecFor: format)
    }

    var width: Int { switch opened {} }
    var height: Int { switch opened {} }
    var damage: String? { switch opened {} }
    func prepare() -> Status { switch opened {} }
    func readRows(into buffer: inout [UInt8]) -> (count: Int, status: Status) { switch opened {} }
  }

  extension ImageDecoder {
    package func jpeg(
      of bytes: [UInt8], longerSide limit: Int, quality: Int
    ) throws(DecodeError) -> [UInt8] {
      throw DecodeError(withoutCodecFor: .jpeg)
    }
  }

  extension DecodeError {
    fileprivate init(withoutCodecFor format: ImageFormat) {
      self.init(
        code: .unsupportedFormat,
        message: """
          \(format.name) is not supported by this build, which has no codecs; pass pixels as a \
          PixelBuffer, or build with the package trait Codecs
          """)
    }
  }
#endif
