#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

internal import PixelMatch

/// The shape of a field, for descriptions such as the documentation of the server's API.
package enum QuestionShape: Sendable, Hashable {
  /// A whole number.
  case integer(ClosedRange<Int>)
  /// A number.
  case number(ClosedRange<Double>)
  /// `true` or `false`.
  case flag
  /// A text of at most so many Unicode scalars.
  case text(length: Int)
  /// Words, at most `count`, each of at most `length` Unicode scalars.
  case words(count: Int, length: Int)
  /// Texts that may have commas, at most `count`, each of at most `length` Unicode scalars.
  case texts(count: Int, length: Int)
  /// One of some words.
  case choice([String])
  /// A part of an image.
  case region
  /// A latitude and a longitude.
  case location
  /// A date and time.
  case instant
  /// A language tag.
  case language
  /// The embedding of an image, which a command line names a file for.
  case embedding
}

/// The kind of a field: the values that it takes, and the reader of them, which is the same for every door.
package struct QuestionKind<Value: Sendable>: Sendable {
  /// The shape.
  package let shape: QuestionShape
  /// The accepted values, as the help of a command says them: `1…100`.
  package let acceptedArgument: String
  /// Reads a value; `nil` for one that stands for none.
  private let read: @Sendable (GivenValue) throws(QuestionError) -> Value?

  /// - Parameters:
  ///   - accepted: The accepted values, as the end of a sentence: `a whole number in 1…100`.
  ///   - read: Reads a value; `nil` for one that is not of the kind.
  private init(
    _ shape: QuestionShape, _ accepted: String, argument: String? = nil,
    read: @escaping @Sendable (GivenValue) throws(QuestionError) -> Value?
  ) {
    self.shape = shape
    acceptedArgument = argument ?? accepted
    self.read = { given throws(QuestionError) in
      guard let value = try read(given) else {
        throw QuestionError(reason: "is not \(accepted)")
      }
      return value
    }
  }

  /// - Parameter reading: Reads a value; `nil` for one that stands for none.
  private init(
    reading: @escaping @Sendable (GivenValue) throws(QuestionError) -> Value?,
    _ shape: QuestionShape, argument: String
  ) {
    (self.shape, acceptedArgument, read) = (shape, argument, reading)
  }

  /// Reads a value; `nil` for one that stands for none.
  ///
  /// - Throws: ``QuestionError`` without the name of the field.
  package func value(_ given: GivenValue) throws(QuestionError) -> Value? { try read(given) }
}

extension QuestionKind<Int> {
  /// A whole number in a range.
  package static func integer(_ range: ClosedRange<Int>) -> Self {
    let text = "\(range.lowerBound)…\(range.upperBound)"
    return Self(.integer(range), "a whole number in \(text)", argument: text) {
      given throws(QuestionError) in
      try given.integer().flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension QuestionKind<Double> {
  /// A number in a range.
  package static func number(_ range: ClosedRange<Double>) -> Self {
    func plain(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
    return Self(
      .number(range), "a number in \(range.lowerBound)…\(range.upperBound)",
      argument: "\(plain(range.lowerBound))…\(plain(range.upperBound))"
    ) { given throws(QuestionError) in
      try given.number().flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension QuestionKind<Duration> {
  /// Milliseconds, at least one; for a command line, 0 means that there is no limit.
  static func milliseconds(upTo maximum: Int) -> Self {
    let accepted = "a whole number in 1…\(maximum)"
    return Self(
      reading: { given throws(QuestionError) in
        let number = try given.integer()
        if case .argument = given, number == 0 { return nil }
        guard let number, (1...maximum).contains(number) else {
          throw QuestionError(reason: "is not \(accepted)")
        }
        return .milliseconds(number)
      }, .integer(1...maximum), argument: "0…\(maximum) ms")
  }
}

extension QuestionKind<Bool> {
  /// `true` or `false`, or the presence of an option.
  package static let flag = Self(.flag, "true or false") { given throws(QuestionError) in
    try given.flag()
  }
}

extension QuestionKind<String> {
  /// A text of at most so many Unicode scalars, without control characters.
  package static func text(length: Int) -> Self {
    Self(.text(length: length), "a text") { given throws(QuestionError) in
      try given.text(length: length)
    }
  }

  /// A tag of BCP 47; apps also divide by `_`.
  static let language = Self(
    .language, "a language tag such as de-CH", argument: "a language tag such as de"
  ) { given throws(QuestionError) in
    let tag = try given.text(length: 64)
    return LanguageTag.isWellFormed(tag, dividedBy: "-_") ? tag : nil
  }
}

extension QuestionKind<[String]> {
  /// At most `count` words, each of at most `length` Unicode scalars.
  package static func words(count: Int, length: Int) -> Self {
    Self(.words(count: count, length: length), "words between commas") {
      given throws(QuestionError) in
      try given.words(count: count, length: length)
    }
  }
}

extension QuestionKind<[QuestionText]> {
  /// At most `count` lines of text, each of at most `length` Unicode scalars.
  static func lines(count: Int, length: Int) -> Self {
    Self(.texts(count: count, length: length), "a text") { given throws(QuestionError) in
      try given.lines(count: count, length: length)
    }
  }
}

extension QuestionKind<[EntityComparator]> {
  /// At most `count` conditions.
  static func conditions(count: Int) -> Self {
    let length = EntityComparator.textLimit
    return Self(
      .texts(count: count, length: length),
      "a property, one of = != < <= > >= ~ ^= $=, and a value, such as price<20"
    ) { given throws(QuestionError) in
      let texts = try given.texts(count: count, length: length)
      let comparators = texts.compactMap { EntityComparator($0) }
      return comparators.count == texts.count ? comparators : nil
    }
  }
}

extension QuestionKind where Value: CaseIterable & RawRepresentable<String> {
  /// One of the words of an enumeration.
  package static var choice: Self {
    let words = Value.allCases.map(\.rawValue)
    return Self(.choice(words), alternatives(words)) { given throws(QuestionError) in
      try Value(rawValue: given.text(length: 64))
    }
  }
}

extension QuestionKind<PictureRegion> {
  /// A part of an image: four numbers.
  static let region = Self(
    .region, "left, top, width and height: shares such as 0.25,0.25,0.5,0.5, or pixels",
    argument: "left, top, width and height: fractions such as 0.25,0.25,0.5,0.5, or pixels"
  ) { given throws(QuestionError) in
    switch given {
    case .argument(let texts), .parameter(let texts):
      texts.count == 1 ? PictureRegion(text: texts[0]) : nil
    case .json: try given.numbers().flatMap { PictureRegion(numbers: $0) }
    }
  }
}

extension QuestionKind<GeoPoint> {
  /// Latitude and longitude in degrees.
  static let location = Self(
    .location, "a latitude and a longitude such as 53.54,9.99",
    argument: "degrees such as 53.54,9.99"
  ) { given throws(QuestionError) in
    try given.location()
  }
}

extension QuestionKind<Date> {
  /// An instant of RFC 3339; a command line also takes `now`.
  static let instant = Self(
    .instant, "a date and time such as 2026-05-04T10:30:00Z",
    argument: "now, or a time such as 2026-05-04T10:30:00Z"
  ) { given throws(QuestionError) in
    let text = try given.text(length: 64)
    if case .argument = given, text == "now" { return Date() }
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fractional))
  }
}

extension QuestionKind<QuerySignature> {
  /// A signature of an image in base64url, whole or compact.
  static let signature = Self(
    .text(length: Question.signatureLimit), "a text"
  ) { given throws(QuestionError) in
    let text = try given.text(length: Question.signatureLimit)
    do throws(SignatureError) {
      return try QuerySignature(text: text)
    } catch {
      throw QuestionError(code: .invalidSignature, reason: error.message)
    }
  }
}

extension QuestionKind<ImageEmbedding> {
  /// The JSON form of an embedding, which no text has.
  static let embedding = Self(.embedding, "an embedding", argument: "a file") {
    given throws(QuestionError) in
    try given.embedding()
  }
}
