import HTTPServer
import VisualQuery

/// The languages that a client likes to read (RFC 9110, 12.5.4).
enum LanguageRange {
  /// The tag that an `Accept-Language` prefers; `nil` if it prefers none.
  ///
  /// Only the first tag counts: the shop's own language is not known, and may be the next one.
  static func preferred(_ fields: HTTPFields) -> String? {
    var best: (tag: String, quality: Double)?
    for element in fields.list("accept-language") {
      let parts = element.split(separator: ";").map { $0.trimming(" \t") }
      guard let tag = parts.first, LanguageTag.isWellFormed(tag, dividedBy: "-_") else { continue }
      let quality =
        parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      if quality > best?.quality ?? 0 { best = (tag, quality) }
    }
    return best?.tag
  }
}
