import TestSupport
import Testing

@testable import HTTPServer

/// Bodies of forms: RFC 7578, and RFC 2046, 5.1.
@Suite struct MultipartTests {
  @Test func `parts are found by name`() throws {
    let text = """
      preamble\r
      --b\r
      Content-Disposition: form-data; name="request"\r
      Content-Type: application/json\r
      \r
      {"labels":["mug"]}\r
      --b  \r
      content-disposition: form-data; filename="a\\"b;.jpg"; name=image\r
      \r
      \r
      --c\r
      \r
      --b--\r
      epilogue
      """
    let body = Array(text.utf8)
    let parts = try Multipart.parts(of: body, boundary: "b")
    #expect(parts.map(\.name) == ["request", "image"])
    #expect(parts.map(\.contentType) == ["application/json", nil])
    #expect(String(decoding: body[parts[0].content], as: UTF8.self) == #"{"labels":["mug"]}"#)
    // A line that only looks like a delimiter is content.
    #expect(String(decoding: body[parts[1].content], as: UTF8.self) == "\r\n--c\r\n")
  }

  @Test func `an empty part is empty`() throws {
    let body = Array("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--b--".utf8)
    #expect(try Multipart.parts(of: body, boundary: "b").map(\.content.count) == [0])
  }

  @Test(arguments: [
    "", "--b", "--b\r\n", "--bx\r\n\r\n\r\n--b--", "no delimiter",
    "--b\r\n\r\na\r\n--b--",  // no name
    "--b\r\nContent-Disposition: form-data; name=a\r\n\r\nnever ends",
    "--b\r\nContent-Disposition: form-data; name=a\r\n\r\na\r\n--b",
    "--b\nContent-Disposition: form-data; name=a\n\na\n--b--",
    "--b\r\nContent-Disposition: attachment; name=a\r\n\r\na\r\n--b--",
    "--b\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\na\r\n--b--",
    "--b\r\nContent-Disposition : form-data; name=a\r\n\r\na\r\n--b--",
    "--b\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: form-data; name=a\r\n\r\na\r\n--b--",
    "--b\r\nX: \(String(repeating: "a", count: 5000))\r\n\r\na\r\n--b--",
    "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n2\r\n--b--",
  ]) func `a malformed body is refused`(text: String) {
    #expect(throws: HTTPError.self) { try Multipart.parts(of: Array(text.utf8), boundary: "b") }
  }

  @Test func `more parts than the limit are refused`() {
    let parts = (0..<20).map {
      "--b\r\nContent-Disposition: form-data; name=n\($0)\r\n\r\na\r\n"
    }
    let error = #expect(throws: HTTPError.self) {
      try Multipart.parts(of: Array((parts.joined() + "--b--").utf8), boundary: "b")
    }
    #expect(error?.limit == Multipart.partLimit)
  }

  @Test(
    arguments: [
      ("multipart/form-data; boundary=abc", "abc"),
      ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b:c\"", "a b:c"),
      ("application/json; charset=utf-8", nil),
      ("", nil),
    ] as [(String, String?)])
  func `the boundary is that of the type`(value: String, boundary: String?) throws {
    #expect(try Multipart.boundary(ofContentType: value) == boundary)
  }

  @Test(arguments: [
    "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a \"",
    "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=ä",
    "multipart/form-data; boundary=\(String(repeating: "a", count: 71))",
  ]) func `a boundary that is none is refused`(value: String) {
    #expect(throws: HTTPError.self) { try Multipart.boundary(ofContentType: value) }
  }

  /// A part's content comes out as it went in, whatever it holds.
  @Test(arguments: 0..<60 as Range<UInt64>) func `contents are kept`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let boundary = "----b\(seed)"
    let pieces = Array("\r\n--b-0\(boundary)".utf8)
    let contents = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
      (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        pieces.randomElement(using: &generator)!
      }
    }
    var body: [UInt8] = []
    for (index, content) in contents.enumerated() {
      body += Array(
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"n\(index)\"\r\n\r\n".utf8)
      body += content + [0x0D, 0x0A]
    }
    body += Array("--\(boundary)--\r\n".utf8)
    // A content that holds the delimiter itself cannot have this boundary.
    let delimiter = "\r\n--\(boundary)"
    guard contents.allSatisfy({ !String(decoding: $0, as: UTF8.self).contains(delimiter) }) else {
      return
    }
    let parts = try Multipart.parts(of: body, boundary: boundary)
    #expect(parts.map { Array(body[$0.content]) } == contents)
  }
}
