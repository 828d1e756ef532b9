/// The first line of a request: `method SP request-target SP HTTP-version` (RFC 9112, 3).
struct StartLine: Sendable, Hashable {
  let method: String
  let target: String
  /// The minor version: 0 of HTTP/1.0, else 1.
  let minorVersion: Int

  /// The line of no request.
  static let none = StartLine(method: "", target: "", minorVersion: 1)

  /// The largest number of bytes of a method's name.
  static let methodLimit = 32

  private init(method: String, target: String, minorVersion: Int) {
    self.method = method
    self.target = target
    self.minorVersion = minorVersion
  }

  /// Reads a line without its end.
  init(_ bytes: ArraySlice<UInt8>, targetLimit: Int) throws(HTTPError) {
    let parts = bytes.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, (1...Self.methodLimit).contains(parts[0].count),
      parts[0].allSatisfy(ASCII.isToken), !parts[1].isEmpty,
      parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw Self.bad("the first line is not 'METHOD TARGET HTTP/1.1'")
    }
    let version = Array(parts[2])
    guard version.count == 8, version.starts(with: "HTTP/".utf8), ASCII.isDigit(version[5]),
      version[6] == UInt8(ascii: "."), ASCII.isDigit(version[7])
    else { throw Self.bad("the first line does not end in HTTP/1.1") }
    guard version[5] == UInt8(ascii: "1") else {
      throw HTTPError(
        code: .versionNotSupported,
        message: "\(String(decoding: version, as: UTF8.self)) is not supported; use HTTP/1.1")
    }
    guard parts[1].count <= targetLimit else {
      throw HTTPError(
        code: .targetTooLong,
        message: "the target has \(parts[1].count) bytes; the limit is \(targetLimit)",
        limit: targetLimit)
    }
    method = String(decoding: parts[0], as: UTF8.self)
    target = String(decoding: parts[1], as: UTF8.self)
    minorVersion = version[7] == UInt8(ascii: "0") ? 0 : 1
  }

  private static func bad(_ message: String) -> HTTPError {
    HTTPError(code: .badRequest, message: message)
  }
}
