import VisualQuery

/// An option and the type of its value: what `ParsedArguments` is asked with.
struct Option<Value: Sendable>: Sendable {
  /// The option in the command's table.
  let description: OptionDescription
  private let initial: Value
  private let take: @Sendable (_ text: String, _ value: inout Value) -> Bool

  init(
    _ text: OptionText, value: ValueDescription?, standard: String? = nil,
    isRequired: Bool = false, mayRepeat: Bool = false, initial: Value,
    take: @escaping @Sendable (String, inout Value) -> Bool
  ) {
    description = OptionDescription(
      name: text.name, short: text.short, value: value, summary: text.summary,
      detail: text.detail, standard: standard ?? text.standard, environment: text.environment,
      isRequired: isRequired, mayRepeat: mayRepeat, isRare: text.isRare)
    self.initial = initial
    self.take = take
  }

  /// Returns the value that accepted texts add up to; the option's default when there are none.
  func value(of texts: [String]) -> Value {
    texts.reduce(into: initial) { value, text in
      let isTaken = take(text, &value)
      precondition(isTaken, "the parser lets no text through that \(description.spelling) refuses")
    }
  }
}

/// The words about an option that do not depend on the type of its value.
struct OptionText: Sendable {
  let name: String
  let summary: String
  let detail: String
  let short: Character?
  let standard: String?
  let environment: String?
  let isRare: Bool

  /// - Parameters:
  ///   - name: The long name, without dashes.
  ///   - summary: What it does, in one line of the short help.
  ///   - detail: More about it, for the complete help.
  ///   - short: The short name.
  ///   - standard: The default in words, where the value alone does not say it.
  ///   - environment: The variable that stands in for the option.
  ///   - isRare: Whether the short help leaves it out.
  init(
    _ name: String, _ summary: String, detail: String = "", short: Character? = nil,
    standard: String? = nil, environment: String? = nil, isRare: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.detail = detail
    self.short = short
    self.standard = standard
    self.environment = environment
    self.isRare = isRare
  }
}

extension Option<Bool> {
  /// An option without a value: `true` when it is given.
  static func flag(_ text: OptionText) -> Self {
    Self(text, value: nil, mayRepeat: true, initial: false) { _, value in
      value = true
      return true
    }
  }
}

extension Option<Int> {
  /// A whole number in a range.
  static func integer(
    _ text: OptionText, _ placeholder: String = "N", in range: ClosedRange<Int>,
    default standard: Int
  ) -> Self {
    Self(
      text, value: .integer(placeholder, in: range), standard: text.standard ?? "\(standard)",
      initial: standard
    ) { text, value in
      guard let number = Int(text), range.contains(number) else { return false }
      value = number
      return true
    }
  }
}

extension Option<Int?> {
  /// A whole number in a range, or `nil` when it is not given.
  static func integer(
    _ text: OptionText, _ placeholder: String = "N", in range: ClosedRange<Int>
  ) -> Self {
    Self(text, value: .integer(placeholder, in: range), initial: nil) { text, value in
      guard let number = Int(text), range.contains(number) else { return false }
      value = number
      return true
    }
  }
}

extension Option<Double?> {
  /// A number in a range, or `nil` when it is not given.
  static func number(
    _ text: OptionText, _ placeholder: String, in range: ClosedRange<Double>
  ) -> Self {
    let value = ValueDescription(
      placeholder: placeholder,
      accepts: "\(plain(range.lowerBound))…\(plain(range.upperBound))", completion: .nothing,
      isAccepted: { Double($0).map(range.contains) ?? false })
    return Self(text, value: value, initial: nil) { text, value in
      guard let number = Double(text), range.contains(number) else { return false }
      value = number
      return true
    }
  }

  /// A number without a needless fraction: `1`, not `1.0`.
  private static func plain(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
  }
}

extension Option<Duration?> {
  /// Whole milliseconds; `nil` when 0 is given, which means "without end".
  static func milliseconds(
    _ text: OptionText, upTo maximum: Int, default standard: Int
  ) -> Self {
    let range = 0...maximum
    return Self(
      text, value: .integer("MS", in: range, unit: "ms"), standard: "\(standard)",
      initial: .milliseconds(standard)
    ) { text, value in
      guard let number = Int(text), range.contains(number) else { return false }
      value = number == 0 ? nil : .milliseconds(number)
      return true
    }
  }
}

extension Option<[String]> {
  /// Words between commas, trimmed, empty ones dropped; the option may be given several times.
  static func list(_ text: OptionText, _ placeholder: String = "LIST") -> Self {
    let value = ValueDescription(
      placeholder: placeholder, accepts: "words between commas", completion: .nothing,
      isAccepted: { _ in true })
    return Self(text, value: value, mayRepeat: true, initial: []) { text, value in
      for part in text.split(separator: ",") {
        let word = trimmed(part)
        if !word.isEmpty { value.append(word) }
      }
      return true
    }
  }

  private static func trimmed(_ part: Substring) -> String {
    let start = part.drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { String(start[...$0]) } ?? ""
  }
}

extension Option<[HostPattern]> {
  /// Hosts between commas; the option may be given several times.
  static func hosts(_ text: OptionText) -> Self {
    @Sendable func hosts(_ text: String) -> [HostPattern]? {
      let words = text.split(separator: ",")
      let hosts = words.compactMap { HostPattern(String($0)) }
      return words.isEmpty || hosts.count < words.count ? nil : hosts
    }
    let value = ValueDescription(
      placeholder: "HOST",
      accepts: "names such as cdn.shop.example, *.shop.example or shop.example:8443",
      completion: .nothing, isAccepted: { hosts($0) != nil })
    return Self(text, value: value, mayRepeat: true, initial: []) { text, value in
      guard let hosts = hosts(text) else { return false }
      value += hosts
      return true
    }
  }
}

extension Option<[String]> {
  /// Paths, one each time the option is given, without which the command cannot run.
  static func paths(_ text: OptionText, _ placeholder: String, of kind: ValueCompletion) -> Self {
    Self(
      text, value: .path(placeholder, kind), isRequired: true, mayRepeat: true, initial: []
    ) { text, value in
      value.append(text)
      return !text.isEmpty
    }
  }
}

extension Option<[String]?> {
  /// Folders, one each time the option is given; `none` for an empty list; `nil` when it is not given.
  static func folders(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "DIR", accepts: "a directory, or none", completion: .directories,
      isAccepted: { !$0.isEmpty })
    return Self(text, value: value, mayRepeat: true, initial: nil) { text, value in
      value = (value ?? []) + (text == "none" ? [] : [text])
      return !text.isEmpty
    }
  }
}

extension Option<[Int]?> {
  /// The sides of thumbnails between commas; `none` for an empty list; `nil` when it is not given.
  static func thumbnailSides(_ text: OptionText) -> Self {
    let (range, limit) = (ShopSettings.thumbnailSideRange, ShopSettings.thumbnailSideLimit)
    @Sendable func sides(_ text: String) -> [Int]? {
      if text == "none" { return [] }
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let sides = words.compactMap { Int($0) }.filter(range.contains)
      return sides.count < words.count || sides.count > limit ? nil : sides
    }
    let value = ValueDescription(
      placeholder: "SIDES",
      accepts:
        "at most \(limit) of \(range.lowerBound)…\(range.upperBound) pixels, such as 160,480, or none",
      completion: .nothing, isAccepted: { sides($0) != nil })
    return Self(text, value: value, initial: nil) { text, value in
      value = sides(text)
      return value != nil
    }
  }
}

extension Option<PictureRegion?> {
  /// A part of a picture: four numbers between commas.
  static func region(_ text: OptionText) -> Self {
    let value = ValueDescription(
      placeholder: "X,Y,W,H",
      accepts: "left, top, width and height: shares such as 0.25,0.25,0.5,0.5, or pixels",
      completion: .nothing, isAccepted: { PictureRegion(text: $0) != nil })
    return Self(text, value: value, initial: nil) { text, value in
      value = PictureRegion(text: text)
      return value != nil
    }
  }
}

extension PictureRegion {
  /// Reads four numbers between commas: shares where none is above 1, else pixels.
  init?(text: String) {
    self.init(
      numbers: text.split(separator: ",", omittingEmptySubsequences: false).map {
        Double($0) ?? .nan
      })
  }

  /// Takes left, top, width and height: shares where none is above 1, else pixels.
  init?(numbers: [Double]) {
    guard numbers.count == 4, numbers.allSatisfy({ $0.isFinite && $0 >= 0 }),
      numbers[2] > 0, numbers[3] > 0
    else { return nil }
    self.init(
      x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3],
      unit: numbers.allSatisfy { $0 <= 1 } ? .fractions : .pixels)
  }
}

extension Option<String> {
  /// A path without which the command cannot run.
  static func path(_ text: OptionText, _ placeholder: String, of kind: ValueCompletion) -> Self {
    Self(text, value: .path(placeholder, kind), isRequired: true, initial: "") { text, value in
      value = text
      return !text.isEmpty
    }
  }
}

extension Option<String> {
  /// A text without which the command cannot run.
  static func word(_ text: OptionText, _ placeholder: String) -> Self {
    let value = ValueDescription(
      placeholder: placeholder, accepts: "a text", completion: .nothing,
      isAccepted: { !$0.isEmpty })
    return Self(text, value: value, isRequired: true, initial: "") { text, value in
      value = text
      return !text.isEmpty
    }
  }
}

extension Option<String?> {
  /// A path, or `nil` when it is not given.
  static func path(_ text: OptionText, _ placeholder: String, of kind: ValueCompletion) -> Self {
    Self(text, value: .path(placeholder, kind), initial: nil) { text, value in
      value = text
      return !text.isEmpty
    }
  }
}

extension Option {
  /// One of a few words, or `nil` when it is not given.
  static func choice<Choice>(_ text: OptionText, _ placeholder: String) -> Self
  where
    Value == Choice?, Choice: CaseIterable & RawRepresentable & Sendable, Choice.RawValue == String
  {
    let words = Choice.allCases.map(\.rawValue)
    let value = ValueDescription(
      placeholder: placeholder, accepts: alternatives(words), completion: .words(words),
      isAccepted: { Choice(rawValue: $0) != nil })
    return Self(text, value: value, initial: nil) { text, value in
      guard let choice = Choice(rawValue: text) else { return false }
      value = choice
      return true
    }
  }
}

extension ValueDescription {
  fileprivate static func integer(
    _ placeholder: String, in range: ClosedRange<Int>, unit: String? = nil
  ) -> Self {
    Self(
      placeholder: placeholder,
      accepts: "\(range.lowerBound)…\(range.upperBound)" + (unit.map { " " + $0 } ?? ""),
      completion: .nothing, isAccepted: { Int($0).map(range.contains) ?? false })
  }

  fileprivate static func path(_ placeholder: String, _ kind: ValueCompletion) -> Self {
    Self(
      placeholder: placeholder, accepts: kind == .directories ? "a directory" : "a file",
      completion: kind, isAccepted: { !$0.isEmpty })
  }
}

extension Option<String?> {
  /// A text, or `nil` when it is not given.
  static func word(_ text: OptionText, _ placeholder: String, accepts: String = "a text") -> Self {
    let value = ValueDescription(
      placeholder: placeholder, accepts: accepts, completion: .nothing,
      isAccepted: { !$0.isEmpty })
    return Self(text, value: value, initial: nil) { text, value in
      value = text
      return !text.isEmpty
    }
  }
}
