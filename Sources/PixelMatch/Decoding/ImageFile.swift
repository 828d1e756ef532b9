#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension ImageFormat {
  /// Returns the first bytes of a file, by which its format is told; none if it cannot be read.
  package static func beginning(ofFile path: String) -> [UInt8] {
    let descriptor = unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return unsafe [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
      // Sound: the buffer has room for 1024 bytes.
      count = unsafe max(0, read(descriptor, buffer.baseAddress, 1024))
    }
  }
}

extension ImageDecoder {
  /// Reads an encoded image from a file. Stops when the byte limit is exceeded.
  ///
  /// - Throws: ``DecodeError`` with the code `unreadable` or `tooManyBytes`, or `cancelled` if the task is.
  public func contents(ofFile path: String) throws(DecodeError) -> [UInt8] {
    try contents(ofFile: path, shouldStop: { Task.isCancelled })
  }

  /// Reads an encoded image from a file, like ``contents(ofFile:)``.
  ///
  /// - Parameter shouldStop: A function that is called between parts of the file; `true` ends with the code `cancelled`.
  package func contents(
    ofFile path: String, shouldStop: () -> Bool
  ) throws(DecodeError) -> [UInt8] {
    let descriptor = unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      if FileName.isAddress(path) { throw unreadable("it \(FileName.addressAdvice)", nil) }
      throw unreadable("cannot open it", code)
    }
    defer { close(descriptor) }
    return try contents(ofDescriptor: descriptor, shouldStop: shouldStop)
  }

  /// The most bytes that are read in one call, of a regular file and of what has no size.
  private static let (partBytes, pipeBytes) = (1 << 20, 1 << 16)

  /// Reads an encoded image from a descriptor, for example standard input, to its end.
  ///
  /// - Parameter shouldStop: A function that is called between parts of the file; `true` ends with the code `cancelled`.
  /// - Throws: ``DecodeError`` with the code `unreadable`, `tooManyBytes` or `cancelled`.
  package func contents(
    ofDescriptor descriptor: Int32, shouldStop: () -> Bool
  ) throws(DecodeError) -> [UInt8] {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable("cannot read it", errno) }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFDIR { throw unreadable("it is a directory", nil) }
    if kind == S_IFREG { try limits.check(byteCount: Int(status.st_size)) }
    var bytes: [UInt8] = []
    // The byte of room beyond a regular file finds its end.
    let expected = kind == S_IFREG ? Int(status.st_size) + 1 : 0
    bytes.reserveCapacity(expected)
    while true {
      let count = bytes.count
      let part = count < expected ? min(Self.partBytes, expected - count) : Self.pipeBytes
      // One byte more than the limit distinguishes an image of exactly that size from a longer one.
      let room = min(part, limits.byteLimit + 1 - count)
      bytes.append(contentsOf: repeatElement(0, count: room))
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        // Sound: `room` bytes follow the first `count`.
        unsafe read(descriptor, buffer.baseAddress! + count, room)
      }
      bytes.removeLast(room - max(0, got))
      if got < 0 && errno != EINTR { throw unreadable("cannot read it", errno) }
      if got == 0 { return bytes }
      try limits.check(byteCount: bytes.count)
      if shouldStop() { throw .cancelled }
    }
  }

  private func unreadable(_ what: String, _ code: Int32?) -> DecodeError {
    let reason = code.map { ": " + systemMessage($0) }
    return DecodeError(code: .unreadable, message: what + (reason ?? ""))
  }
}
