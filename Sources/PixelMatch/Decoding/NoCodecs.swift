#if !Codecs
  // The replacement of libjpeg, libpng and Little CMS in a build without the package trait
  // `Codecs`: headers are read and limits are checked as usual, but no pixels are decoded.

  /// The reader of the rows of an encoded image. No instance exists in this build, because opening
  /// one fails.
  struct RowReader: ~Copyable {
    private let opened: Never

    static func withReader<Result>(
      of bytes: [UInt8], _ header: ImageHeader, denominator: Int, limits: DecodeLimits,
      keepsDamaged: Bool, keepsInks: Bool, white: UInt8 = 255, _ shouldStop: () -> Bool,
      _ body: (borrowing RowReader) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
      throw DecodeError(withoutCodecFor: header.format)
    }

    var width: Int { switch opened {} }
    var height: Int { switch opened {} }
    var damage: String? { switch opened {} }
    func prepare() -> Status { switch opened {} }
    func readRows(appendingTo rows: inout [UInt8], limit: Int) -> (count: Int, status: Status) {
      switch opened {}
    }
  }

  /// The conversion of pixels by an ICC profile, which this build does not have.
  struct ProfileConversion: ~Copyable {
    private let opened: Never

    static func withConversion(
      by profile: ICCProfile, _ body: (borrowing ProfileConversion) throws(DecodeError) -> Void
    ) throws(DecodeError) -> String? {
      "this build has no codecs"
    }

    func convert(_ pixels: inout [UInt8], _ range: Range<Int>) { switch opened {} }
    static func inflated(_ stream: ArraySlice<UInt8>, byteCount: Int) -> [UInt8] { [] }
  }

  extension ImageDecoder {
    package static func registerWork() {}

    package func jpeg(
      of bytes: [UInt8], longerSide limit: Int, quality: Int
    ) throws(DecodeError) -> [UInt8] {
      throw DecodeError(withoutCodecFor: .jpeg)
    }

    package func jpeg(
      of pixels: PixelBuffer, longerSide limit: Int, quality: Int
    ) throws(DecodeError) -> [UInt8] {
      throw DecodeError(withoutCodecFor: .jpeg)
    }
  }

  extension ImageFormat {
    /// A Boolean value that indicates whether images of the format can be decoded: not in this build.
    public var isReadable: Bool { false }

    func checkLibrary(accepting accepted: Set<ImageFormat>) throws(DecodeError) {}
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
