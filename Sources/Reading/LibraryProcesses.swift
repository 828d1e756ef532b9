internal import CReading
internal import CWorkers
package import PixelMatch

/// The processes in which a server runs the libraries that parse the bytes of strangers: libwebp, libheif, giflib and zbar; and others that
/// hold models (``ReadingModels/isolate(count:)``).
///
/// They are the same program, started again by a hidden command, and have no rights but to compute. If a library crashes, never
/// ends or answers nonsense, only the image at hand is affected, and another process takes the place. What is decoded here is not changed by
/// it: ``ImageDecoder`` and ``CodeReader`` choose by themselves.
package enum LibraryProcesses {
  /// A library that may run in a process of its own, as in metrics.
  package enum Library: String, Sendable, CaseIterable {
    case libwebp, libheif, giflib, zbar, onnxruntime

    fileprivate var numbers: [cw_library] {
      switch self {
      case .libwebp: [CW_WEBP]
      case .libheif: [CW_HEIC, CW_AVIF]
      case .giflib: [CW_GIF]
      case .zbar: [CW_ZBAR]
      case .onnxruntime: [CW_ONNX]
      }
    }
  }

  /// The reason why a process was replaced.
  package enum End: String, Sendable, CaseIterable {
    /// The library crashed.
    case crashed
    /// The library took longer than its client waits, and did not end when it was told to.
    case stopped
    /// The process answered what makes no sense.
    case nonsense

    fileprivate var number: cw_end {
      switch self {
      case .crashed: CW_CRASHED
      case .stopped: CW_STOPPED
      case .nonsense: CW_NONSENSE
      }
    }
  }

  /// Processes that were replaced.
  package struct Restarts: Sendable, Hashable {
    /// The library that they ran.
    package let library: Library
    /// The reason.
    package let end: End
    /// Their number since the start.
    package let count: Int
  }

  /// Starts the processes, from then on for all images of this program.
  ///
  /// - Parameters:
  ///   - count: Their number: one for each thread that decodes, and some in reserve.
  ///   - limits: The largest limits of any decoder.
  ///   - program: The file of the program, or `nil` for the running one.
  /// - Returns: The reason why the libraries run in this process, or `nil` if they do not.
  package static func start(
    count: Int, limits: DecodeLimits, program: String? = nil
  ) -> String? {
    let (bytes, memory) = (limits.byteLimit, limits.memoryLimit)
    // An input ends at the border of a page.
    return start(
      CW_IMAGES, count: count, memory: bytes + memory + 1 << 16, data: 2 * bytes + memory,
      program: program)
  }

  /// Starts processes of a kind.
  static func start(
    _ kind: cw_kind, words: [String] = [], count: Int, memory: Int, data: Int,
    program: String? = nil
  ) -> String? {
    var message = [CChar](repeating: 0, count: Int(CW_MESSAGE_BYTES))
    let texts = (words + (program.map { [$0] } ?? [])).map { Array($0.utf8CString) }
    // Sound: the texts stay where they are until the call returns, which copies them.
    let isOn = unsafe withPointers(to: texts[...], []) { pointers in
      unsafe pointers.withUnsafeBufferPointer { pointers in
        var options = unsafe cw_options(
          kind: kind, path: program == nil ? nil : pointers[words.count],
          arguments: pointers.baseAddress, argument_count: UInt32(words.count),
          count: UInt32(clamping: count), memory_bytes: UInt64(memory), data_bytes: UInt64(data))
        return unsafe cw_start(&options, &message, message.count)
      }
    }
    if isOn { return nil }
    return String(
      decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func withPointers(
    to texts: ArraySlice<[CChar]>, _ pointers: [UnsafePointer<CChar>?],
    _ body: ([UnsafePointer<CChar>?]) -> Bool
  ) -> Bool {
    guard let first = texts.first else { return unsafe body(pointers) }
    return unsafe first.withUnsafeBufferPointer { text in
      unsafe withPointers(to: texts.dropFirst(), pointers + [text.baseAddress], body)
    }
  }

  /// Ends the processes. Nothing may be decoded at the moment.
  package static func stop() { cw_stop(CW_IMAGES) }

  /// The number of processes for images and codes that are ready or at work; 0 if the libraries run in this process.
  package static var count: Int { Int(cw_worker_count(CW_IMAGES)) }

  /// The number of processes that hold models and are ready or at work.
  package static var modelCount: Int { Int(cw_worker_count(CW_MODELS)) }

  /// A Boolean value that indicates whether the kernel restricts what the processes may ask of it.
  package static var isRestricted: Bool {
    cw_is_filtered(CW_IMAGES) && (!cw_is_on(CW_MODELS) || cw_is_filtered(CW_MODELS))
  }

  /// The processes that were replaced, of each library and for each reason.
  package static var restarts: [Restarts] {
    Library.allCases.flatMap { library in
      End.allCases.map { end in
        Restarts(
          library: library, end: end,
          count: library.numbers.reduce(0) { $0 + Int(cw_restarts($1, end.number)) })
      }
    }
  }

  /// Runs this process as one of those of another program, until that ends.
  ///
  /// - Parameter words: What follows the hidden command.
  /// - Returns: `false` if no program started it as such.
  package static func work(_ words: [String] = []) -> Bool {
    ImageDecoder.registerWork()
    cr_register_work()
    let texts = words.map { Array($0.utf8CString) }
    // Sound: the texts stay where they are until the worker ends.
    return unsafe withPointers(to: texts[...], []) { pointers in
      unsafe pointers.withUnsafeBufferPointer { pointers in
        unsafe cr_register_model_work(pointers.baseAddress, pointers.count)
        return cw_worker_run()
      }
    }
  }
}
