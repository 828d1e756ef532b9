#if Codecs
  internal import CImage

  /// A Swift interface to the C decoders. No other code calls them.
  ///
  /// Sound: a reader is created, used and closed within `withReader`, while the array lends its
  /// bytes. Each call receives the size of the memory that rows are written to.
  @safe struct RowReader: ~Copyable {
    /// The number of columns of the decoded rows.
    let width: Int
    /// The number of decoded rows.
    let height: Int
    private let reader: OpaquePointer

    /// Opens an image and calls `body` with its reader.
    ///
    /// - Parameters:
    ///   - keepsInks: True if rows of a JPEG of four components hold cyan, magenta, yellow
    ///   and black, 255 the most ink, instead of RGBA.
    ///   - white: The value of the white that transparent pixels are blended with.
    ///   - shouldStop: Asked while bytes of the file are read, and while another process opens the image.
    static func withReader<Result>(
      of bytes: [UInt8], _ header: ImageHeader, denominator: Int, limits: DecodeLimits,
      keepsDamaged: Bool, keepsInks: Bool, white: UInt8 = 255, _ shouldStop: () -> Bool,
      _ body: (borrowing RowReader) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
      // The closure must not throw a typed error through a rethrowing function, so it returns a
      // result.
      let result: Swift.Result<Result, DecodeError> = withoutActuallyEscaping(shouldStop) {
        // Sound: the question outlives the reader, whose functions are the only ones that ask it.
        let question = Question($0)
        return withExtendedLifetime(question) {
          let limits = unsafe ci_limits(
            memory_limit: UInt64(max(0, limits.memoryLimit)), scan_limit: 1000,
            chunk_limit: UInt32(clamping: limits.chunkByteLimit),
            chunk_count_limit: UInt32(PNGHeaderReader.chunkCountLimit),
            keeps_damaged: keepsDamaged, keeps_inks: keepsInks, white: white,
            should_stop: { unsafe Question.of($0).shouldStop() },
            asker: Unmanaged.passUnretained(question).toOpaque())
          return unsafe read(bytes, header, denominator, limits, question, body)
        }
      }
      return try result.get()
    }

    /// The question whether to stop, which C asks while it reads bytes.
    private final class Question {
      let shouldStop: () -> Bool

      init(_ shouldStop: @escaping () -> Bool) { self.shouldStop = shouldStop }

      static func of(_ asker: UnsafeMutableRawPointer?) -> Question {
        unsafe Unmanaged.fromOpaque(asker!).takeUnretainedValue()
      }
    }

    private static func read<Result>(
      _ bytes: [UInt8], _ header: ImageHeader, _ denominator: Int, _ limits: ci_limits,
      _ question: Question, _ body: (borrowing RowReader) throws(DecodeError) -> Result
    ) -> Swift.Result<Result, DecodeError> {
      unsafe header.neededBytes(of: bytes).withUnsafeBufferPointer { lent in
        var status = CI_OK
        let pixels = unsafe UnsafeBufferPointer(rebasing: lent[header.pixels])
        let opened = unsafe open(pixels, header, UInt32(denominator), limits, &status)
        guard let opened = unsafe opened else {
          return .failure(DecodeError(code: .tooMuchWork, message: "no memory for a decoder"))
        }
        defer { unsafe ci_reader_close(opened) }
        while status == CI_MORE {
          if question.shouldStop() { return .failure(.cancelled) }
          status = unsafe ci_reader_finish_opening(opened)
        }
        let reader = unsafe RowReader(opened)
        if case .failed(let code, let message) = reader.status(status) {
          return .failure(DecodeError(code: code, message: "\(header.format.name) \(message)"))
        }
        do throws(DecodeError) {
          return .success(try body(reader))
        } catch {
          return .failure(error)
        }
      }
    }

    private static func open(
      _ bytes: UnsafeBufferPointer<UInt8>, _ header: ImageHeader, _ denominator: UInt32,
      _ limits: ci_limits, _ status: inout Int32
    ) -> OpaquePointer? {
      let start = bytes.baseAddress
      let count = bytes.count
      let (width, height) = (UInt32(header.width), UInt32(header.height))
      return switch header.format {
      case .jpeg: unsafe ci_jpeg_open(start, count, denominator, limits, &status)
      case .png: unsafe ci_png_open(start, count, denominator, limits, &status)
      case .webp: unsafe ci_webp_open(start, count, width, height, denominator, limits, &status)
      case .gif: unsafe ci_gif_open(start, count, width, height, limits, &status)
      case .avif, .heic:
        unsafe ci_heif_open(
          start, count, width, height, UInt32(header.codedSize?.width ?? header.width),
          UInt32(header.codedSize?.height ?? header.height), limits, &status)
      }
    }

    private init(_ reader: OpaquePointer) {
      unsafe self.reader = reader
      width = unsafe Int(ci_reader_width(reader))
      height = unsafe Int(ci_reader_height(reader))
    }

    /// The first damage that was skipped so far.
    var damage: String? {
      guard unsafe ci_reader_is_damaged(reader) else { return nil }
      return unsafe String(cString: ci_reader_message(reader))
    }

    /// Does a part of the work that precedes the first row.
    func prepare() -> Status { unsafe status(ci_reader_prepare(reader)) }

    /// Appends at most `limit` rows to `rows`. `count` rows are appended whatever the status.
    func readRows(appendingTo rows: inout [UInt8], limit: Int) -> (count: Int, status: Status) {
      var count: UInt32 = 0
      var code = CI_OK
      rows.append(addingCapacity: 4 * width * limit) { free in
        // Sound: the decoder gets the size of the free memory, and fills the rows that it counts.
        unsafe free.withUnsafeMutableBufferPointer { free, byteCount in
          code = unsafe ci_reader_read_rows(
            reader, free.baseAddress, free.count, UInt32(clamping: limit), &count)
          byteCount += 4 * width * Int(count)
        }
      }
      return (Int(count), status(code))
    }

    private func status(_ code: Int32) -> Status {
      let message = unsafe String(cString: ci_reader_message(reader))
      switch code {
      case CI_OK: return .done
      case CI_MORE: return .more
      case CI_TRUNCATED: return .failed(.truncated, "is truncated: \(message)")
      case CI_UNSUPPORTED:
        return .failed(.unsupportedFormat, "is of a kind not supported: \(message)")
      case CI_TOO_LARGE: return .failed(.tooMuchWork, "costs too much: \(message)")
      case CI_STOPPED: return .failed(.cancelled, DecodeError.cancelled.message)
      case CI_NO_MEMORY: return .failed(.tooMuchWork, "needs more memory than there is")
      default: return .failed(.corrupt, "is damaged: \(message)")
      }
    }
  }
#endif

extension RowReader {
  /// The status of a decoder call.
  enum Status {
    case done
    case more
    case failed(DecodeError.Code, String)
  }
}

extension ImageHeader {
  /// A Boolean value that indicates whether the rows of an image that ends too early can be read after
  /// it is prepared.
  var keepsRowsOfPart: Bool { [.jpeg, .webp, .gif].contains(format) }
}
