#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import Synchronization
import VisualQuery

/// The log: a JSON object a line, written by a thread of its own.
///
/// No picture, no label, no key and no address goes in. Where nobody takes the lines, they are dropped and
/// counted: a full pipe must not hold up answers.
final class ServerLog: Sendable {
  private struct State {
    var pending: [UInt8] = []
    var isWriting = false
  }

  /// Bytes that wait to be written, at most.
  private static let limit = 1 << 20

  private let skipsSuccess: Bool
  private let state = Mutex(State())
  private let pool = WorkerPool(width: 1)
  private let deliver: @Sendable ([UInt8]) -> Void
  private let dropped: @Sendable () -> Void

  /// - Parameters:
  ///   - skipsSuccess: Whether requests that went well are left out.
  ///   - deliver: Takes whole lines.
  ///   - dropped: Is told of each line that is lost.
  init(
    skipsSuccess: Bool = false,
    deliver: @escaping @Sendable ([UInt8]) -> Void = {
      try? FileDescriptor.standardError.write($0)
    }, dropped: @escaping @Sendable () -> Void = {}
  ) {
    self.skipsSuccess = skipsSuccess
    self.deliver = deliver
    self.dropped = dropped
  }

  private struct RequestLine: Encodable {
    let time: String
    let level: String
    let event: String
    let requestId: String
    let traceId: String?
    let method: String?
    let route: String
    let status: Int
    let bytesIn: Int
    let bytesOut: Int
    let durationMs: Double
    let queueMs: Double
    let key: String?
  }

  /// Writes down a request; `key` is the name of who asked.
  func write(_ exchange: Exchange, key: String?) {
    if skipsSuccess && exchange.status < 400 { return }
    write(
      RequestLine(
        time: HTTPDate().timestamp, level: exchange.status >= 500 ? "error" : "info",
        event: exchange.outcome == .clientGone ? "cancelled" : "request",
        requestId: exchange.identity.id, traceId: exchange.identity.traceID,
        method: exchange.info?.head.method, route: exchange.route, status: exchange.status,
        bytesIn: exchange.bytesIn, bytesOut: exchange.bytesOut,
        durationMs: Self.rounded(exchange.duration), queueMs: Self.rounded(exchange.wait),
        key: key))
  }

  private struct EventLine: Encodable {
    let time: String
    let level: String
    let event: String
    let message: String
    let requestId: String?
  }

  /// Writes down anything else.
  func write(
    _ event: String, _ message: String, level: String = "info", requestID: String? = nil
  ) {
    write(
      EventLine(
        time: HTTPDate().timestamp, level: level, event: event, message: message,
        requestId: requestID))
  }

  private static func rounded(_ duration: Duration) -> Double {
    (Milliseconds.value(duration) * 100).rounded() / 100
  }

  private func write(_ line: some Encodable) {
    let bytes = JSONBody.encoded(line) + [0x0A]
    let (isTaken, begins) = state.withLock { state in
      guard state.pending.count + bytes.count <= Self.limit else { return (false, false) }
      state.pending += bytes
      defer { state.isWriting = true }
      return (true, !state.isWriting)
    }
    if !isTaken { dropped() }
    // It ends by itself when nothing is left; `finish` writes what it did not come to.
    if begins { Task(executorPreference: pool) { self.drain() } }
  }

  private func drain() {
    while let bytes = next() { deliver(bytes) }
  }

  private func next() -> [UInt8]? {
    state.withLock { state in
      if state.pending.isEmpty {
        state.isWriting = false
        return nil
      }
      defer { state.pending = [] }
      return state.pending
    }
  }

  /// Writes what is left, on the caller's thread.
  func finish() { drain() }
}
