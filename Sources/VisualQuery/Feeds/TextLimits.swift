/// The limits on the texts of an entity that lists, answers and indexes contain.
enum TextLimits {
  /// The largest number of Unicode scalars of a title and of other short texts.
  static let scalarCount = 1000
  /// The largest number of lines of the text on a thing, and of their Unicode scalars in all.
  static let (lineCount, lineScalarCount) = (1000, 20_000)
  private static let texts = ["title", "subtitle", "brand", "address"]
  private static let words = ["labels", "synonyms"]

  /// Cuts what is beyond the limits from the fields of an entity in the native form.
  ///
  /// - Returns: A warning for each field that was cut.
  static func apply(to fields: inout [String: JSONValue]) -> [FieldError] {
    var warnings: [FieldError] = []
    for name in texts { cutText(name, in: &fields, &warnings) }
    for name in words { cutWords(name, in: &fields, &warnings) }
    cutLines(in: &fields, &warnings)
    if case .object(var extra)? = fields["extra"], extra[EntityValue.textField] != nil {
      cutLines(in: &extra, &warnings)
      fields["extra"] = .object(extra)
    }
    if case .object(var attributes)? = fields["attributes"] {
      var cut: [FieldError] = []
      for name in attributes.keys.sorted() { cutText(name, in: &attributes, &cut) }
      if !cut.isEmpty { fields["attributes"] = .object(attributes) }
      warnings += cut.map { $0.within("attributes") }
    }
    if case .object(var languages)? = fields["localized"] {
      for language in languages.keys.sorted() {
        guard case .object(var texts)? = languages[language] else { continue }
        var cut: [FieldError] = []
        for name in Self.texts { cutText(name, in: &texts, &cut) }
        cutWords("synonyms", in: &texts, &cut)
        if cut.isEmpty { continue }
        languages[language] = .object(texts)
        fields["localized"] = .object(languages)
        warnings += cut.map { $0.within("localized.\(language)") }
      }
    }
    return warnings
  }

  private static func cutText(
    _ name: String, in fields: inout [String: JSONValue], _ warnings: inout [FieldError]
  ) {
    guard case .string(let text)? = fields[name], text.utf8.count > scalarCount else { return }
    let count = text.unicodeScalars.count
    guard count > scalarCount else { return }
    fields[name] = .string(String(text.unicodeScalars.prefix(scalarCount)))
    warnings.append(
      FieldError(field: name, reason: "has \(count) characters; the limit is \(scalarCount)"))
  }

  /// Makes a list of lines of the text on a thing.
  private static func cutLines(
    in fields: inout [String: JSONValue], _ warnings: inout [FieldError]
  ) {
    let name = EntityValue.textField
    guard let value = fields[name], value != .null else { return }
    let texts = EntityValue.lines(value)
    let isOfTexts =
      if case .array(let values) = value { values.count == texts.count } else { texts.count == 1 }
    if !isOfTexts {
      let found = if case .array = value { "a list with something else" } else { value.kind }
      warnings.append(
        FieldError(field: name, reason: "must be a text or a list of texts; found \(found)"))
    }
    let lines = texts.flatMap(FieldCleaning.lines)
    var (kept, left) = ([JSONValue](), lineScalarCount)
    var isCut = lines.count > lineCount
    for line in lines.prefix(lineCount) where left > 0 {
      let scalars = line.unicodeScalars.prefix(min(left, scalarCount))
      isCut = isCut || scalars.endIndex < line.unicodeScalars.endIndex
      left -= scalars.count
      kept.append(.string(String(scalars)))
    }
    isCut = isCut || kept.count < lines.count
    if isCut {
      warnings.append(
        FieldError(
          field: name,
          reason: """
            has \(lines.count) lines with \(lines.reduce(0) { $0 + $1.unicodeScalars.count }) characters; the limits are \
            \(lineCount) lines, \(scalarCount) characters each, and \(lineScalarCount) in all
            """))
    }
    fields[name] = kept.isEmpty ? nil : .array(kept)
  }

  private static func cutWords(
    _ name: String, in fields: inout [String: JSONValue], _ warnings: inout [FieldError]
  ) {
    guard case .array(let values)? = fields[name] else { return }
    let words = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    do throws(FieldError) {
      try LabelText.check(words, field: name)
    } catch {
      fields[name] = .array(LabelText.bounded(words).map(JSONValue.string))
      warnings.append(error)
    }
  }
}
