#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Why output could not be written.
struct OutputError: Error, Sendable, Hashable {
  /// Why, for a program.
  enum Code: String, Sendable, CaseIterable {
    /// The reader has gone, as in `vq … | head`.
    case closedPipe
    /// The system refused, for example because a disk is full.
    case refused
  }

  /// Why, for a program.
  let code: Code
  /// Why, for a person.
  let message: String
}

/// An open file that is written to with `write(2)`: standard output or standard error.
struct FileDescriptor: Sendable {
  /// The outcome of one attempt to write.
  enum Attempt: Sendable, Hashable {
    /// So many bytes were taken, perhaps fewer than offered.
    case wrote(Int)
    /// None were; the number is that of `errno`.
    case failed(Int32)
  }

  static let standardOutput = FileDescriptor(rawValue: STDOUT_FILENO)
  static let standardError = FileDescriptor(rawValue: STDERR_FILENO)

  let rawValue: Int32

  /// Writes all bytes, however many attempts it takes.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try Self.deliver(bytes) { rest in
      // Sound: the pointer is used only inside the closure that lends it, with its own length.
      let count = unsafe rest.withUnsafeBytes { buffer in
        #if canImport(Glibc)
          unsafe Glibc.write(rawValue, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
          unsafe Musl.write(rawValue, buffer.baseAddress, buffer.count)
        #else
          unsafe Darwin.write(rawValue, buffer.baseAddress, buffer.count)
        #endif
      }
      if count >= 0 { return .wrote(count) }
      let reason = errno
      if reason == EAGAIN { waitUntilWritable() }
      return .failed(reason)
    }
  }

  /// Offers bytes until all are taken: short writes go on, interrupted ones are repeated.
  static func deliver(
    _ bytes: [UInt8], to attempt: (ArraySlice<UInt8>) -> Attempt
  ) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch attempt(rest) {
      case .wrote(let count): rest = rest.dropFirst(count)
      case .failed(EINTR), .failed(EAGAIN): continue
      case .failed(EPIPE):
        throw OutputError(code: .closedPipe, message: "the reader of the output has gone")
      case .failed(let reason):
        throw OutputError(
          code: .refused, message: "cannot write the output: \(description(of: reason))")
      }
    }
  }

  /// Makes or empties a file.
  static func creating(_ path: String) throws -> FileDescriptor {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw CommandFailure(.failure, "cannot write '\(path)': \(description(of: errno))")
    }
    return FileDescriptor(rawValue: descriptor)
  }

  /// Opens a file to write behind what is there, and makes it if it is not there.
  static func appending(to path: String, mode: mode_t) throws -> FileDescriptor {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw CommandFailure(.failure, "cannot write '\(path)': \(description(of: errno))")
    }
    return FileDescriptor(rawValue: descriptor)
  }

  /// Gives a file another name, in the place of what has it.
  static func rename(_ path: String, to name: String) throws {
    #if canImport(Glibc)
      let status = unsafe Glibc.rename(path, name)
    #elseif canImport(Musl)
      let status = unsafe Musl.rename(path, name)
    #else
      let status = unsafe Darwin.rename(path, name)
    #endif
    guard status == 0 else {
      throw CommandFailure(.failure, "cannot write '\(name)': \(description(of: errno))")
    }
  }

  /// Removes a file; one that is not there is fine.
  static func remove(_ path: String) { unsafe unlink(path) }

  /// Whether a path names something else than a file, such as a terminal or a pipe.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Gives the descriptor back.
  func close() {
    #if canImport(Glibc)
      _ = Glibc.close(rawValue)
    #elseif canImport(Musl)
      _ = Musl.close(rawValue)
    #else
      _ = Darwin.close(rawValue)
    #endif
  }

  /// Whether a person looks at it.
  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The width of the terminal in columns, or `nil` where there is none.
  var columns: Int? {
    var size = winsize()
    // Sound: `TIOCGWINSZ` fills one `winsize`, which outlives the call.
    let status = unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size)
    return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Waits for the reader of a descriptor that somebody else made non-blocking.
  private func waitUntilWritable() {
    var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    // Sound: one `pollfd`, which outlives the call.
    _ = unsafe poll(&request, 1, -1)
  }

  private static func description(of reason: Int32) -> String {
    // Sound: `strerror` gives a terminated text, copied before anything else runs.
    unsafe strerror(reason).map { unsafe String(cString: $0) } ?? "error \(reason)"
  }
}
