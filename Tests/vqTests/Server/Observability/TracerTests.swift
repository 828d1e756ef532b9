import Dispatch
import Synchronization
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

@Suite struct TracerTests {
  private struct Refused: Error {}

  private static func identity(_ traceparent: String? = nil) -> RequestIdentity {
    var fields = HTTPFields()
    if let traceparent { fields.append("traceparent", traceparent) }
    return RequestIdentity(fields)
  }

  private static func exchange(
    _ identity: RequestIdentity, status: Int = 200, outcome: Exchange.Outcome = .answered
  ) -> Exchange {
    Exchange(
      info: nil, identity: identity, route: "/v1/match", outcome: outcome, status: status,
      bytesIn: 10, bytesOut: 20, duration: .milliseconds(30), wait: .milliseconds(5),
      computing: .milliseconds(25))
  }

  private static func spans(of body: [UInt8]) throws -> [[String: JSONValue]] {
    func part(_ value: JSONValue?, _ name: String) throws -> JSONValue? {
      guard case .object(let fields) = try #require(value) else { return nil }
      return fields[name]
    }
    func first(_ value: JSONValue?) throws -> JSONValue? {
      guard case .array(let values) = try #require(value) else { return nil }
      return values.first
    }
    let resource = try first(part(JSONValue(json: body), "resourceSpans"))
    let scope = try first(part(resource, "scopeSpans"))
    let list = try part(scope, "spans")
    guard case .array(let spans)? = list else { return [] }
    return spans.compactMap { if case .object(let fields) = $0 { fields } else { nil } }
  }

  /// Would break if a collector showed steps beside their request, or a request beside that of the client.
  @Test func `a request is a span of its client's trace, and its steps are spans of it`()
    async throws
  {
    let bodies = Mutex<[[UInt8]]>([])
    let tracer = Tracer(share: 0, deliver: { body in bodies.withLock { $0.append(body) } })
    let identity = Self.identity("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    tracer.note("decoding", .milliseconds(4), of: identity)
    tracer.record(Self.exchange(identity, status: 503))
    await tracer.finish(within: .seconds(600))
    let spans = try Self.spans(of: try #require(bodies.withLock { $0.first }))
    #expect(
      spans.map { $0["name"] } == [.string("/v1/match"), .string("queue"), .string("decoding")])
    #expect(
      spans.allSatisfy { $0["traceId"] == .string("4bf92f3577b34da6a3ce929d0e0e4736") })
    #expect(spans[0]["parentSpanId"] == .string("00f067aa0ba902b7"))
    #expect(spans[0]["status"] == .object(["code": .integer(2)]))
    #expect(spans[1...].allSatisfy { $0["parentSpanId"] == spans[0]["spanId"] })
    #expect(Set(spans.map { $0["spanId"] }).count == 3)
    #expect(tracer.counts == Tracer.Counts(sent: 3))
  }

  /// Would break if two servers chose different traces, or if a client's decision did not count.
  @Test func `the share decides for traces that begin here, the client for its own`() {
    let identities = (0..<4000).map { _ in Self.identity() }
    func chosen(_ share: Double) -> Set<RequestIdentity> {
      let tracer = Tracer(share: share, deliver: { _ in })
      return Set(identities.filter { tracer.records($0) })
    }
    #expect(chosen(0).isEmpty && chosen(1).count == identities.count)
    #expect((250...550).contains(chosen(0.1).count) && chosen(0.1) == chosen(0.1))
    #expect(chosen(0.1).isSubset(of: chosen(0.2)))
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
    #expect(Tracer(share: 0, deliver: { _ in }).records(Self.identity(trace + "-01")))
    #expect(!Tracer(share: 1, deliver: { _ in }).records(Self.identity(trace + "-00")))
  }

  /// Would break if a collector that hangs held up answers, filled the memory, or kept the process.
  @Test func `a collector that hangs loses spans, which are counted, and nothing waits for it`()
    async
  {
    let release = DispatchSemaphore(value: 0)
    let tracer = Tracer(share: 1, deliver: { _ in release.wait() })
    for _ in 0..<Tracer.limit { tracer.record(Self.exchange(Self.identity())) }
    #expect(tracer.counts.crowdedOut >= Tracer.limit - Tracer.batchLimit)
    await tracer.finish(within: .milliseconds(10))
    #expect(tracer.counts.sent == 0)
    for _ in 0..<Tracer.limit { release.signal() }
    await tracer.finish(within: .seconds(600))
    #expect(tracer.counts.sent + tracer.counts.crowdedOut == 2 * Tracer.limit)
  }

  /// Would break if each lost batch were a line of the log, or if spans were lost without a word.
  @Test func `a collector that refuses is told of once, and its return, too`() async {
    let refuses = Mutex(true)
    let said = Mutex<[Bool]>([])
    let tracer = Tracer(
      share: 1,
      deliver: { _ in if refuses.withLock({ $0 }) { throw Refused() } },
      tell: { _, isError in said.withLock { $0.append(isError) } })
    for _ in 0..<3 {
      tracer.record(Self.exchange(Self.identity(), outcome: .clientGone))
      await tracer.finish(within: .seconds(600))
    }
    refuses.withLock { $0 = false }
    tracer.record(Self.exchange(Self.identity()))
    await tracer.finish(within: .seconds(600))
    #expect(said.withLock { $0 } == [true, false])
    #expect(tracer.counts == Tracer.Counts(sent: 2, refused: 6))
  }

  /// Would break if steps of requests that never end could fill the memory.
  @Test func `steps of requests that do not end are forgotten`() async {
    let tracer = Tracer(share: 1, deliver: { _ in })
    for _ in 0..<5000 { tracer.note("decoding", .milliseconds(1), of: Self.identity()) }
    let identity = Self.identity()
    for _ in 0..<100 { tracer.note("decoding", .milliseconds(1), of: identity) }
    tracer.record(Self.exchange(identity))
    await tracer.finish(within: .seconds(600))
    #expect(tracer.counts == Tracer.Counts(sent: 2 + 64))
  }

  @Test(
    arguments: [
      ("", [:]), ("a=b", ["a": "b"]), ("api-key=x%20y , b = c=d", ["api-key": "x y", "b": "c=d"]),
      ("a", nil), ("=b", nil), ("a=%zz", nil), ("a=b%0d%0ac", nil),
    ] as [(String, [String: String]?)])
  func `fields for the collector are those of the variable`(
    text: String, fields: [String: String]?
  ) {
    #expect((try? TraceOptions.fields(text)) == fields)
  }
}
