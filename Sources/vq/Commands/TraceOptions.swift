import Foundation
import HTTPServer
import VisualQuery

/// The options of `vq serve` that say where traces go.
///
/// The variables of OpenTelemetry count, too: `OTEL_EXPORTER_OTLP_ENDPOINT` is the default of `--traces`,
/// `OTEL_EXPORTER_OTLP_HEADERS` are fields of each request to the collector, and `OTEL_SERVICE_NAME` names the service.
enum TraceOptions {
  static let collector = Option<String?>.word(
    OptionText(
      "traces", "send traces to this collector (OTLP over HTTP)",
      detail: "Its address without /v1/traces, such as http://127.0.0.1:4318.",
      standard: "$OTEL_EXPORTER_OTLP_ENDPOINT if it is set", isRare: true),
    "URL", accepts: "the address of a collector")
  static let share = Option<Double?>.number(
    OptionText(
      "trace-share", "the share of requests whose traces are sent",
      detail:
        "Of those whose client sends no trace of its own. A client's 'traceparent' decides for its request.",
      standard: "0.01", isRare: true), "SHARE",
    in: 0...1)

  /// The time for a request to the collector.
  private static let timeLimit = Duration.seconds(5)

  /// Returns what sends traces, or `nil` if nobody wants them.
  static func tracer(_ arguments: ParsedArguments, log: ServerLog) throws -> Tracer? {
    guard let address = arguments[collector] ?? variable("OTEL_EXPORTER_OTLP_ENDPOINT") else {
      if arguments[share] != nil {
        throw CommandFailure(.usage, "--trace-share requires --traces, which says where they go")
      }
      return nil
    }
    return Tracer(
      share: arguments[share] ?? 0.01, service: service, deliver: try sender(to: address),
      tell: { message, isError in log.write("traces", message, level: isError ? "error" : "info") })
  }

  /// Sends a run of a command as a span, if `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector; beneath the span of
  /// `TRACEPARENT` if there is one.
  ///
  /// - Returns: The reason why it was not sent.
  static func send(run name: String, from start: Date, code: ExitCode) -> String? {
    guard let address = variable("OTEL_EXPORTER_OTLP_ENDPOINT") else { return nil }
    let identity = RequestIdentity(traceparent: variable("TRACEPARENT"))
    func nanoseconds(_ date: Date) -> Int { Int(date.timeIntervalSince1970 * 1e9) }
    var span = Span(
      traceID: identity.traceID, id: identity.spanID, parentID: identity.parentSpanID, name: name,
      kind: .inner, start: nanoseconds(start), end: nanoseconds(Date()))
    span.attributes = ["process.exit.code": .integer(Int64(code.rawValue))]
    span.isError = ![.success, .nothingToDo, .losses, .unfinished].contains(code)
    do {
      try sender(to: address)(JSONWriter.bytes(of: Span.request([span], service: service)))
      return nil
    } catch {
      return
        "the trace of this run was not sent: \((error as? CommandFailure)?.message ?? "\(error)")"
    }
  }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private static var service: String { variable("OTEL_SERVICE_NAME") ?? "vq" }

  /// Returns a function that sends spans to a collector; nothing is sent yet.
  private static func sender(to address: String) throws -> @Sendable ([UInt8]) throws -> Void {
    let path = "/v1/traces"
    let connection: ServiceConnection
    do {
      connection = try ServiceConnection(
        address.hasSuffix(path) ? String(address.dropLast(path.count)) : address,
        timeLimit: timeLimit)
    } catch let failure as ServiceConnection.Failure {
      throw CommandFailure(.usage, "the collector of traces: \(failure.message)")
    }
    let fields = try fields(variable("OTEL_EXPORTER_OTLP_HEADERS") ?? "")
    return { body in
      let answer: ServiceConnection.Answer
      do throws(ServiceConnection.Failure) {
        answer = try connection.ask(path, fields: fields, content: ("application/json", body))
      } catch {
        throw Refusal(description: error.message)
      }
      guard (200..<300).contains(answer.status) else {
        throw Refusal(
          description: "the collector '\(connection.address)' answers with \(answer.status)")
      }
    }
  }

  /// The reason why a collector did not take spans.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads `name=value` between commas, whose values are percent-encoded (OpenTelemetry, OTLP exporter).
  static func fields(_ text: String) throws(CommandFailure) -> [String: String] {
    var fields: [String: String] = [:]
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard pair.count == 2, !pair[0].isEmpty, let value = pair[1].removingPercentEncoding,
        !(pair[0] + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
      else {
        // The text may hold a secret.
        throw CommandFailure(
          .usage, "OTEL_EXPORTER_OTLP_HEADERS is not of the form name=value,name=value")
      }
      fields[pair[0]] = value
    }
    return fields
  }
}
