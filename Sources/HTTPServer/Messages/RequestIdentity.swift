/// The name of a request, `X-Request-ID`, and the trace that it belongs to (W3C Trace Context).
package struct RequestIdentity: Sendable, Hashable {
  /// The client's name for it if that is well-formed, else 32 random hex digits.
  package let id: String
  /// The trace, 32 hex digits; `nil` if the client sent none.
  package let traceID: String?
  private let flags: String
  private let spanID: String

  /// Makes the identity of a request from its header fields, as far as they could be read.
  package init(_ fields: HTTPFields = HTTPFields()) {
    let given = fields["x-request-id"].flatMap { Self.isSound($0) ? $0 : nil }
    id = given ?? (0..<2).map { _ in ASCII.hexadecimal(.random(in: 0 ... .max)) }.joined()
    let trace = fields["traceparent"].flatMap(Self.trace)
    traceID = trace?.id
    flags = trace?.flags ?? "00"
    spanID = trace == nil ? "" : ASCII.hexadecimal(.random(in: 1 ... .max))
  }

  /// The trace with this server's part in it.
  package var traceparent: String? { traceID.map { "00-\($0)-\(spanID)-\(flags)" } }

  private static func isSound(_ id: String) -> Bool {
    (1...128).contains(id.utf8.count)
      && id.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || "-._".utf8.contains($0) }
  }

  /// `version "-" trace-id "-" parent-id "-" trace-flags`.
  private static func trace(_ text: String) -> (id: String, flags: String)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isHexadecimal = parts.allSatisfy { part in
      part.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains($0) }
    }
    guard parts.count == 4, parts.map(\.utf8.count) == [2, 32, 16, 2], isHexadecimal,
      parts[0] != "ff", parts[1].contains(where: { $0 != "0" }),
      parts[2].contains(where: { $0 != "0" })
    else { return nil }
    return (String(parts[1]), String(parts[3]))
  }
}
