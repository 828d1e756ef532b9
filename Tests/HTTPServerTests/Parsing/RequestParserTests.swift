import TestSupport
import Testing

@testable import HTTPServer

/// The parser is a value: bytes in, requests or an error out. Sections are those of RFC 9112.
@Suite struct RequestParserTests {
  /// A request that a server must, or may, refuse.
  struct Refused: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let code: HTTPError.Code

    init(_ name: String, _ text: String, _ code: HTTPError.Code = .badRequest) {
      (testDescription, self.text, self.code) = (name, text, code)
    }
  }

  static let host = "Host: shop.example\r\n"

  static let refused = [
    // 2.2 and 3: lines
    Refused("a bare LF ends the request line", "GET / HTTP/1.1\nHost: a\n\n"),
    Refused("a bare LF ends a field", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
    Refused("a bare CR in the request line", "GET /\rx HTTP/1.1\r\n\(host)\r\n"),
    Refused("a bare CR in a field", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n"),
    Refused("two spaces", "GET  / HTTP/1.1\r\n\(host)\r\n"),
    Refused("a tab instead of a space", "GET\t/ HTTP/1.1\r\n\(host)\r\n"),
    Refused("a space behind the version", "GET / HTTP/1.1 \r\n\(host)\r\n"),
    Refused("a space before the method", " GET / HTTP/1.1\r\n\(host)\r\n"),
    Refused("no version (HTTP/0.9)", "GET /\r\n\r\n"),
    Refused("a version in lower case", "GET / http/1.1\r\n\(host)\r\n"),
    Refused("a version with three digits", "GET / HTTP/1.11\r\n\(host)\r\n"),
    Refused("HTTP/2 over the wire", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported),
    Refused("a method that is no token", "G(T / HTTP/1.1\r\n\(host)\r\n"),
    Refused("many empty lines", "\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n\(host)\r\n"),
    Refused("TLS to a plain port", "\u{16}\u{3}\u{1}\u{0}\r\n"),
    // 3.2: targets
    Refused("a target that is no path", "GET index HTTP/1.1\r\n\(host)\r\n"),
    Refused("a fragment", "GET /a#b HTTP/1.1\r\n\(host)\r\n"),
    Refused("an authority for another method", "GET shop.example:80 HTTP/1.1\r\n\(host)\r\n"),
    Refused("CONNECT", "CONNECT shop.example:80 HTTP/1.1\r\n\(host)\r\n"),
    Refused("a percent without digits", "GET /%zz HTTP/1.1\r\n\(host)\r\n"),
    Refused("a percent at the end", "GET /% HTTP/1.1\r\n\(host)\r\n"),
    Refused("a path that is no UTF-8", "GET /%ff HTTP/1.1\r\n\(host)\r\n"),
    Refused("no Host", "GET / HTTP/1.1\r\n\r\n"),
    Refused("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
    Refused(
      "two types of one body",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: image/jpeg\r\ncontent-type: image/png\r\n\r\n"),
    Refused("a Host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    Refused("a port of letters", "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n"),
    Refused("two ports", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n"),
    Refused("a port beyond 65535", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n"),
    Refused("a port without a host", "GET / HTTP/1.1\r\nHost: :80\r\n\r\n"),
    Refused("a Host with a percent without digits", "GET / HTTP/1.1\r\nHost: a%zz\r\n\r\n"),
    Refused("a Host that ends in a percent", "GET / HTTP/1.1\r\nHost: a%4\r\n\r\n"),
    Refused("an IPv6 address without an end", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
    Refused("letters behind an IPv6 address", "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n"),
    Refused("brackets around a name", "GET / HTTP/1.1\r\nHost: [name]:1\r\n\r\n"),
    Refused("a user in the authority", "GET http://a@b/ HTTP/1.1\r\n\(host)\r\n"),
    Refused("an empty authority", "GET http:///v1/limits HTTP/1.1\r\n\(host)\r\n"),
    Refused("an empty authority before a query", "GET http://?q=1 HTTP/1.1\r\n\(host)\r\n"),
    Refused("a port alone as authority", "GET http://:80/ HTTP/1.1\r\n\(host)\r\n"),
    Refused(
      "a target longer than the limit", "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n",
      .targetTooLong),
    // 5: fields
    Refused("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
    Refused("a field without a name", "GET / HTTP/1.1\r\n\(host): a\r\n\r\n"),
    Refused("a folded line", "GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n"),
    Refused("a line of spaces first", "GET / HTTP/1.1\r\n \(host)\r\n"),
    Refused("a zero byte in a value", "GET / HTTP/1.1\r\n\(host)X: a\u{0}b\r\n\r\n"),
    Refused("a field without a colon", "GET / HTTP/1.1\r\n\(host)nonsense\r\n\r\n"),
    Refused(
      "fields longer than their limit",
      "GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 20_000))\r\n\r\n",
      .headersTooLarge),
    Refused(
      "more fields than their limit",
      "GET / HTTP/1.1\r\n\(host)\(String(repeating: "A: b\r\n", count: 120))\r\n",
      .headersTooLarge),
    // 6: how long a body is: what hides a request in another
    Refused(
      "two lengths", "POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
    Refused(
      "the same length twice",
      "POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 1\r\n\r\na"),
    Refused("a list of lengths", "POST / HTTP/1.1\r\n\(host)Content-Length: 1, 1\r\n\r\na"),
    Refused("a length with a sign", "POST / HTTP/1.1\r\n\(host)Content-Length: +1\r\n\r\na"),
    Refused("a negative length", "POST / HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\na"),
    Refused("a hexadecimal length", "POST / HTTP/1.1\r\n\(host)Content-Length: 0x1\r\n\r\na"),
    Refused("an empty length", "POST / HTTP/1.1\r\n\(host)Content-Length:\r\n\r\n"),
    Refused(
      "a length beyond all numbers",
      "POST / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999\r\n\r\n", .bodyTooLarge),
    Refused(
      "a length beyond the limit", "POST / HTTP/1.1\r\n\(host)Content-Length: 65537\r\n\r\n",
      .bodyTooLarge),
    Refused(
      "a length and chunks (CL.TE)",
      "POST / HTTP/1.1\r\n\(host)Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG"),
    Refused(
      "chunks and a length (TE.CL)",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n8\r\n"),
    Refused(
      "two codings in two fields (TE.TE)",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n"),
    Refused(
      "a coding in disguise", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: xchunked\r\n\r\n",
      .codingNotImplemented),
    Refused(
      "chunked that is not last",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked, identity\r\n\r\n",
      .codingNotImplemented),
    Refused(
      "another coding", "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n",
      .codingNotImplemented),
    Refused(
      "a vertical tab before chunked",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: \u{B}chunked\r\n\r\n"),
    Refused(
      "chunks in HTTP/1.0",
      "POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    // Bytes beyond ASCII in fields that decide the framing: two readers need not agree on their meaning.
    Refused(
      "a coding that only Unicode takes for chunked",
      "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n"),
    Refused(
      "a connection option beyond ASCII", "GET / HTTP/1.1\r\n\(host)Connection: clo\u{17F}e\r\n\r\n"
    ),
    Refused(
      "an expectation beyond ASCII", "GET / HTTP/1.1\r\n\(host)Expect: 100-continue\u{301}\r\n\r\n"),
    Refused("a length beyond ASCII", "POST / HTTP/1.1\r\n\(host)Content-Length: \u{661}\r\n\r\n"),
    Refused("a Host beyond ASCII", "GET / HTTP/1.1\r\nHost: caf\u{E9}.example\r\n\r\n"),
    Refused("a name beyond ASCII", "GET / HTTP/1.1\r\n\(host)\u{212A}ey: a\r\n\r\n"),
    // 7.1: chunks
    Refused("a chunk without a size", chunked("\r\n")),
    Refused("a size with a sign", chunked("+1\r\na\r\n0\r\n\r\n")),
    Refused("a size with 0x", chunked("0x1\r\na\r\n0\r\n\r\n")),
    Refused("a space before the size", chunked(" 1\r\na\r\n0\r\n\r\n")),
    Refused("a space behind the size", chunked("1 \r\na\r\n0\r\n\r\n")),
    Refused("a bare LF behind the size", chunked("1\na\r\n0\r\n\r\n")),
    Refused("an extension without a name", chunked("1;\r\na\r\n0\r\n\r\n")),
    Refused("extensions without names", chunked("1;;;=,{}\r\na\r\n0\r\n\r\n")),
    Refused("an extension without a value", chunked("1;a=\r\na\r\n0\r\n\r\n")),
    Refused("an extension whose quotation does not end", chunked("1;a=\"b\r\na\r\n0\r\n\r\n")),
    Refused("an extension that ends in a backslash", chunked("1;a=\"b\\\r\na\r\n0\r\n\r\n")),
    Refused("an extension behind a quotation", chunked("1;a=\"b\"c\r\na\r\n0\r\n\r\n")),
    Refused("an extension with two values", chunked("1;a=b c\r\na\r\n0\r\n\r\n")),
    Refused("an extension beyond ASCII", chunked("1;\u{E9}\r\na\r\n0\r\n\r\n")),
    Refused("a quotation beyond ASCII", chunked("1;a=\"\u{E9}\"\r\na\r\n0\r\n\r\n")),
    Refused("a chunk longer than its size", chunked("1\r\nab\r\n0\r\n\r\n")),
    Refused("a chunk that ends in a bare LF", chunked("1\r\na\n0\r\n\r\n")),
    Refused("a size beyond all numbers", chunked("fffffffff\r\n"), .bodyTooLarge),
    Refused("a chunk beyond the limit", chunked("10001\r\n"), .bodyTooLarge),
    Refused(
      "chunks that add up beyond the limit",
      chunked("fff0\r\n\(String(repeating: "a", count: 0xfff0))\r\n11\r\n"), .bodyTooLarge),
    Refused(
      "an extension without an end", chunked("1;\(String(repeating: "x", count: 300))"),
      .headersTooLarge),
    Refused("a trailer that is no field", chunked("0\r\nnonsense\r\n\r\n")),
    Refused(
      "trailers without an end", chunked("0\r\n\(String(repeating: "A: b\r\n", count: 4000))"),
      .headersTooLarge),
    Refused(
      "another expectation", "POST / HTTP/1.1\r\n\(host)Expect: 200-ok\r\n\r\n",
      .expectationFailed),
  ]

  static func chunked(_ body: String) -> String {
    "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n\(body)"
  }

  @Test(arguments: refused) func `what may hide a request is refused`(_ refused: Refused) {
    let error = #expect(throws: HTTPError.self) { try Self.requests(in: Array(refused.text.utf8)) }
    #expect(error?.code == refused.code)
    // The error once named the rest of the limit, which may be negative, instead of the limit.
    if refused.code == .headersTooLarge { #expect(error?.limit.map { $0 > 0 } == true) }
  }

  @Test func `nothing is read after an error`() {
    var parser = RequestParser()
    parser.append(Array("GET / HTTP/1.1\nGET / HTTP/1.1\r\n\(Self.host)\r\n".utf8))
    do {
      _ = try parser.next()
      Issue.record("it is no request")
    } catch {
      #expect(error.code == .badRequest)
    }
    let more = try? parser.next()
    #expect(more == .some(nil))
  }

  @Test func `a request comes as it was sent`() throws {
    let text = """
      POST /v1/entities/product/mug%2Fred?q=a+b%2Bc&ids=x,y%2Cz&flag HTTP/1.1\r
      Host: shop.example:80\r
      X-Long:  \t a b \t\r
      Accept: a\r
      accept: b, c\r
      Content-Length: 5\r
      \r
      hello
      """
    let (requests, _) = try Self.requests(in: Array(text.utf8))
    let request = try #require(requests.first)
    #expect(request.head.method == "POST")
    #expect(request.head.path == ["v1", "entities", "product", "mug/red"])
    #expect(request.head.query.map(\.name) == ["q", "ids", "flag"])
    #expect(request.head.query.map(\.value) == ["a b+c", "x,y,z", ""])
    #expect(request.head.query[1].list == ["x", "y,z"])
    #expect(request.head.fields["x-long"] == "a b")
    #expect(request.head.fields.list("accept") == ["a", "b", "c"])
    #expect(request.head.keepsAlive)
    #expect(request.body == Array("hello".utf8))
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n", false),
    ("GET / HTTP/1.0\r\n\r\n", false),
    ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true),
    ("\r\nGET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", true),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", true),
  ]) func `a connection is kept as its version and its fields say`(text: String, kept: Bool) throws
  {
    let (requests, _) = try Self.requests(in: Array(text.utf8))
    #expect(requests.map(\.head.keepsAlive) == [kept])
  }

  @Test func `the target's own authority is read and its path used`() throws {
    let (requests, _) = try Self.requests(
      in: Array("GET http://shop.example?q=1 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    #expect(requests.first?.head.path == [""])
    #expect(requests.first?.head.query.first?.value == "1")
  }

  /// A name, an address of either kind, a port or none.
  @Test(arguments: [
    "shop.example", "shop.example:80", "shop.example:", "127.0.0.1:65535", "[::1]",
    "[2001:db8::1]:80",
    "[::ffff:127.0.0.1]:1", "a%41b", "a_b~c", "",
  ]) func `a Host that could be one is taken (RFC 3986, 3.2)`(host: String) throws {
    let text = "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    #expect(try Self.requests(in: Array(text.utf8)).requests.count == 1)
  }

  @Test(arguments: [";a", ";a;b=c", "; a = b\t;c", #";a="b;\"=\\ c";d=e"#, #";a="""#])
  func `a chunk's extensions are read by their grammar, and dropped`(extensions: String) throws {
    let text = Self.chunked("1\(extensions)\r\na\r\n0\r\n\r\n")
    #expect(try Self.requests(in: Array(text.utf8)).requests.map(\.body) == [Array("a".utf8)])
  }

  /// Texts beyond ASCII compare by canonical equivalence, which takes time that grows with the
  /// square of a run of accents: a header field must not buy that.
  @Test func `accents in a field are nothing that texts are compared by`() throws {
    let text = "GET / HTTP/1.1\r\n\(Self.host)X-A: a\u{301}\u{316}b\r\n\r\n"
    let request = try #require(try Self.requests(in: Array(text.utf8)).requests.first)
    let value = try #require(request.head.fields["x-a"])
    #expect(value.first == "a" && value.last == "b")
    #expect(value.unicodeScalars.allSatisfy { $0.isASCII || $0 == "\u{FFFD}" })
  }

  @Test func `chunks are put together, extensions and trailers dropped`() throws {
    let text = Self.chunked(
      "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: y\r\nHost: evil\r\n\r\n")
    let (requests, rest) = try Self.requests(in: Array(text.utf8))
    #expect(requests.map(\.body) == [Array("hello world".utf8)])
    #expect(requests.first?.head.fields.values("host") == ["shop.example"])
    #expect(rest == 0)
  }

  @Test func `a head comes before its body`() throws {
    var parser = RequestParser()
    parser.append(
      Array("POST / HTTP/1.1\r\n\(Self.host)Expect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8)
    )
    let first = try parser.next()
    guard case .head(let head)? = first else { throw HTTPError(code: .badRequest, message: "") }
    #expect(head.expectsContinue && head.framing == .length(2))
    let second = try parser.next()
    #expect(second == nil)
    #expect(!parser.isIdle)
    parser.append(Array("ok".utf8))
    let end = try parser.next()
    #expect(end == .end(body: Array("ok".utf8)))
    #expect(parser.isIdle)
  }

  /// However the network cuts them, the same bytes are the same requests, or the same error.
  @Test(arguments: 0..<150 as Range<UInt64>)
  func `it does not matter how bytes are cut`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      bytes += Self.request(using: &generator)
    }
    let isDamaged = Bool.random(using: &generator)
    if isDamaged {
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let byte = [0x0A, 0x0D, 0x20, 0x3A, 0x00, UInt8.random(in: 0...255, using: &generator)]
          .randomElement(using: &generator)!
        if Bool.random(using: &generator) {
          bytes[place] = byte
        } else {
          bytes.insert(byte, at: place)
        }
      }
    }
    let whole = Result { try Self.requests(in: bytes) }
    let pieces = Result { try Self.requests(in: bytes, cutting: &generator) }
    switch (whole, pieces) {
    case (.success(let a), .success(let b)): #expect(a.requests == b.requests)
    case (.failure(let a as HTTPError), .failure(let b as HTTPError)): #expect(a.code == b.code)
    default: Issue.record("\(whole) is not \(pieces)")
    }
    if !isDamaged { #expect(throws: Never.self) { try whole.get() } }
  }

  /// Memory is bounded whatever comes.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `noise is refused or held within limits`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var parser = RequestParser(limits: Self.limits)
    let alphabet = Array("GET /:HTTP/1.1 \r\n\r\nchunked0123abcdef;%".utf8)
    for _ in 0..<400 {
      parser.append((0..<64).map { _ in alphabet.randomElement(using: &generator)! })
      do {
        while try parser.next() != nil {}
      } catch {
        break
      }
      #expect(parser.heldBytes <= 65_536 + 16_384 + 8192 + 64)
    }
  }

  struct Request: Hashable {
    let head: RequestHead
    let body: [UInt8]
  }

  static let limits = RequestParser.Limits(bodyBytes: 65_536)

  /// All requests in some bytes, and how many bytes are left.
  @discardableResult
  static func requests(in bytes: [UInt8]) throws -> (requests: [Request], rest: Int) {
    var reader = Reader()
    try reader.read(bytes[...])
    return (reader.found, reader.parser.heldBytes)
  }

  private static func requests(
    in bytes: [UInt8], cutting generator: inout SeededGenerator
  ) throws -> (requests: [Request], rest: Int) {
    var reader = Reader()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...17, using: &generator))
      try reader.read(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return (reader.found, reader.parser.heldBytes)
  }

  private struct Reader {
    var parser = RequestParser(limits: limits)
    var head: RequestHead?
    var found: [Request] = []

    mutating func read(_ bytes: ArraySlice<UInt8>) throws {
      parser.append(bytes)
      while let event = try parser.next() {
        switch event {
        case .head(let next): head = next
        case .end(let body): found.append(Request(head: try #require(head), body: body))
        }
      }
    }
  }

  /// A sound request, with a body in either form or none.
  private static func request(using generator: inout SeededGenerator) -> [UInt8] {
    var text = "POST /v1/match?labels=a,b HTTP/1.1\r\n\(host)X-Request-ID: a-b\r\n"
    let body = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
      [0x0D, 0x0A, 0x30, UInt8.random(in: 0...255, using: &generator)]
        .randomElement(using: &generator)!
    }
    if Bool.random(using: &generator) {
      text += "Content-Length: \(body.count)\r\n\r\n"
      return Array(text.utf8) + body
    }
    var bytes = Array((text + "Transfer-Encoding: Chunked\r\n\r\n").utf8)
    var rest = body[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(Int.random(in: 1...64, using: &generator))
      bytes += Array("\(String(chunk.count, radix: 16));x=y\r\n".utf8) + chunk + [0x0D, 0x0A]
      rest = rest.dropFirst(chunk.count)
    }
    return bytes + Array("0\r\n\r\n".utf8)
  }
}
