/// The name of a request, `X-Request-ID`, and its place in a trace (W3C Trace Context).
package struct RequestIdentity: Sendable, Hashable {
  /// The client's name for it if that is well-formed, else 32 random hex digits.
  package let id: String
  /// The trace, 32 hex digits: the client's, or one of its own if the client sent none.
  package let traceID: String
  /// The server's part of the trace, 16 hex digits.
  package let spanID: String
  /// The client's part of the trace; `nil` if it sent no trace.
  package let parentSpanID: String?
  /// Further data of the client's trace, `tracestate`.
  package let traceState: String?
  private let flags: String

  /// The most bytes of `tracestate` (W3C Trace Context, 3.3.1.5, wants that many at least).
  private static let traceStateLimit = 512

  /// Makes the identity of a request from its header fields, as far as they could be read.
  package init(_ fields: HTTPFields = HTTPFields()) {
    let trace = fields["traceparent"].flatMap(Self.trace)
    // A trace of the client may have many requests, one of its own has one.
    let own = (0..<2).map { _ in ASCII.hexadecimal(.random(in: 1 ... .max)) }.joined()
    traceID = trace?.id ?? own
    spanID = ASCII.hexadecimal(.random(in: 1 ... .max))
    parentSpanID = trace?.span
    flags = trace?.flags ?? "00"
    traceState =
      trace == nil
      ? nil
      : fields["tracestate"].flatMap { state in
        let isSound =
          (1...Self.traceStateLimit).contains(state.utf8.count)
          && state.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isSound ? state : nil
      }
    id = fields["x-request-id"].flatMap { Self.isSound($0) ? $0 : nil } ?? own
  }

  /// Makes the identity of work that no request asked for, beneath a span if there is one.
  package init(traceparent: String?) {
    var fields = HTTPFields()
    if let traceparent { fields.append("traceparent", traceparent) }
    self.init(fields)
  }

  /// The client's trace with this server's part in it; `nil` if the client sent none.
  package var traceparent: String? {
    parentSpanID == nil ? nil : "00-\(traceID)-\(spanID)-\(flags)"
  }

  /// True if the client records its trace; `nil` if it sent none.
  package var isSampledByClient: Bool? {
    parentSpanID == nil ? nil : Int(flags, radix: 16).map { $0 & 1 == 1 }
  }

  private static func isSound(_ id: String) -> Bool {
    (1...128).contains(id.utf8.count)
      && id.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || "-._".utf8.contains($0) }
  }

  /// `version "-" trace-id "-" parent-id "-" trace-flags`.
  private static func trace(_ text: String) -> (id: String, span: String, flags: String)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isHexadecimal = parts.allSatisfy { part in
      part.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains($0) }
    }
    guard parts.count == 4, parts.map(\.utf8.count) == [2, 32, 16, 2], isHexadecimal,
      parts[0] != "ff", parts[1].contains(where: { $0 != "0" }),
      parts[2].contains(where: { $0 != "0" })
    else { return nil }
    return (String(parts[1]), String(parts[2]), String(parts[3]))
  }
}
