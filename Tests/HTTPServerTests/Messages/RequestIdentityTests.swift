import Testing

@testable import HTTPServer

/// Request ids and traces.
@Suite struct RequestIdentityTests {
  @Test(
    arguments: [
      ("abc-1.2_3", "abc-1.2_3"), ("", nil), ("a b", nil), ("a\"b", nil),
      (String(repeating: "a", count: 129), nil),
    ] as [(String, String?)])
  func `a client's name of a request is kept where it is sound`(given: String, kept: String?) {
    var fields = HTTPFields()
    fields.append("X-Request-ID", given)
    let identity = RequestIdentity(fields)
    #expect(kept == nil ? identity.id.count == 32 : identity.id == kept)
  }

  @Test(arguments: [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true),
    ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", false),
  ]) func `a trace goes on where it is well-formed (W3C Trace Context, 3.2)`(
    given: String, isGood: Bool
  ) {
    var fields = HTTPFields()
    fields.append("traceparent", given)
    let identity = RequestIdentity(fields)
    #expect((identity.parentSpanID != nil) == isGood && identity.traceID.count == 32)
    #expect(identity.isSampledByClient == (isGood ? given.hasSuffix("1") : nil))
    #expect((identity.traceparent != nil) == isGood)
    if isGood {
      #expect(identity.traceparent?.contains("4bf92f3577b34da6a3ce929d0e0e4736") == true)
      #expect(identity.traceparent?.contains("00f067aa0ba902b7") == false)
    }
  }

  /// Would break if requests without a trace could not be told apart in a log, or if a client's state could end the line of a field.
  @Test func `a request without a trace has one of its own, and keeps no state of another`() {
    var fields = HTTPFields()
    fields.append("tracestate", "vendor=1")
    let (one, other) = (RequestIdentity(fields), RequestIdentity(fields))
    #expect(one.id == one.traceID && one.traceID != other.traceID && one.spanID != other.spanID)
    #expect(one.traceparent == nil && one.traceState == nil)
    fields.append("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    #expect(RequestIdentity(fields).traceState == "vendor=1")
    var long = HTTPFields()
    long.append("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    long.append("tracestate", String(repeating: "a", count: 513))
    #expect(RequestIdentity(long).traceState == nil)
  }
}
