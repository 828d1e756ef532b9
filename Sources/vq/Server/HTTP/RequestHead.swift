/// A request without its body: what RFC 9112 calls the start line and the header section.
struct RequestHead: Sendable, Hashable {
  /// The method, as it came.
  let method: String
  /// The segments of the path, percent-decoded: `["v1", "match"]`.
  let path: [String]
  /// The parameters of the query, in their order.
  let query: [Parameter]
  /// The header fields.
  let fields: HTTPFields
  /// Whether the connection may serve another request after this one.
  let keepsAlive: Bool
  /// Whether the client waits for `100 Continue` before it sends the body.
  let expectsContinue: Bool
  /// How the body comes.
  let framing: Framing

  /// How a body is delimited.
  enum Framing: Sendable, Hashable {
    case length(Int)
    case chunked
  }

  /// One `name=value` of a query.
  struct Parameter: Sendable, Hashable {
    /// The name, percent-decoded.
    let name: String
    /// The value, percent-decoded.
    let value: String
    /// The values between the commas that are not percent-encoded, decoded.
    let list: [String]
  }
}
