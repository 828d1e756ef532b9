import HTTPServer

extension RequestHead {
  /// Returns whether `Accept` names one media type and nothing else.
  func accepts(only mediaType: String) -> Bool {
    let accepted = fields.list("accept").map { element in
      element.prefix { $0 != ";" }.trimming(" \t").lowercased()
    }
    return accepted == [mediaType]
  }
}

/// The form in which one entity is given.
enum EntityTextForm: String, Sendable, CaseIterable {
  /// The whole document.
  case full
  /// Names and strings, nothing nested: for a language model.
  case model
  /// Lines of text: for other apps.
  case text

  /// Reads `format`; without it, `Accept: text/plain` asks for text.
  init(_ fields: inout RequestFields, _ head: RequestHead) throws(Problem) {
    let asked: EntityTextForm? = try fields.choice("format")
    self = asked ?? (head.accepts(only: "text/plain") ? .text : .full)
  }

  /// Reads `format` of a list, which has no form of lines.
  init(ofList fields: inout RequestFields) throws(Problem) {
    self = try fields.choice("format") ?? .full
    if self == .text { throw fields.problem("format", "full or model") }
  }
}
