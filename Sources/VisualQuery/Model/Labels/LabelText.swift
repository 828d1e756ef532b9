/// The normalized form of labels, for comparison.
package enum LabelText {
  /// Returns a label in lower case, without diacritics, with single blanks between the words and
  /// each word in the singular and in its American spelling.
  ///
  /// Plural endings are removed by the rules of English spelling: `berries` to `berry`, `boxes` to
  /// `box`, `tomatoes` to `tomato`, `cups` to `cup`; `glass`, `bus` and `tennis` stay. The result
  /// is for comparison, not for display: `cookie` and `cookies` both become `cooky`.
  package static func normalized(_ label: String) -> String {
    words(label).map { american(singular($0)) }.joined(separator: " ")
  }

  /// Returns a text in lower case, without diacritics.
  package static func folded(_ text: String) -> String {
    let lowercased = text.lowercased()
    var folded = ""
    if lowercased.unicodeScalars.allSatisfy({ $0.value < 0x300 }) {
      for scalar in lowercased.unicodeScalars { append(scalar, to: &folded) }
      return folded
    }
    for character in lowercased {
      if let scalar = composed(character) {
        append(scalar, to: &folded)
      } else {
        for scalar in character.unicodeScalars { append(scalar, to: &folded) }
      }
    }
    return folded
  }

  /// The largest number of bytes in a label of an entity, in UTF-8.
  static let byteLimit = 256
  /// The largest number of labels of an entity.
  static let countLimit = 256
  /// The largest number of bytes of all labels of an entity. Each word of a label is indexed, and so are its parts.
  static let totalByteLimit = 4096
  /// The largest number of forms under which a label is indexed.
  static let headLimit = 8

  /// Checks the labels of a row, or other words in a field whose name is their plural.
  package static func check(_ labels: [String], field: String = "labels") throws(FieldError) {
    guard labels.count <= countLimit else {
      throw FieldError(
        field: field, reason: "has \(labels.count) \(field); the limit is \(countLimit)")
    }
    for label in labels where label.utf8.count > byteLimit {
      let start = String(label.unicodeScalars.prefix(20))
      throw FieldError(
        field: field,
        reason:
          "has the \(field.dropLast()) '\(start)…' of \(label.utf8.count) bytes; the limit is \(byteLimit)"
      )
    }
    let total = labels.reduce(0) { $0 + $1.utf8.count }
    guard total <= totalByteLimit else {
      throw FieldError(
        field: field,
        reason: "has \(field) of \(total) bytes together; the limit is \(totalByteLimit)")
    }
  }

  /// Returns the first of some labels that are within the limits.
  package static func bounded(_ labels: [String]) -> [String] {
    var total = 0
    return labels.filter { $0.utf8.count <= byteLimit }.prefix(countLimit).prefix { label in
      total += label.utf8.count
      return total <= totalByteLimit
    }.map { $0 }
  }

  /// Returns a normalized label with its more general forms: in English the head comes last, so
  /// that a `camp coffee mug` is a `coffee mug` and a `mug`. Of a label with many words, only the
  /// last forms are returned, so that the space for a label is linear in its length.
  static func heads(of normalized: String) -> [String] {
    let words = normalized.split(separator: " ")
    return (words.indices.prefix(1) + words.indices.dropFirst().suffix(headLimit - 1)).map {
      words[$0...].joined(separator: " ")
    }
  }

  /// Returns all normalized labels under which an entity with some labels is indexed, each with the number of
  /// words of the shortest of its labels that ends with it.
  package static func indexed(_ labels: [String]) -> [String: Int] {
    var indexed: [String: Int] = [:]
    for label in labels.map(normalized) {
      let words = wordCount(label)
      for head in heads(of: label) { indexed[head] = min(indexed[head] ?? .max, words) }
    }
    return indexed
  }

  /// Returns the number of words of a normalized label.
  static func wordCount(_ normalized: String) -> Int { normalized.split(separator: " ").count }

  /// Returns the words of a text, folded.
  static func words(_ text: String) -> [String] {
    folded(text).split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "&" && $0 != "'" })
      .map(String.init)
  }

  /// The words of a text as the full-text index has them, but for their endings.
  package static func searchedWords(_ text: String) -> [String] {
    words(text).map { $0.filter { $0 != "&" && $0 != "'" } }.filter { !$0.isEmpty }
  }

  /// Returns the single scalar that is canonically equivalent to a letter with a mark of its own, such as the Cyrillic й or the
  /// Japanese が, or to a Korean syllable: in these scripts the mark makes another letter.
  private static func composed(_ character: Character) -> Unicode.Scalar? {
    marked[character] ?? syllable(Array(character.unicodeScalars))
  }

  /// The precomposed letters of Greek, Cyrillic and kana. Characters are equal if they are canonically equivalent.
  private static let marked: [Character: Unicode.Scalar] = {
    let blocks: [ClosedRange<UInt32>] = [0x370...0x52F, 0x1F00...0x1FFF, 0x3041...0x30FF]
    let letters = blocks.joined().compactMap(Unicode.Scalar.init).filter {
      $0.properties.isAlphabetic
    }
    return Dictionary(letters.map { (Character($0), $0) }) { first, _ in first }
  }()

  /// Returns a Korean syllable of its two or three parts (The Unicode Standard, 3.12).
  private static func syllable(_ parts: [Unicode.Scalar]) -> Unicode.Scalar? {
    let values = parts.map { Int($0.value) }
    guard (2...3).contains(values.count), (0x1100..<0x1113).contains(values[0]),
      (0x1161..<0x1176).contains(values[1])
    else { return nil }
    let open = 0xAC00 + ((values[0] - 0x1100) * 21 + values[1] - 0x1161) * 28
    if values.count == 2 { return Unicode.Scalar(UInt32(open)) }
    guard (0x11A8..<0x11C3).contains(values[2]) else { return nil }
    return Unicode.Scalar(UInt32(open + values[2] - 0x11A7))
  }

  /// Appends a letter without its marks, according to the names of precomposed Latin letters.
  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    if scalar.isASCII {
      text.unicodeScalars.append(scalar)
    } else if scalar.properties.generalCategory == .nonspacingMark {
      return
    } else if let replacement = ligatures[scalar] {
      text += replacement
    } else if let name = scalar.properties.name, name.hasPrefix("LATIN SMALL LETTER "),
      let letter = name.dropFirst(19).split(separator: " ").first, letter.count == 1
    {
      text += letter.lowercased()
    } else {
      text.unicodeScalars.append(scalar)
    }
  }

  private static let ligatures: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "’": "'",
  ]

  private static func american(_ word: String) -> String { americanSpellings[word] ?? word }

  /// British spellings of words that name or describe goods, in the singular.
  private static let americanSpellings = [
    "aluminium": "aluminum", "armour": "armor", "catalogue": "catalog", "centre": "center",
    "chilli": "chili", "colour": "color", "coloured": "colored",
    "cosy": "cozy", "doughnut": "donut", "fibre": "fiber",
    "flavour": "flavor", "flavoured": "flavored", "grey": "gray",
    "harbour": "harbor", "jewellery": "jewelry",
    "litre": "liter", "meagre": "meager", "metre": "meter", "mould": "mold",
    "moulding": "molding", "moustache": "mustache", "multicolour": "multicolor",
    "multicoloured": "multicolored", "odour": "odor", "organiser": "organizer",
    "plough": "plow", "pyjama": "pajama", "sceptre": "scepter",
    "sulphur": "sulfur", "theatre": "theater", "tyre": "tire", "vapour": "vapor",
    "whisky": "whiskey", "woollen": "woolen", "yoghurt": "yogurt", "yoghourt": "yogurt",
  ]

  private static func singular(_ word: String) -> String {
    guard word.count > 3 else { return word }
    // Gives both endings one spelling, because `cookies` does not show whether the singular is
    // `cookie` or `cooky`.
    if word.count > 4 && word.hasSuffix("ie") { return word.dropLast(2) + "y" }
    guard word.hasSuffix("s") else { return word }
    if word.hasSuffix("ss") || word.hasSuffix("us") || word.hasSuffix("is") { return word }
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["xes", "ches", "shes", "sses"] where word.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    if word.hasSuffix("oes"), word.count > 5, !word.hasSuffix("shoes") {
      return String(word.dropLast(2))
    }
    return String(word.dropLast())
  }
}
