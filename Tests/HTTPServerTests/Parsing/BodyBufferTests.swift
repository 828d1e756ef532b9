import TestSupport
import Testing

@testable import HTTPServer

/// Bodies as they come.
@Suite struct BodyBufferTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a body is the bytes that came, however they were cut`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...1_000_000, using: &generator)
    let block = (0..<251).map { UInt8($0) }
    let bytes = Array(Array(repeating: block, count: count / 251 + 1).joined().prefix(count))
    let isChunked = Bool.random(using: &generator)
    var buffer = BodyBuffer()
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...100_000, using: &generator))
      buffer.append(piece, of: isChunked ? 4_000_000 - buffer.count : rest.count)
      rest = rest.dropFirst(piece.count)
      #expect(buffer.count == bytes.count - rest.count)
      // The buffer reserves at most as much again as it holds, and never more than the announced length.
      #expect(buffer.capacity >= buffer.count)
      #expect(buffer.capacity <= max(2 * buffer.count, BodyBuffer.pieceSizes.lowerBound))
      #expect(buffer.capacity - buffer.count <= BodyBuffer.pieceSizes.upperBound)
      if !isChunked { #expect(buffer.capacity <= count) }
    }
    #expect(buffer.take() == bytes)
    #expect(buffer.count == 0 && buffer.capacity == 0 && buffer.take() == [])
  }

  /// Would break if each chunk had memory of its own, which is many times a byte.
  @Test func `small chunks share their room`() throws {
    var parser = RequestParser()
    parser.append(Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
    _ = try parser.next()
    for count in 1...40_000 {
      parser.append(Array("1\r\na\r\n".utf8))
      #expect(try parser.next() == nil)
      if count % 10_000 == 0 { #expect(parser.heldBytes <= 2 * max(count, 16 << 10)) }
    }
    parser.append(Array("0\r\n\r\n".utf8))
    #expect(try parser.next() == .end(body: Array(repeating: 0x61, count: 40_000)))
  }

  /// Would break if the room of a body that is never read to its end were kept, or not counted.
  @Test func `a parser that reads no more holds nothing`() throws {
    var parser = RequestParser()
    parser.append(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n".utf8))
    _ = try parser.next()
    parser.append([UInt8](repeating: 1, count: 100_000))
    #expect(try parser.next() == nil)
    #expect((100_000...200_000).contains(parser.heldBytes))
    parser.discard()
    #expect(parser.heldBytes == 0)
    parser.append([1, 2])
    #expect(try parser.next() == nil)
  }
}
