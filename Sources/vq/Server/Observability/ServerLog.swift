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
/// No image, no label, no key and no address goes in. If nobody takes the lines, they are dropped and counted: a full
/// pipe must not hold up answers.
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
  private let deliver: @Sendable ([UInt8]) throws -> Void
  private let dropped: @Sendable () -> Void

  /// - Parameters:
  ///   - skipsSuccess: True if requests that went well are left out.
  ///   - deliver: Takes whole lines; those that it fails to write are lost.
  ///   - dropped: Is told of each line that is lost.
  init(
    skipsSuccess: Bool = false,
    deliver: @escaping @Sendable ([UInt8]) throws -> Void = {
      try FileDescriptor.standardError.write($0)
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
    let traceId: String
    let spanId: String
    let method: String?
    let route: String
    let status: Int
    let bytesIn: Int
    let bytesOut: Int
    let durationMs: Double
    let queueMs: Double
    let key: String?
  }

  /// Writes down a request; `key` is the name of the client's key.
  func write(_ exchange: Exchange, key: String?) {
    if skipsSuccess && exchange.status < 400 { return }
    write(
      RequestLine(
        time: HTTPDate().timestamp, level: exchange.status >= 500 ? "error" : "info",
        event: exchange.outcome == .clientGone ? "cancelled" : "request",
        requestId: exchange.identity.id, traceId: exchange.identity.traceID,
        spanId: exchange.identity.spanID,
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
    // The task need not be awaited: it ends when nothing is left to write.
    if begins { Task(executorPreference: pool) { self.drain() } }
  }

  private func drain() {
    while let bytes = next() {
      do {
        try deliver(bytes)
      } catch {
        for byte in bytes where byte == 0x0A { dropped() }
      }
    }
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

  /// Returns once everything is written, or after a time: a reader who has stopped must not keep the process alive.
  func finish(within limit: Duration = .seconds(2)) async {
    // A task of its own, because the caller's is cancelled when the server is told to stop.
    await Task {
      let end = ContinuousClock.now + limit
      while self.state.withLock(\.isWriting), ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(2))
      }
    }.value
  }
}
