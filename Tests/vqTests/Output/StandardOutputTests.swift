import Foundation
import Synchronization
import Testing

@testable import vq

@Suite struct StandardOutputTests {
  /// Keeps what is delivered, one element a delivery.
  final class Sink: Sendable {
    private let parts = Mutex<[[UInt8]]>([])
    var deliveries: [[UInt8]] { parts.withLock { $0 } }
    func take(_ bytes: [UInt8]) { parts.withLock { $0.append(bytes) } }
  }

  @Test func `texts wait in the buffer until they are flushed`() throws {
    let sink = Sink()
    let output = StandardOutput { bytes in sink.take(bytes) }
    try output.write("one ")
    try output.writeLine("two")
    #expect(sink.deliveries.isEmpty)
    try output.flush()
    #expect(sink.deliveries == [Array("one two\n".utf8)])
  }

  @Test func `a full buffer is delivered, in order and whole`() throws {
    let sink = Sink()
    let output = StandardOutput { bytes in sink.take(bytes) }
    let lines = (0..<20_000).map { "line \($0)" }
    for line in lines { try output.writeLine(line) }
    #expect(sink.deliveries.count > 1)
    try output.flush()
    #expect(sink.deliveries.flatMap(\.self) == Array((lines.joined(separator: "\n") + "\n").utf8))
  }

  @Test func `what could not be delivered is not delivered later`() throws {
    let output = StandardOutput { _ throws(OutputError) in
      throw OutputError(code: .closedPipe, message: "")
    }
    try output.write("lost")
    #expect(throws: OutputError.self) { try output.flush() }
    let sink = Sink()
    let other = StandardOutput { bytes in sink.take(bytes) }
    try other.flush()
    #expect(sink.deliveries == [[]])
  }

  @Test func `short writes go on and interrupted ones are repeated`() throws {
    var taken: [UInt8] = []
    var attempts = 0
    try FileDescriptor.deliver(Array(0..<100)) { rest in
      attempts += 1
      if attempts % 3 == 0 { return .failed(EINTR) }
      if attempts % 5 == 0 { return .failed(EAGAIN) }
      taken += rest.prefix(7)
      return .wrote(min(7, rest.count))
    }
    #expect(taken == Array(0..<100))
  }

  @Test func `nothing to write is no attempt`() throws {
    try FileDescriptor.deliver([]) { _ in
      Issue.record("an attempt")
      return .wrote(0)
    }
  }

  @Test(arguments: [(EPIPE, OutputError.Code.closedPipe), (ENOSPC, .refused), (EIO, .refused)])
  func `a failed write has a code`(reason: Int32, code: OutputError.Code) throws {
    let error = #expect(throws: OutputError.self) {
      try FileDescriptor.deliver([1]) { _ in .failed(reason) }
    }
    #expect(error?.code == code)
  }
}

@Suite struct JSONLinesTests {
  struct Answer: Encodable {
    let query: String
    let url: String?
    let confidence: Double
  }

  @Test func `keys are sorted, slashes stay, and no line breaks`() throws {
    let answer = Answer(query: "a\n\"b\"", url: "https://shop.example/p", confidence: 0.5)
    #expect(
      try JSONLines.line(answer)
        == #"{"confidence":0.5,"query":"a\n\"b\"","url":"https://shop.example/p"}"#)
  }

  @Test func `a number that JSON cannot say is an error`() {
    #expect(throws: EncodingError.self) {
      try JSONLines.line(Answer(query: "", url: nil, confidence: .nan))
    }
  }
}
