@testable import HTTP

/// Bodies of forms: a line with the `Content-Type`, then the body.
enum MultipartTarget: FuzzTarget {
  static let name = "multipart"
  static let byteLimit = 4096

  static func run(_ bytes: [UInt8]) -> Bool {
    let line = bytes.prefix { $0 != 0x0A }
    let body = Array(bytes.dropFirst(line.count + 1))
    let named = try? Multipart.boundary(ofContentType: String(decoding: line, as: UTF8.self))
    check(body, boundary: named ?? "b")
    return true
  }

  private static func check(_ body: [UInt8], boundary: String) {
    guard let parts = try? Multipart.parts(of: body, boundary: boundary) else { return }
    precondition(parts.count <= Multipart.partLimit, "there are more parts than the limit")
    precondition(Set(parts.map(\.name)).count == parts.count, "two parts have one name")
    let delimiter = Array("\r\n--\(boundary)".utf8)
    var end = 0
    for part in parts {
      precondition(part.content.lowerBound >= end, "two parts overlap")
      end = part.content.upperBound
      precondition(body[end...].starts(with: delimiter), "a part does not end at a delimiter")
      precondition(
        body[..<part.content.lowerBound].suffix(4).elementsEqual("\r\n\r\n".utf8),
        "a part does not begin behind its header")
    }
  }

  static func seeds() -> [[UInt8]] {
    utf8(
      "multipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name=\"a\"; "
        + "filename=\"x\\\"y\"\r\nContent-Type: image/jpeg\r\n\r\nabc\r\n--b--",
      "multipart/form-data; boundary=\"a b\"\npreamble\r\n--a b \t\r\nContent-Disposition: form-data;"
        + " name=image\r\n\r\n\r\n--a b\r\ncontent-disposition: form-data; name=request\r\n"
        + "Content-Transfer-Encoding: binary\r\n\r\n{}\r\n--a b--\r\nepilogue")
  }

  static let dictionary = utf8(
    "multipart/form-data; boundary=b\n", "--b\r\n", "\r\n--b\r\n", "\r\n--b--", "--b--", "\r\n\r\n",
    "Content-Disposition: form-data; name=\"", "Content-Type: ", "\"; filename=\"", "\\\"",
    "Content-Transfer-Encoding: base64", ";")
}
