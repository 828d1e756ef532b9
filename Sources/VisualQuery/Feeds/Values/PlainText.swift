/// Turns the HTML of titles and descriptions into text.
enum PlainText {
  /// The most characters of a description that are kept.
  static let descriptionLimit = 20_000

  /// Returns the text of HTML: references decoded, tags gone, blocks on lines of their own, blanks
  /// joined.
  ///
  /// A text without a tag of HTML and without a reference is returned unchanged: `a < b` and `<M>`
  /// stay.
  static func text(_ html: String) -> String {
    guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
      return html
    }
    var scanner = Scanner(html)
    let stripped = scanner.run()
    return scanner.hasMarkup ? collapsed(stripped) : html
  }

  /// Returns the text of HTML, cut at ``descriptionLimit``.
  static func description(_ html: String) -> String {
    let text = blocks(of: html) ?? text(html)
    if text.utf8.count <= descriptionLimit { return text }
    return text.count <= descriptionLimit ? text : String(text.prefix(descriptionLimit - 1)) + "…"
  }

  /// Returns the paragraphs of a text that an editor of blocks wrote as JSON, as Saleor keeps descriptions, or `nil` if it is
  /// another text.
  private static func blocks(of text: String) -> String? {
    guard text.hasPrefix("{"), text.contains("\"blocks\""),
      case .object(let fields)? = try? JSONValue(
        json: Array(text.utf8), limits: .line, shouldStop: { false }),
      case .array(let blocks)? = fields["blocks"]
    else { return nil }
    let texts = blocks.compactMap { block -> String? in
      guard case .object(let block) = block, case .object(let data)? = block["data"],
        case .string(let text)? = data["text"]
      else { return nil }
      return self.text(text)
    }
    return texts.joined(separator: "\n")
  }

  /// Joins blanks, and leaves out empty lines.
  private static func collapsed(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { line in
      line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// Walks over HTML once. Tags and references are bounded, so that the time is linear in the text.
  private struct Scanner {
    private let bytes: [UInt8]
    private var position = 0
    private var output: [UInt8] = []
    private(set) var hasMarkup = false

    init(_ html: String) { bytes = Array(html.utf8) }

    mutating func run() -> String {
      output.reserveCapacity(bytes.count)
      while position < bytes.count {
        let byte = bytes[position]
        if byte == UInt8(ascii: "<"), skipTag() { continue }
        if byte == UInt8(ascii: "&"), let reference = HTMLReference(bytes[position...]) {
          hasMarkup = true
          output += Array(reference.text.utf8)
          position += reference.byteCount
          continue
        }
        output.append(byte)
        position += 1
      }
      return String(decoding: output, as: UTF8.self)
    }

    /// Skips a tag or a comment; returns `false` if there is none.
    private mutating func skipTag() -> Bool {
      if bytes[position...].starts(with: "<!--".utf8) {
        position = end(of: "-->", from: position + 4)
        hasMarkup = true
        return true
      }
      var index = position + 1
      let isClosing = index < bytes.count && bytes[index] == UInt8(ascii: "/")
      if isClosing { index += 1 }
      let start = index
      while index < bytes.count, index - start < 12, isLetterOrDigit(bytes[index]) { index += 1 }
      let name = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
      guard PlainText.tags.contains(name), index == bytes.count || ends(bytes[index]),
        let close = bytes[index...].prefix(4096).firstIndex(of: UInt8(ascii: ">"))
      else { return false }
      hasMarkup = true
      position = close + 1
      if !isClosing, name == "script" || name == "style" {
        position = end(of: "</\(name)", from: position)
        position =
          bytes[position...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
      }
      if PlainText.blocks.contains(name) {
        output.append(0x0A)
      } else if name == "td" || name == "th" || name == "span" && isClosing {
        output.append(0x20)
      }
      return true
    }

    private func ends(_ byte: UInt8) -> Bool {
      byte <= 0x20 || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    /// Returns the index behind the next occurrence of a mark, or the end.
    private func end(of mark: String, from start: Int) -> Int {
      let mark = Array(mark.utf8)
      var index = start
      while index + mark.count <= bytes.count {
        if bytes[index] | 0x20 == mark[0] | 0x20,
          zip(bytes[index...], mark).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
        {
          return index + mark.count
        }
        index += 1
      }
      return bytes.count
    }
  }

  private static let blocks: Set<String> = [
    "p", "br", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "section", "article", "blockquote", "dt", "dd", "dl", "pre", "header", "footer",
  ]
  private static let tags: Set<String> = blocks.union([
    "a", "abbr", "b", "big", "body", "button", "caption", "center", "cite", "code", "col",
    "colgroup", "del", "em", "embed", "fieldset", "figcaption", "figure", "font", "form", "head",
    "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "link", "main", "mark", "meta",
    "nav", "object", "option", "param", "picture", "q", "s", "samp", "script", "select", "small",
    "source", "span", "strike", "strong", "style", "sub", "sup", "tbody", "td", "textarea", "tfoot",
    "th", "thead", "time", "title", "tt", "u", "var", "video", "wbr",
  ])
}

/// A character reference of HTML, such as `&amp;`, `&#39;` or `&#x27;`.
struct HTMLReference {
  let text: String
  /// The number of bytes that it takes, including `&` and `;`.
  let byteCount: Int

  /// Reads a reference at the beginning of bytes; returns `nil` if there is none that is known.
  init?(_ bytes: ArraySlice<UInt8>) {
    let body = bytes.dropFirst().prefix(10)
    guard let end = body.firstIndex(of: UInt8(ascii: ";")), end > body.startIndex else {
      return nil
    }
    let name = String(decoding: body[..<end], as: UTF8.self)
    byteCount = end - bytes.startIndex + 1
    if name.hasPrefix("#") {
      let digits = name.dropFirst()
      let isHexadecimal = digits.first == "x" || digits.first == "X"
      guard
        let code = UInt32(
          isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
      else { return nil }
      // Windows programs write references such as `&#150;` with the numbers of Windows-1252.
      // Browsers accept them, too.
      let isOfWindows = (0x80...0x9F).contains(code)
      guard code >= 0x20 || code == 0x09 || code == 0x0A || code == 0x0D, code != 0x7F,
        let scalar = isOfWindows
          ? SingleByteEncoding.windows1252.scalar(UInt8(code)) : Unicode.Scalar(code)
      else { return nil }
      text = String(scalar)
    } else {
      guard let known = Self.names[name] else { return nil }
      text = known
    }
  }

  private static let names: [String: String] = {
    var names = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "euro": "€",
      "ndash": "–", "mdash": "—", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“",
      "rdquo": "”", "bdquo": "„", "hellip": "…", "bull": "•", "trade": "™", "dagger": "†",
      "permil": "‰", "lsaquo": "‹", "rsaquo": "›", "oelig": "œ", "OElig": "Œ", "scaron": "š",
      "Scaron": "Š", "zwj": "", "zwnj": "", "shy": "", "thinsp": " ", "ensp": " ", "emsp": " ",
      "le": "≤", "ge": "≥", "ne": "≠", "infin": "∞", "minus": "−", "rarr": "→", "larr": "←",
      "Prime": "″", "prime": "′", "star": "☆", "check": "✓", "hearts": "♥",
    ]
    // The names of the characters U+00A0 to U+00FF, in order.
    let latin1 = """
      nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
      micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
      Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
      Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
      ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
      uuml yacute thorn yuml
      """
    for (code, name) in zip(UInt32(0xA0)..., latin1.split(separator: " ").map(String.init))
    where names[name] == nil {
      names[name] = Unicode.Scalar(code).map { String($0) }
    }
    return names
  }()
}
