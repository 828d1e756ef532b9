import VisualQuery

/// An option with the type of its value: the key to the value in `ParsedArguments`.
struct Option<Value: Sendable>: Sendable {
  /// The option in the command's table.
  let description: OptionDescription
  private let makeValue: @Sendable ([String]) -> Value

  /// Makes an option whose value is made of one part for each time that it is given.
  ///
  /// - Parameters:
  ///   - value: The description of the value, or `nil` for a flag.
  ///   - initial: The value if the option is not given.
  ///   - parse: Reads the text of one part, or returns `nil` to reject it.
  ///   - add: Adds a part to the value.
  init<Part>(
    _ text: OptionText, value: ValueDescription?, standard: String? = nil,
    isRequired: Bool = false, mayRepeat: Bool = false, initial: Value,
    parse: @escaping @Sendable (String) -> Part?,
    add: @escaping @Sendable (inout Value, Part) -> Void
  ) {
    description = OptionDescription(
      name: text.name, short: text.short, value: value, summary: text.summary,
      detail: text.detail, standard: standard ?? text.standard, environment: text.environment,
      isRequired: isRequired, findsIndexHere: text.findsIndexHere, mayRepeat: mayRepeat,
      isRare: text.isRare,
      standsAlone: text.standsAlone,
      accepts: { parse($0) != nil })
    makeValue = { $0.compactMap(parse).reduce(into: initial, add) }
  }

  /// Makes an option with a default, or one that is required.
  init(
    _ text: OptionText, value: ValueDescription, standard: String? = nil, isRequired: Bool = false,
    initial: Value, parse: @escaping @Sendable (String) -> Value?
  ) {
    self.init(
      text, value: value, standard: standard, isRequired: isRequired, initial: initial,
      parse: parse, add: { $0 = $1 })
  }

  /// Makes an option whose value is `nil` if it is not given.
  init<Part>(
    _ text: OptionText, value: ValueDescription, parse: @escaping @Sendable (String) -> Part?
  ) where Value == Part? {
    self.init(text, value: value, initial: nil, parse: parse, add: { $0 = $1 })
  }

  /// Makes an option whose value is made of all its texts.
  ///
  /// - Parameters:
  ///   - isAccepted: Returns whether a text is accepted.
  ///   - makeValue: Makes the value of the texts that were given, which may be none.
  init(
    _ text: OptionText, value: ValueDescription?, mayRepeat: Bool,
    isAccepted: @escaping @Sendable (String) -> Bool,
    value makeValue: @escaping @Sendable ([String]) -> Value
  ) {
    description = OptionDescription(
      name: text.name, short: text.short, value: value, summary: text.summary, detail: text.detail,
      standard: text.standard, environment: text.environment, isRequired: false,
      findsIndexHere: text.findsIndexHere, mayRepeat: mayRepeat, isRare: text.isRare,
      standsAlone: text.standsAlone, accepts: isAccepted)
    self.makeValue = makeValue
  }

  /// Returns the value of the texts that were given, all of them accepted; the default if there are
  /// none.
  func value(of texts: [String]) -> Value { makeValue(texts) }
}

/// The parts of an option that do not depend on the type of its value.
struct OptionText: Sendable {
  let name: String
  let summary: String
  let detail: String
  let short: Character?
  let standard: String?
  let environment: String?
  let isRare: Bool
  let standsAlone: Bool
  let findsIndexHere: Bool

  /// - Parameters:
  ///   - name: The long name, without dashes.
  ///   - summary: The effect, in one line of the short help.
  ///   - detail: More details, for the complete help.
  ///   - short: The short name.
  ///   - standard: The description of the default, if it is not the value itself.
  ///   - environment: The environment variable that is used if the option is not given.
  ///   - isRare: True if the short help omits the option.
  ///   - standsAlone: True if the command needs neither its operands nor its required options if
  ///     this one is given.
  ///   - findsIndexHere: True if the only index in the working directory is used if the option is not given.
  init(
    _ name: String, _ summary: String, detail: String = "", short: Character? = nil,
    standard: String? = nil, environment: String? = nil, isRare: Bool = false,
    standsAlone: Bool = false, findsIndexHere: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.detail = detail
    self.short = short
    self.standard = standard
    self.environment = environment
    self.isRare = isRare
    self.standsAlone = standsAlone
    self.findsIndexHere = findsIndexHere
  }
}

extension Option<Bool> {
  /// A flag: an option without a value, `true` if it is given.
  static func flag(_ text: OptionText) -> Self {
    Self(
      text, value: nil, mayRepeat: true, initial: false, parse: { _ in true }, add: { $0 = $1 })
  }
}

extension Option<Int> {
  /// An integer in a range.
  static func integer(
    _ text: OptionText, _ placeholder: String = "N", in range: ClosedRange<Int>,
    default standard: Int
  ) -> Self {
    Self(
      text, value: .integer(placeholder, in: range), standard: text.standard ?? "\(standard)",
      initial: standard
    ) { parsedNumber($0, in: range) }
  }
}

extension Option<Int?> {
  /// An integer in a range, or `nil` if the option is not given.
  static func integer(
    _ text: OptionText, _ placeholder: String = "N", in range: ClosedRange<Int>
  ) -> Self {
    Self(text, value: .integer(placeholder, in: range)) { parsedNumber($0, in: range) }
  }
}

extension Option<Double?> {
  /// A number in a range, or `nil` if the option is not given.
  static func number(
    _ text: OptionText, _ placeholder: String, in range: ClosedRange<Double>
  ) -> Self {
    let value = ValueDescription(
      placeholder: placeholder,
      accepts: "\(plain(range.lowerBound))…\(plain(range.upperBound))", completion: .nothing)
    return Self(text, value: value) { parsedNumber($0, in: range) }
  }

  /// A number without a needless fraction: `1`, not `1.0`.
  private static func plain(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
  }
}

extension Option<[String]> {
  /// A list of words with commas between them, trimmed, without empty ones; repeated lists add up.
  ///
  /// - Parameter isElement: Returns whether a word is accepted.
  static func list(
    _ text: OptionText, _ placeholder: String = "LIST", accepts: String = "words between commas",
    isElement: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> Self {
    let value = ValueDescription(
      placeholder: placeholder, accepts: accepts, completion: .nothing)
    return Self(text, value: value, mayRepeat: true, initial: []) { text -> [String]? in
      let words = text.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
      return words.allSatisfy(isElement) ? words : nil
    } add: {
      $0 += $1
    }
  }

  /// A path; each repetition gives one more.
  static func paths(
    _ text: OptionText, _ placeholder: String, of kind: ValueCompletion, isRequired: Bool = true
  ) -> Self {
    Self(
      text, value: .path(placeholder, kind), isRequired: isRequired, mayRepeat: true, initial: [],
      parse: nonempty, add: { $0.append($1) })
  }

  /// A text for each repetition.
  static func texts(_ text: OptionText, _ placeholder: String, accepts: String) -> Self {
    let value = ValueDescription(placeholder: placeholder, accepts: accepts, completion: .nothing)
    return Self(
      text, value: value, mayRepeat: true, initial: [], parse: nonempty, add: { $0.append($1) })
  }
}

extension Option<[HostPattern]> {
  /// Host patterns with commas between them; repeated lists add up.
  static func hosts(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "HOST",
      accepts: "names such as cdn.shop.example, *.shop.example or shop.example:8443",
      completion: .nothing)
    return Self(text, value: value, mayRepeat: true, initial: []) { text -> [HostPattern]? in
      let words = text.split(separator: ",")
      let hosts = words.compactMap { HostPattern(String($0)) }
      return words.isEmpty || hosts.count < words.count ? nil : hosts
    } add: {
      $0 += $1
    }
  }
}

extension Option<[String]?> {
  /// A folder for each repetition, an empty list for `none`, or `nil` if the option is not given.
  static func folders(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "DIR", accepts: "a directory, or none", completion: .directories)
    return Self(
      text, value: value, mayRepeat: true, initial: nil,
      parse: { text in nonempty(text).map { $0 == "none" ? [] : [$0] } },
      add: { $0 = ($0 ?? []) + $1 })
  }
}

extension Option<Set<String>?> {
  /// Names between commas, an empty set for `none`, or `nil` if the option is not given.
  static func names(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "FIELD", accepts: "names between commas, or none", completion: .nothing)
    return Self(text, value: value, mayRepeat: true, initial: nil) { text -> [String]? in
      let names = text.split(separator: ",").map(String.init)
      return text == "none" ? [] : names.isEmpty ? nil : names
    } add: {
      $0 = ($0 ?? []).union($1)
    }
  }
}

extension Option<[Int]?> {
  /// The sides of thumbnails with commas between them, an empty list for `none`, or `nil` if the
  /// option is not given.
  static func thumbnailSides(_ text: OptionText) -> Self {
    let (range, limit) = (ShopSettings.thumbnailSideRange, ShopSettings.thumbnailSideLimit)
    let value = ValueDescription(
      placeholder: "SIDES",
      accepts:
        "at most \(limit) sides of \(range.lowerBound)…\(range.upperBound) pixels such as 160,480, or none",
      completion: .nothing)
    return Self(text, value: value) { text -> [Int]? in
      if text == "none" { return [] }
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let sides = words.compactMap { parsedNumber(String($0), in: range) }
      return sides.count < words.count || sides.count > limit ? nil : sides
    }
  }
}

extension Option<PictureRegion?> {
  /// A part of an image: four numbers with commas between them.
  static func region(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "X,Y,W,H",
      accepts: "left, top, width and height: fractions such as 0.25,0.25,0.5,0.5, or pixels",
      completion: .nothing)
    return Self(text, value: value) { PictureRegion(text: $0) }
  }
}

extension Option<String> {
  /// A required path.
  static func path(_ text: OptionText, _ placeholder: String, of kind: ValueCompletion) -> Self {
    Self(
      text, value: .path(placeholder, kind), isRequired: true, initial: "", parse: nonempty)
  }

  /// A required text.
  static func word(_ text: OptionText, _ placeholder: String) -> Self {
    let value = ValueDescription(placeholder: placeholder, accepts: "a text", completion: .nothing)
    return Self(text, value: value, isRequired: true, initial: "", parse: nonempty)
  }
}

extension Option<String?> {
  /// A path, or `nil` if the option is not given.
  static func path(_ text: OptionText, _ placeholder: String, of kind: ValueCompletion) -> Self {
    Self(text, value: .path(placeholder, kind), parse: nonempty)
  }

  /// A text, or `nil` if the option is not given.
  static func word(_ text: OptionText, _ placeholder: String, accepts: String = "a text") -> Self {
    let value = ValueDescription(placeholder: placeholder, accepts: accepts, completion: .nothing)
    return Self(text, value: value, parse: nonempty)
  }
}

extension Option {
  /// One of a few words, or `nil` if the option is not given.
  static func choice<Choice>(_ text: OptionText, _ placeholder: String) -> Self
  where
    Value == Choice?, Choice: CaseIterable & RawRepresentable & Sendable, Choice.RawValue == String
  {
    let words = Choice.allCases.map(\.rawValue)
    let value = ValueDescription(
      placeholder: placeholder, accepts: alternatives(words), completion: .words(words))
    return Self(text, value: value) { Choice(rawValue: $0) }
  }
}

extension ValueDescription {
  fileprivate static func integer(
    _ placeholder: String, in range: ClosedRange<Int>
  ) -> Self {
    Self(
      placeholder: placeholder,
      accepts: "\(range.lowerBound)…\(range.upperBound)",
      completion: .nothing)
  }

  fileprivate static func path(_ placeholder: String, _ kind: ValueCompletion) -> Self {
    Self(
      placeholder: placeholder, accepts: kind == .directories ? "a directory" : "a file",
      completion: kind)
  }
}

/// Reads a number in a range, or returns `nil`.
private func parsedNumber<Number: LosslessStringConvertible & Comparable>(
  _ text: String, in range: ClosedRange<Number>
) -> Number? {
  Number(text).flatMap { range.contains($0) ? $0 : nil }
}

/// Returns a text that is not empty, or `nil`.
@Sendable private func nonempty(_ text: String) -> String? { text.isEmpty ? nil : text }
