/// The parts of a `multipart/form-data` body (RFC 7578, RFC 2046 5.1).
package enum Multipart {
  /// One part.
  package struct Part: Sendable, Hashable {
    /// The name of the form's field.
    package let name: String
    /// Its `Content-Type`, as it came.
    package let contentType: String?
    /// The range of its content in the body.
    package let content: Range<Int>
  }

  /// The largest number of parts of a body.
  static let partLimit = 16
  /// The largest number of bytes of a part's header fields.
  static let headerLimit = 4096

  /// The boundary that a `Content-Type` names, or `nil` if it is not `multipart/form-data`.
  package static func boundary(ofContentType value: String) throws(HTTPError) -> String? {
    let (type, parameters) = try parameters(of: value)
    guard type == "multipart/form-data" else { return nil }
    let allowed = "'()+_,-./:=? ".utf8
    guard let boundary = parameters["boundary"], (1...70).contains(boundary.utf8.count),
      boundary.last != " ",
      boundary.utf8.allSatisfy({
        ASCII.isDigit($0) || ASCII.isLetter($0) || allowed.contains($0)
      })
    else { throw bad("multipart/form-data has no boundary of 1...70 characters") }
    return boundary
  }

  /// Finds the parts; nothing is copied.
  ///
  /// - Complexity: O(length of the body).
  package static func parts(
    of body: [UInt8], boundary: String, partLimit: Int = partLimit
  ) throws(HTTPError) -> [Part] {
    let delimiter = Array("\r\n--\(boundary)".utf8)
    var parts: [Part] = []
    // The first delimiter may be at the very beginning, without a line end before it.
    var place: Int
    if body.starts(with: delimiter.dropFirst(2)) {
      place = delimiter.count - 2
    } else if let first = position(of: delimiter, in: body, from: 0) {
      place = first + delimiter.count
    } else {
      throw bad("the body has no delimiter of its boundary")
    }
    while true {
      if body[place...].starts(with: "--".utf8) { break }
      while place < body.count, body[place] == 0x20 || body[place] == 0x09 { place += 1 }
      guard body[place...].starts(with: "\r\n".utf8) else {
        throw bad("a delimiter is not followed by the end of its line")
      }
      let (name, contentType, start) = try header(of: body, from: place + 2)
      guard let end = position(of: delimiter, in: body, from: start) else {
        throw bad("the last part has no end")
      }
      guard parts.count < partLimit else {
        throw HTTPError(
          code: .badRequest, message: "there are more than \(partLimit) parts", limit: partLimit)
      }
      guard !parts.contains(where: { $0.name == name }) else {
        throw bad("there are two parts named '\(name.excerpt)'")
      }
      parts.append(
        Part(name: name, contentType: contentType, content: start..<end))
      place = end + delimiter.count
    }
    return parts
  }

  /// Reads a part's header fields up to the empty line.
  private static func header(
    of body: [UInt8], from start: Int
  ) throws(HTTPError) -> (name: String, contentType: String?, content: Int) {
    var name: String?
    var contentType: String?
    var place = start
    while true {
      let limit = min(body.count, start + headerLimit)
      guard let end = body[place..<max(place, limit)].firstIndex(of: 0x0A), end > place,
        body[end - 1] == 0x0D
      else { throw bad("a part's header does not end within \(headerLimit) bytes") }
      let line = body[place..<end - 1]
      place = end + 1
      if line.isEmpty { break }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line[..<colon].allSatisfy(ASCII.isToken),
        line[colon...].allSatisfy(ASCII.isFieldValue)
      else { throw bad("a part's header field is not 'Name: value'") }
      let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimming(" \t")
      switch ASCII.lowercased(String(decoding: line[..<colon], as: UTF8.self)) {
      case "content-disposition":
        let (kind, parameters) = try parameters(of: value)
        guard kind == "form-data", let given = parameters["name"], name == nil else {
          throw bad("a part's Content-Disposition is not 'form-data; name=…'")
        }
        name = given
      case "content-type": contentType = value
      case "content-transfer-encoding":
        guard ["binary", "8bit", "7bit"].contains(ASCII.lowercased(value)) else {
          throw bad("a part has the transfer encoding '\(value.excerpt)'; send it as it is")
        }
      default: break
      }
    }
    guard let name else { throw bad("a part has no name") }
    return (name, contentType, place)
  }

  /// A value and its parameters: `type; name=value; name="quoted"` (RFC 9110, 5.6.6).
  package static func parameters(
    of text: String
  ) throws(HTTPError) -> (value: String, parameters: [String: String]) {
    var rest = Array(text.utf8)[...]
    let value = rest.prefix { $0 != UInt8(ascii: ";") }
    rest = rest[value.endIndex...]
    var parameters: [String: String] = [:]
    while !rest.isEmpty {
      rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
      if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
      let name = rest.prefix { ASCII.isToken($0) }
      rest = rest[name.endIndex...]
      guard !name.isEmpty, rest.first == UInt8(ascii: "=") else {
        throw bad("'\(text.excerpt)' is not 'type; name=value'")
      }
      rest = rest.dropFirst()
      var content: [UInt8] = []
      if rest.first == UInt8(ascii: "\"") {
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
          if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
            content.append(escaped)
          } else {
            content.append(byte)
          }
        }
      } else {
        let token = rest.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        content = Array(token)
        rest = rest[token.endIndex...]
      }
      rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
      guard rest.isEmpty || rest.first == UInt8(ascii: ";") else {
        throw bad("'\(text.excerpt)' is not 'type; name=value'")
      }
      let key = ASCII.lowercased(String(decoding: name, as: UTF8.self))
      guard parameters[key] == nil else {
        throw bad("'\(text.excerpt)' has '\(key.excerpt)' twice")
      }
      parameters[key] = String(decoding: content, as: UTF8.self)
    }
    let type = String(decoding: value, as: UTF8.self).trimming(" \t")
    return (ASCII.lowercased(type), parameters)
  }

  /// Returns the first offset of a pattern, which begins with CR.
  private static func position(
    of pattern: [UInt8], in body: [UInt8], from start: Int
  ) -> Int? {
    let bytes = body.span
    var place = start
    while place + pattern.count <= bytes.count {
      if bytes[place] == pattern[0],
        (1..<pattern.count).allSatisfy({ bytes[place + $0] == pattern[$0] })
      {
        return place
      }
      place += 1
    }
    return nil
  }

  private static func bad(_ message: String) -> HTTPError {
    HTTPError(code: .badRequest, message: message)
  }
}
