/// An answer to a request.
package struct HTTPResponse: Sendable, Hashable {
  /// The status code.
  package var status: Int
  /// Header fields, but for those that belong to the connection.
  package var fields: [HTTPFields.Field] = []
  /// The content.
  package var body: [UInt8] = []

  package init(status: Int, _ fields: KeyValuePairs<String, String> = [:], body: [UInt8] = []) {
    self.status = status
    self.body = body
    for (name, value) in fields { set(name, value) }
  }

  /// Sets a field, in place of one of the same name.
  package mutating func set(_ name: String, _ value: String) {
    fields.removeAll { ASCII.lowercased($0.name) == ASCII.lowercased(name) }
    // Text from a request or a catalogue must not end the line.
    let safe = value.utf8.allSatisfy(ASCII.isFieldValue) ? value : ""
    fields.append(HTTPFields.Field(name: name, value: safe))
  }

  /// The value of a field.
  package subscript(name: String) -> String? {
    fields.first { ASCII.lowercased($0.name) == ASCII.lowercased(name) }?.value
  }

  /// The message's bytes.
  ///
  /// - Parameters:
  ///   - isHead: True if the request was HEAD; then everything but the content is encoded.
  ///   - keepsAlive: True if the connection serves another request.
  ///   - date: The value of the Date field.
  func encoded(isHead: Bool, keepsAlive: Bool, date: String) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    // 204 and 304 have no content, and do not say how long it is (RFC 9110, 8.6).
    if status != 204 && status != 304 { head += "Content-Length: \(body.count)\r\n" }
    head += "Date: \(date)\r\nConnection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n"
    var bytes = Array(head.utf8)
    if !isHead && status != 204 && status != 304 { bytes += body }
    return bytes
  }

  /// The phrase of a status code (RFC 9110, 15; RFC 6585).
  package static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status \(status)"
    }
  }
}
