#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The question of a search that a token continues, with its defaults applied, but without its image, which the token holds apart.
///
/// Its JSON form has the parts that the fields of a question name (``Question/fields``).
package struct ContinuedQuestion: Sendable, Hashable {
  /// Words for what the image shows.
  package internal(set) var labels: [String]
  /// The product codes.
  package internal(set) var codes: [String]
  /// The lines of text.
  package internal(set) var texts: [QuestionText]
  /// The words beside the image; empty for none.
  package internal(set) var text: String
  /// The limits and filters; the deadline is that of each page.
  package var options: MatchOptions
  /// True if the image was not analyzed in time.
  package internal(set) var isImageLeftOut: Bool

  /// Makes a question of what was searched.
  package init(
    labels: [String], codes: [String], texts: [QuestionText] = [], text: String = "",
    options: MatchOptions,
    isImageLeftOut: Bool = false
  ) {
    (self.texts, self.text) = (texts, text)
    (self.labels, self.codes, self.isImageLeftOut) = (labels, codes, isImageLeftOut)
    self.options = options
    self.options.timeout = nil
  }
}

extension ContinuedQuestion: Codable {
  /// The name of a part.
  package struct Key: CodingKey, Hashable {
    package let stringValue: String
    package var intValue: Int? { nil }
    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
  }

  /// A part of the JSON form: its name, and the value in a question.
  package struct Part: Sendable {
    let key: Key
    let encode: @Sendable (ContinuedQuestion, inout KeyedEncodingContainer<Key>) throws -> Void
    let decode: @Sendable (KeyedDecodingContainer<Key>, inout ContinuedQuestion) throws -> Void

    /// A part that every token has.
    init<Value: Codable & Sendable>(
      _ name: String, _ path: any WritableKeyPath<ContinuedQuestion, Value> & Sendable
    ) {
      let key = Key(stringValue: name)
      self.key = key
      encode = { try $1.encode($0[keyPath: path], forKey: key) }
      decode = { $1[keyPath: path] = try $0.decode(Value.self, forKey: key) }
    }

    /// A part that is absent for `nil`.
    init<Value: Codable & Sendable>(
      _ name: String, optional path: any WritableKeyPath<ContinuedQuestion, Value?> & Sendable
    ) {
      let key = Key(stringValue: name)
      self.key = key
      encode = { try $1.encodeIfPresent($0[keyPath: path], forKey: key) }
      decode = { $1[keyPath: path] = try $0.decodeIfPresent(Value.self, forKey: key) }
    }

    /// A part that is absent for one of its values, as in tokens that are older than it.
    init<Value: Codable & Equatable & Sendable>(
      _ name: String, _ path: any WritableKeyPath<ContinuedQuestion, Value> & Sendable,
      absent: Value
    ) {
      let key = Key(stringValue: name)
      self.key = key
      encode = {
        if $0[keyPath: path] != absent { try $1.encode($0[keyPath: path], forKey: key) }
      }
      decode = { $1[keyPath: path] = try $0.decodeIfPresent(Value.self, forKey: key) ?? absent }
    }
  }

  /// The parts of all fields, and of what no field says.
  private static let parts: [Part] = {
    let parts =
      Question.fields.flatMap(\.tokenParts)
      + [
        Part("isImageLeftOut", \.isImageLeftOut, absent: false),
        Part("arm", optional: \.options.arm),
        Part("counted", optional: \.options.counted),
      ]
    var names: Set<Key> = []
    // Removes duplicates: the fields for conditions and for wanted labels both stand for the
    // filter.
    return parts.filter { names.insert($0.key).inserted }
  }()

  package init(from decoder: any Decoder) throws {
    self.init(labels: [], codes: [], options: MatchOptions(typeLimits: [:]))
    let container = try decoder.container(keyedBy: Key.self)
    for part in Self.parts { try part.decode(container, &self) }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for part in Self.parts { try part.encode(self, &container) }
  }
}

/// Values in the form that a token has them in.
extension ContinuedQuestion {
  var typeList: [EntityType] {
    get { options.types.sorted() }
    set { options.types = Set(newValue) }
  }

  /// Latitude and longitude. Numbers outside the globe count as absent.
  var degrees: [Double]? {
    get { options.near.map { [$0.latitude, $0.longitude] } }
    set {
      options.near = newValue.flatMap { numbers in
        numbers.count == 2
          ? try? GeoPoint(checkingLatitude: numbers[0], longitude: numbers[1]) : nil
      }
    }
  }

  /// Seconds since 1970.
  var seconds: Double? {
    get { options.date?.timeIntervalSince1970 }
    set { options.date = newValue.map(Date.init(timeIntervalSince1970:)) }
  }

  var ignoresFeedback: Bool {
    get { !options.usesFeedback }
    set { options.usesFeedback = !newValue }
  }
}
