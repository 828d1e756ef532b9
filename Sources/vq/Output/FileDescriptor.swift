#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import PixelMatch

/// The reason why output could not be written.
struct OutputError: Error, Sendable, Hashable {
  /// The stable code of an error, for programs.
  enum Code: String, Sendable, CaseIterable {
    /// The reader has gone, as in `vq … | head`.
    case closedPipe
    /// The system refused, for example because a disk is full.
    case refused
  }

  /// The code.
  let code: Code
  /// The description for people.
  let message: String
}

/// A file that is open for writing with `write(2)`: standard output or standard error.
struct FileDescriptor: Sendable {
  /// The result of one attempt to write.
  enum Attempt: Sendable, Hashable {
    /// The number of bytes that were written, which may be fewer than offered.
    case wrote(Int)
    /// Nothing was written; the value is that of `errno`.
    case failed(Int32)
  }

  static let standardOutput = FileDescriptor(rawValue: STDOUT_FILENO)
  static let standardError = FileDescriptor(rawValue: STDERR_FILENO)

  let rawValue: Int32
  /// The path of the file in messages, or `nil` for a standard descriptor.
  private var path: String?

  /// A descriptor that is open already.
  init(rawValue: Int32) { self.rawValue = rawValue }

  /// Opens `/dev/null` in place of each standard descriptor that is closed, so that no other file gets its number.
  ///
  /// Standard input is then open for writing only and standard output for reading only: using them is an error, which
  /// is reported, while messages to standard error are dropped.
  static func replaceClosedStandardDescriptors() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR),
    ] where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // `open` takes the lowest free number, which is that of the closed descriptor.
      _ = unsafe open("/dev/null", mode)
    }
  }

  /// True if standard input was closed when the process began.
  static var isInputClosed: Bool { fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE == O_WRONLY }

  /// True if standard output was closed when the process began.
  static var isOutputClosed: Bool { fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE == O_RDONLY }

  /// Writes all bytes, in as many attempts as it takes.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try Self.deliver(bytes, path: path) { rest in
      // Sound: the pointer is only used inside the closure, with its own length.
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

  /// Offers bytes until all are written: short writes are continued, interrupted ones are repeated.
  ///
  /// - Parameter path: The file that the error names, or `nil` for standard output.
  static func deliver(
    _ bytes: [UInt8], path: String? = nil, to attempt: (ArraySlice<UInt8>) -> Attempt
  ) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch attempt(rest) {
      case .wrote(let count): rest = rest.dropFirst(count)
      case .failed(EINTR), .failed(EAGAIN): continue
      case .failed(EPIPE):
        throw OutputError(code: .closedPipe, message: "the reader of the output has gone")
      case .failed(let reason):
        let closed = reason == EBADF && path == nil ? "standard output is closed: " : ""
        let file = path.map { "'\($0)'" } ?? "the output"
        throw OutputError(
          code: .refused, message: "cannot write \(file): \(closed)\(description(of: reason))")
      }
    }
  }

  /// Creates or truncates a file. A path such as `/dev/stdout`, which names an open descriptor, is not
  /// truncated: what is written there is appended to the rest of the output.
  ///
  /// - Parameters:
  ///   - file: The path that errors of writing name, if the file gets it by renaming in the end.
  ///   - mode: The rights of a new file, which the umask may narrow.
  static func creating(
    _ path: String, for file: String? = nil, mode: mode_t = 0o644
  ) throws -> FileDescriptor {
    let descriptor =
      if let number = number(namedBy: path) {
        fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
      } else {
        unsafe open(FileName.systemName(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
      }
    guard descriptor >= 0 else {
      throw CommandFailure(.failure, "cannot write '\(path)': \(description(of: errno))")
    }
    var result = FileDescriptor(rawValue: descriptor)
    result.path = file ?? path
    return result
  }

  /// Returns the descriptor of this process that a path names, or `nil` if it names another file.
  private static func number(namedBy path: String) -> Int32? {
    switch path {
    case "/dev/stdin": return STDIN_FILENO
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
        return Int32(path.dropFirst(folder.count))
      }
      return nil
    }
  }

  /// Opens a file for appending, and creates it if it does not exist.
  static func appending(to path: String, mode: mode_t) throws -> FileDescriptor {
    let descriptor = unsafe open(
      FileName.systemName(path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw CommandFailure(.failure, "cannot write '\(path)': \(description(of: errno))")
    }
    var result = FileDescriptor(rawValue: descriptor)
    result.path = path
    return result
  }

  /// Opens a file for reading; returns `nil` if that is not possible.
  static func reading(_ path: String) -> FileDescriptor? {
    let descriptor = unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC)
    return descriptor >= 0 ? FileDescriptor(rawValue: descriptor) : nil
  }

  /// Returns the bytes of a file from an offset on, or `nil` at its end.
  func bytes(at offset: Int, limit: Int) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    var count: Int
    repeat {
      // Sound: at most as many bytes are written as the array has.
      count = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(rawValue, $0.baseAddress, $0.count, off_t(offset))
      }
    } while count < 0 && errno == EINTR
    guard count >= 0 else {
      throw CommandFailure(.failure, "cannot read a file: \(Self.description(of: errno))")
    }
    return count == 0 ? nil : Array(bytes.prefix(count))
  }

  private var status: stat {
    var status = stat()
    // Sound: `fstat` fills one `stat`, which outlives the call.
    _ = unsafe fstat(rawValue, &status)
    return status
  }

  /// The number of bytes of a file.
  var byteCount: Int { Int(status.st_size) }

  /// A text that changes with the contents of the file.
  var version: String {
    let status = status
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return [Int(status.st_ino), time.tv_sec, time.tv_nsec, Int(status.st_size)]
      .map { String($0, radix: 36) }.joined(separator: "-")
  }

  /// Renames a file and replaces the one that has the name.
  static func rename(_ path: String, to name: String) throws {
    #if canImport(Glibc)
      let status = unsafe Glibc.rename(
        FileName.systemName(path), FileName.systemName(name))
    #elseif canImport(Musl)
      let status = unsafe Musl.rename(
        FileName.systemName(path), FileName.systemName(name))
    #else
      let status = unsafe Darwin.rename(
        FileName.systemName(path), FileName.systemName(name))
    #endif
    guard status == 0 else {
      throw CommandFailure(.failure, "cannot write '\(name)': \(description(of: errno))")
    }
  }

  /// Returns whether there is something at a path, be it unreadable.
  static func exists(_ path: String) -> Bool {
    unsafe access(FileName.systemName(path), F_OK) == 0
  }

  /// Removes a file; it may be missing already.
  static func remove(_ path: String) { unsafe unlink(FileName.systemName(path)) }

  /// Returns whether a path is a special file, such as a terminal or a pipe, or names an open descriptor,
  /// as `/dev/stdout` does.
  static func isSpecial(_ path: String) -> Bool {
    if number(namedBy: path) != nil { return true }
    var status = stat()
    return unsafe stat(FileName.systemName(path), &status) == 0
      && status.st_mode & S_IFMT != S_IFREG
  }

  /// Closes the descriptor.
  func close() {
    #if canImport(Glibc)
      _ = Glibc.close(rawValue)
    #elseif canImport(Musl)
      _ = Musl.close(rawValue)
    #else
      _ = Darwin.close(rawValue)
    #endif
  }

  /// True if the descriptor is a terminal.
  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The width of the terminal in columns, or `nil` if there is none.
  var columns: Int? {
    var size = winsize()
    // Sound: `TIOCGWINSZ` fills one `winsize`, which outlives the call.
    let status = unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size)
    return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Waits until a descriptor that another process made non-blocking can be written to.
  private func waitUntilWritable() {
    var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    // Sound: the call receives one `pollfd`, which outlives it.
    _ = unsafe poll(&request, 1, -1)
  }

  private static func description(of reason: Int32) -> String {
    // Sound: `strerror` returns a terminated text, which is copied immediately.
    unsafe strerror(reason).map { unsafe String(cString: $0) } ?? "error \(reason)"
  }
}
