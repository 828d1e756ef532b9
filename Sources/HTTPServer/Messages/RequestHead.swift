/// A request without its body: what RFC 9112 calls the start line and the header section.
package struct RequestHead: Sendable, Hashable {
  /// The method, as it came.
  package let method: String
  /// The segments of the path, percent-decoded: `["v1", "match"]`.
  package let path: [String]
  /// The parameters of the query, in their order.
  package let query: [Parameter]
  /// The header fields.
  package let fields: HTTPFields
  /// The host that is asked, maybe with a port: that of a target in absolute form, else the Host field (RFC 9112, 3.2.2).
  package let host: String?
  /// True if the connection may serve another request after this one.
  package let keepsAlive: Bool
  /// True if the client waits for `100 Continue` before it sends the body.
  package let expectsContinue: Bool
  /// The framing of the body.
  package let framing: Framing

  /// The way in which the end of a body is known.
  package enum Framing: Sendable, Hashable {
    case length(Int)
    case chunked
  }

  /// One `name=value` of a query.
  package struct Parameter: Sendable, Hashable {
    /// The name, percent-decoded.
    package let name: String
    /// The value, percent-decoded.
    package let value: String
    /// The values between the commas that are not percent-encoded, decoded.
    package let list: [String]
  }
}
