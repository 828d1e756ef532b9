import VisualQuery

extension Option {
  /// A field of a question, or `nil` if the option is not given.
  ///
  /// - Parameters:
  ///   - placeholder: The name of the value in help and messages; `nil` for a flag.
  ///   - summary: The effect, in one line of the short help.
  ///   - detail: More details, for the complete help.
  ///   - standard: The description of the default, if it is not the value itself.
  ///   - isRare: True if the short help omits the option.
  /// - Precondition: The field may stand on a command line.
  static func field<Field>(
    _ field: QuestionField<Field>, _ placeholder: String?, _ summary: String, detail: String = "",
    standard: String? = nil, isRare: Bool = false
  ) -> Self where Value == Field? {
    guard let name = field.option else { preconditionFailure("'\(field.name)' is no option") }
    var completion = ValueCompletion.nothing
    if case .choice(let words) = field.shape { completion = .words(words) }
    return Self(
      OptionText(
        name, summary, detail: detail,
        standard: standard ?? (placeholder == nil ? nil : field.standardText), isRare: isRare),
      value: placeholder.map {
        ValueDescription(
          placeholder: $0, accepts: field.kind.acceptedArgument, completion: completion)
      },
      mayRepeat: field.mayRepeat, isAccepted: field.accepts,
      value: { texts in texts.isEmpty ? nil : try? field.value(.argument(texts)) })
  }
}

extension QuestionField {
  /// The value that counts if the field is not given, as it is typed.
  fileprivate var standardText: String? {
    switch standard {
    case .integer(let number): "\(number)"
    case .string(let text): text
    default: nil
    }
  }

  /// True if the texts of several options add up.
  fileprivate var mayRepeat: Bool {
    switch shape {
    case .words, .texts, .flag: true
    default: false
    }
  }

  /// Returns whether the text of an option is of the field's kind. One that is too long, has a control character or cannot be decoded is
  /// an error with a reason of its own: ``Question/init(_:)``.
  @Sendable fileprivate func accepts(_ text: String) -> Bool {
    do throws(QuestionError) {
      _ = try value(.argument([text]))
      return true
    } catch {
      return error.code != .invalid
    }
  }
}

extension Question {
  /// Reads the options of a command line that are fields of a question, apart from the file of an embedding.
  ///
  /// - Throws: ``CommandFailure`` that names the option.
  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    self.init()
    do throws(QuestionError) {
      for field in Self.fields where field.shape != .embedding {
        guard let texts = field.option.flatMap(arguments.texts) else { continue }
        try field.read(.argument(texts), into: &self)
      }
      try check()
    } catch {
      let option = Self.fields.first { $0.name == error.field }?.option.map { "--" + $0 }
      let colon = error.code == .invalidSignature ? ":" : ""
      throw CommandFailure(.usage, (option.map { $0 + colon + " " } ?? "") + error.reason)
    }
  }
}

extension Option<[EntityType: String]> {
  /// A text for a type of entity, as `product=…`; repetitions add further types.
  static func byType(_ text: OptionText, _ placeholder: String, accepts: String) -> Self {
    let value = ValueDescription(
      placeholder: placeholder, accepts: accepts, completion: .nothing)
    return Self(
      text, value: value, mayRepeat: true, initial: [:], parse: pair,
      add: { $0[$1.type] = $1.text })
  }

  @Sendable private static func pair(_ text: String) -> (type: EntityType, text: String)? {
    guard let sign = text.firstIndex(of: "="),
      let type = EntityType(rawValue: String(text[..<sign]))
    else { return nil }
    return (type, String(text[text.index(after: sign)...]))
  }
}
