import Testing

@testable import HTTPServer

/// The bytes of an answer.
@Suite struct HTTPResponseTests {
  @Test func `an answer has its fields, and no line too many`() {
    var response = HTTPResponse(status: 200, ["X-A": "a"], body: Array("ok".utf8))
    response.set("X-B", "evil\r\nX-C: c")
    let text = String(
      decoding: response.encoded(isHead: false, keepsAlive: true, date: "D"), as: UTF8.self)
    #expect(
      text == """
        HTTP/1.1 200 OK\r
        X-A: a\r
        X-B: \r
        Content-Length: 2\r
        Date: D\r
        Connection: keep-alive\r
        \r
        ok
        """)
    let head = response.encoded(isHead: true, keepsAlive: false, date: "D")
    #expect(String(decoding: head, as: UTF8.self).hasSuffix("Connection: close\r\n\r\n"))
    let empty = HTTPResponse(status: 204).encoded(isHead: false, keepsAlive: true, date: "D")
    #expect(!String(decoding: empty, as: UTF8.self).contains("Content-Length"))
  }
}
