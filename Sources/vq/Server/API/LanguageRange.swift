import HTTPServer
import VisualQuery

/// The languages that a client likes to read (RFC 9110, 12.5.4).
enum LanguageRange {
  /// The `locale` of a request.
  static func locale(_ fields: inout RequestFields) throws(Problem) -> String? {
    guard let tag = try fields.text("locale", limit: 64) else { return nil }
    guard isTag(tag) else { throw fields.problem("locale", "a language tag such as de-CH") }
    return tag
  }

  /// The tag that an `Accept-Language` prefers; `nil` if it prefers none.
  ///
  /// The others do not count: the shop's own language is not known, and may be what comes next.
  static func preferred(_ fields: HTTPFields) -> String? {
    var best: (tag: String, quality: Double)?
    for element in fields.list("accept-language") {
      let parts = element.split(separator: ";").map { $0.trimming(" \t") }
      guard let tag = parts.first, isTag(tag) else { continue }
      let quality =
        parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      if quality > best?.quality ?? 0 { best = (tag, quality) }
    }
    return best?.tag
  }

  /// As BCP 47 writes it; apps also divide by `_`.
  private static func isTag(_ text: String) -> Bool {
    LanguageTag.isWellFormed(String(text.map { $0 == "_" ? "-" : $0 }))
  }
}
