#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import Synchronization
import VisualQuery

/// Sends the spans of some requests to a collector, by OTLP over HTTP, from a thread of its own.
///
/// No query waits for it. Spans that wait for a collector have a limit; those beyond it, and those that the collector did
/// not take, are dropped and counted. No image, no label, no key and no address goes in.
final class Tracer: Sendable {
  /// The numbers of spans that were sent, and of those that were dropped.
  struct Counts: Sendable, Hashable {
    var sent = 0
    /// Spans for which no place was left.
    var crowdedOut = 0
    /// Spans that the collector did not take.
    var refused = 0
  }

  private struct State {
    var waiting: [Span] = []
    var steps: [String: [Span]] = [:]
    var isSending = false
    var isEnding = false
    var isRefused = false
    var counts = Counts()
  }

  /// The most spans that wait.
  static let limit = 4096
  /// The most spans of a request to the collector.
  static let batchLimit = 512
  /// The most steps of one request that are kept, and the most requests whose steps are.
  private static let (stepLimit, requestLimit) = (64, 1024)
  /// The time in which spans gather before they are sent.
  private static let gatheringTime = Duration.milliseconds(500)

  private let share: Double
  private let service: String
  private let state = Mutex(State())
  private let pool = WorkerPool(width: 1)
  private let deliver: @Sendable ([UInt8]) throws -> Void
  private let tell: @Sendable (_ message: String, _ isError: Bool) -> Void

  /// - Parameters:
  ///   - share: The share of the traces which begin here that is recorded, from 0 to 1. A client decides for its own.
  ///   - service: The name of the service in traces.
  ///   - deliver: Sends a request to the collector; throws if it did not take it.
  ///   - tell: Is told when the collector begins to refuse spans, and when it takes them again.
  init(
    share: Double, service: String = "vq", deliver: @escaping @Sendable ([UInt8]) throws -> Void,
    tell: @escaping @Sendable (_ message: String, _ isError: Bool) -> Void = { _, _ in }
  ) {
    self.share = share
    self.service = service
    self.deliver = deliver
    self.tell = tell
  }

  /// The counts so far.
  var counts: Counts { state.withLock { $0.counts } }

  /// Returns whether a request is recorded.
  ///
  /// All servers with the same share choose the same traces: the last 56 bits of the id, which are random, decide.
  func records(_ identity: RequestIdentity) -> Bool {
    if let isSampled = identity.isSampledByClient { return isSampled }
    let bits = UInt64(identity.traceID.suffix(14), radix: 16) ?? .max
    return Double(bits) < share * Double(UInt64(1) << 56)
  }

  /// Notes a step of a request that has just ended.
  func note(_ step: String, _ time: Duration, of identity: RequestIdentity) {
    let span = Self.span(step, ofLength: time, until: Self.now, in: identity)
    state.withLock { state in
      // A step may end after its request, whose client has gone: nobody takes it any more.
      if state.steps.count >= Self.requestLimit { state.steps = [:] }
      if state.steps[identity.spanID, default: []].count < Self.stepLimit {
        state.steps[identity.spanID, default: []].append(span)
      }
    }
  }

  /// Takes a request that has ended, with its steps.
  func record(_ exchange: Exchange) {
    let identity = exchange.identity
    guard records(identity) else { return }
    let end = Self.now
    let start = end - Self.nanoseconds(exchange.duration)
    let method = exchange.info?.head.method
    var root = Span(
      traceID: identity.traceID, id: identity.spanID, parentID: identity.parentSpanID,
      traceState: identity.traceState,
      name: method.map { "\($0) \(exchange.route)" } ?? exchange.route, kind: .server,
      start: start, end: end)
    root.attributes = [
      "http.route": .string(exchange.route),
      "http.request.body.size": .integer(Int64(exchange.bytesIn)),
      "http.response.body.size": .integer(Int64(exchange.bytesOut)),
      "vq.request.id": .string(identity.id),
    ]
    root.attributes["http.request.method"] = method.map { .string($0) }
    switch exchange.outcome {
    case .answered:
      root.attributes["http.response.status_code"] = .integer(Int64(exchange.status))
      root.isError = exchange.status >= 500
    case .clientGone: root.attributes["vq.cancelled"] = .bool(true)
    }
    let queue = Self.span(
      "queue", ofLength: exchange.wait, until: start + Self.nanoseconds(exchange.wait),
      in: identity)
    add(root, queue: exchange.wait > .zero ? queue : nil)
  }

  private func add(_ root: Span, queue: Span?) {
    let begins = state.withLock { state in
      var spans = [root]
      if let queue { spans.append(queue) }
      spans += state.steps.removeValue(forKey: root.id) ?? []
      guard state.waiting.count + spans.count <= Self.limit else {
        state.counts.crowdedOut += spans.count
        return false
      }
      state.waiting += spans
      defer { state.isSending = true }
      return !state.isSending
    }
    // The task need not be awaited: it ends when nothing is left to send.
    if begins { Task(executorPreference: pool) { await self.drain() } }
  }

  private func drain() async {
    while true {
      if !state.withLock(\.isEnding) { try? await Task.sleep(for: Self.gatheringTime) }
      guard let batch = next() else { return }
      let body = JSONWriter.bytes(of: Span.request(batch, service: service))
      do {
        try deliver(body)
        note(batch.count, refusal: nil)
      } catch {
        note(batch.count, refusal: "\(error)")
      }
    }
  }

  private func next() -> [Span]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isSending = false
        return nil
      }
      let batch = Array(state.waiting.prefix(Self.batchLimit))
      state.waiting.removeFirst(batch.count)
      return batch
    }
  }

  private func note(_ count: Int, refusal: String?) {
    let changes = state.withLock { state in
      if refusal == nil { state.counts.sent += count } else { state.counts.refused += count }
      defer { state.isRefused = refusal != nil }
      return state.isRefused != (refusal != nil)
    }
    if changes {
      tell(
        refusal.map { "\($0); spans are dropped" } ?? "the collector takes spans again",
        refusal != nil)
    }
  }

  /// Returns once everything is sent, or after a time: a collector that does not answer must not keep the process alive.
  func finish(within limit: Duration = .seconds(2)) async {
    state.withLock { $0.isEnding = true }
    // A task of its own, because the caller's is cancelled when the server is told to stop.
    await Task {
      let end = ContinuousClock.now + limit
      while self.state.withLock(\.isSending), ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(2))
      }
    }.value
  }

  // MARK: Time

  private static func span(
    _ name: String, ofLength time: Duration, until end: Int, in identity: RequestIdentity
  ) -> Span {
    Span(
      traceID: identity.traceID, id: RequestIdentity().spanID, parentID: identity.spanID,
      name: name, kind: .inner, start: end - nanoseconds(time), end: end)
  }

  private static var now: Int { Int(Date().timeIntervalSince1970 * 1e9) }

  private static func nanoseconds(_ duration: Duration) -> Int {
    max(0, Int(duration / .nanoseconds(1)))
  }
}
