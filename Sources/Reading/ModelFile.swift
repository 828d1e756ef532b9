internal import CNettle
internal import PixelMatch
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A model of a folder: the name and the digest by which an index recognizes it.
package struct ModelFile: Sendable, Hashable {
  /// The name of the file.
  package let name: String
  /// The SHA-256 of its bytes, in hexadecimal digits.
  package let digest: String

  /// Makes the description of a file.
  package init(name: String, digest: String) {
    self.name = name
    self.digest = digest
  }

  init(name: String, bytes: [UInt8]) {
    var digest = [UInt8](repeating: 0, count: 32)
    // Sound: the digest has 32 bytes.
    unsafe cn_sha256(bytes, bytes.count, &digest)
    let digits = Array("0123456789abcdef".utf8)
    self.init(
      name: name,
      digest: String(
        decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self))
  }

  /// Reads a file of at most `limit` bytes.
  ///
  /// - Throws: ``ReadingError`` with the code `missing`, `unreadable` or `tooLarge`.
  static func bytes(of path: String, limit: Int) throws(ReadingError) -> [UInt8] {
    func unreadable(_ code: Int32) -> ReadingError {
      let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      return ReadingError(
        code: code == ENOENT ? .missing : .unreadable, message: "cannot read '\(path)': \(reason)")
    }
    // Without O_NONBLOCK, a named pipe would wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ReadingError(code: .unreadable, message: "'\(path)' is not a file")
    }
    let count = Int(status.st_size)
    guard count <= limit else {
      throw ReadingError(
        code: .tooLarge,
        message: "'\(path)' has \(count >> 20) MB; a model has at most \(limit >> 20)")
    }
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      // Sound: `count - got` bytes follow the first `got`.
      let part = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress! + got, count - got)
      }
      if part < 0 && errno == EINTR { continue }
      guard part >= 0 else { throw unreadable(errno) }
      if part == 0 { break }
      got += part
    }
    bytes.removeLast(count - got)
    return bytes
  }

  /// Returns whether a file exists.
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
