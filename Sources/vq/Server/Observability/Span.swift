import VisualQuery

/// A part of a trace: some work, with its beginning and its end (OpenTelemetry, Trace API).
struct Span: Sendable {
  /// The kinds of the specification that occur here, by their numbers.
  enum Kind: Int, Sendable {
    case inner = 1
    case server = 2
  }

  let traceID: String
  let id: String
  /// The span that it is a part of; `nil` for the first of a trace.
  let parentID: String?
  var traceState: String?
  let name: String
  let kind: Kind
  /// Nanoseconds of Unix time.
  let (start, end): (Int, Int)
  var attributes: [String: JSONValue] = [:]
  var isError = false

  /// The span as OTLP has it in JSON (opentelemetry-proto, trace.proto): numbers of 64 bits are texts there.
  var json: JSONValue {
    var fields: [String: JSONValue] = [
      "traceId": .string(traceID), "spanId": .string(id), "name": .string(name),
      "kind": .integer(Int64(kind.rawValue)),
      "startTimeUnixNano": .string("\(start)"), "endTimeUnixNano": .string("\(end)"),
      "attributes": Self.list(attributes),
      "status": .object(isError ? ["code": .integer(2)] : [:]),
    ]
    fields["parentSpanId"] = parentID.map { .string($0) }
    fields["traceState"] = traceState.map { .string($0) }
    return .object(fields)
  }

  /// The body of a request with spans of this service.
  static func request(_ spans: [Span], service: String) -> JSONValue {
    let version = JSONValue.string(Version.current)
    let resource = list(["service.name": .string(service), "service.version": version])
    let scope: [String: JSONValue] = [
      "scope": .object(["name": .string("vq"), "version": version]),
      "spans": .array(spans.map(\.json)),
    ]
    let part: [String: JSONValue] = [
      "resource": .object(["attributes": resource]), "scopeSpans": .array([.object(scope)]),
    ]
    return .object(["resourceSpans": .array([.object(part)])])
  }

  private static func list(_ attributes: [String: JSONValue]) -> JSONValue {
    .array(
      attributes.sorted { $0.key < $1.key }.map { name, value in
        let typed: [String: JSONValue] =
          switch value {
          case .integer(let number): ["intValue": .string("\(number)")]
          case .bool: ["boolValue": value]
          case .number: ["doubleValue": value]
          default: ["stringValue": value]
          }
        return .object(["key": .string(name), "value": .object(typed)])
      })
  }
}
