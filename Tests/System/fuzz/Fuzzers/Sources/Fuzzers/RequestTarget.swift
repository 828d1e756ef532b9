@testable import HTTP

/// Streams of requests: parsing does not depend on how they are cut into pieces.
enum RequestTarget: FuzzTarget {
  static let name = "request"
  static let byteLimit = 4096

  private static let bodyLimit = 1024

  static func run(_ bytes: [UInt8]) -> Bool {
    let whole = events(bytes, piece: max(1, bytes.count))
    precondition(whole == events(bytes, piece: 1 + bytes.count % 7), "pieces change the events")
    return true
  }

  /// The events of a stream that comes in pieces, and the error that ended it.
  private static func events(_ bytes: [UInt8], piece: Int) -> [String] {
    var parser = RequestParser(limits: RequestParser.Limits(bodyBytes: bodyLimit))
    var events: [String] = []
    var rest = bytes[...]
    do throws(HTTPError) {
      while !rest.isEmpty {
        parser.append(rest.prefix(piece))
        rest = rest.dropFirst(piece)
        while let event = try parser.next() { events.append("\(event)") }
        precondition(parser.heldBytes <= bodyLimit + bytes.count, "more is held than has come")
      }
    } catch {
      events.append("\(error.code)")
    }
    return events
  }

  static func seeds() -> [[UInt8]] {
    utf8(
      "POST /v1/match?labels=a%2Cb,c HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        + "GET / HTTP/1.0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        + "3;x=\"y\"\r\nabc\r\n0\r\nA: b\r\n\r\n",
      "GET http://a:80/b?c=d HTTP/1.1\r\nHost: a:80\r\nConnection: close, x\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
      "\r\nHEAD /v1/entities/product/caf%C3%A9/thumbnail?size=small HTTP/1.1\r\nHost: a\r\n"
        + "If-None-Match: \"a\", W/\"b\"\r\nAccept-Language: de-CH;q=0.9, *;q=0.1\r\n\r\n")
  }

  static let dictionary = utf8(
    "GET ", "POST ", "OPTIONS * ", " HTTP/1.1\r\n", " HTTP/1.0\r\n", "Host: a\r\n", "\r\n",
    "\r\n\r\n",
    "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n",
    "Connection: keep-alive\r\n", "Expect: 100-continue\r\n", "0\r\n\r\n", "chun\u{212A}ed",
    "http://", "%2F", "%00", "?", "&", ",", ";", "\t", "\u{0}", "ffffffffffffffff",
    "18446744073709551616")
}
