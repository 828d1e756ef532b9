/// A part of an HTML document. Text and the values of attributes are escaped on their way in, so that nothing
/// from a catalogue or a file name can become markup.
struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The markup.
  private(set) var markup: String

  /// Makes a part from text, which is escaped.
  init(text: String) { markup = Self.escaped(text) }

  init(stringLiteral text: String) { self.init(text: text) }

  /// Makes an element. The names are written in the source; attributes without a value are left out.
  init(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ children: [HTML] = []
  ) {
    markup = "<\(name)"
    for case (let key, let value?) in attributes {
      markup += " \(key)=\"\(Self.escaped(value))\""
    }
    markup += ">"
    if Self.void.contains("\(name)") { return }
    for child in children { markup += child.markup }
    markup += "</\(name)>"
  }

  /// Makes an element without attributes.
  init(_ name: StaticString, _ children: [HTML]) { self.init(name, [:], children) }

  /// Joins parts.
  init(_ parts: [HTML]) { markup = parts.map(\.markup).joined() }

  /// Makes a style sheet or a script from a file of the program, which holds no end tag.
  init(_ name: StaticString, file: [UInt8]) {
    markup = "<\(name)>" + String(decoding: file, as: UTF8.self) + "</\(name)>"
  }

  /// The elements without content and end tag.
  private static let void: Set<String> = ["img", "input", "link", "meta"]

  private static let special = Set("&<>\"'".utf8)

  /// Returns a text in which no character starts or ends markup, and none reorders its surroundings.
  static func escaped(_ text: String) -> String {
    // A shortcut for images: their base64 text is long and needs no escaping.
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7f).contains($0) && !special.contains($0) }
    if isPlain { return text }
    var result = ""
    for scalar in DisplayText.escaped(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension HTML {
  /// Returns a title or an id, whose direction does not reorder its surroundings.
  static func name(_ text: String) -> HTML { HTML("bdi", [HTML(text: text)]) }

  /// Returns a link, or its text if a browser would run it instead of opening it.
  static func link(_ url: String) -> HTML {
    let scheme = url.prefix { $0 != ":" }
    let isWeb = ["https", "http"].contains(scheme.lowercased())
    guard isWeb, scheme.count < url.count else { return name(url) }
    return HTML("a", ["href": url, "rel": "noreferrer noopener"], [name(url)])
  }
}
