#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import HTTPServer
import VisualQuery

/// The fields of a question, whether they came in the query of a URL or as JSON.
///
/// Each is read by the name that it has in both. A field that was not read in the end is a mistake of the client, and
/// is named. A field of JSON that is `null` counts as absent: many clients write absent fields like that.
struct RequestFields {
  private enum Source {
    case query([RequestHead.Parameter])
    case json([String: JSONValue])
  }

  private let source: Source
  /// The name of the field that the object is in, or `nil` for a body.
  private let outer: String?
  private var known: Set<String> = []

  /// The parameters of a query.
  init(_ query: [RequestHead.Parameter]) {
    source = .query(query)
    outer = nil
  }

  /// The largest JSON that is accepted; the server bounds the bytes of a body.
  private static let limits = JSONLimits(
    depth: 16, valueCount: 16_384, byteCount: .max, allowsRepeatedNames: false)

  /// A JSON object in UTF-8.
  init(json bytes: [UInt8]) throws(Problem) {
    let decoded: JSONValue
    do throws(JSONError) {
      decoded = try JSONValue(json: bytes, limits: Self.limits)
    } catch {
      throw Problem(
        .invalidJSON, "the body \(error.message)")
    }
    self = try Self(decoded, field: nil)
  }

  /// An object within a field.
  init(_ value: JSONValue, field: String?) throws(Problem) {
    guard case .object(let object) = value else {
      throw Problem(
        .invalidField, "\(field.map { "'\($0)'" } ?? "the body") is not a JSON object",
        field: field)
    }
    source = .json(object)
    outer = field
  }

  /// Returns the name of a field with those around it, such as `near.latitude`.
  private func path(_ name: String) -> String { outer.map { "\($0).\(name)" } ?? name }

  /// True if no field is given.
  var isEmpty: Bool {
    switch source {
    case .query(let parameters): parameters.isEmpty
    case .json(let object): object.isEmpty
    }
  }

  /// The largest number of bytes of a name that is looked up among the known ones: hashing a text
  /// takes quadratic time in runs of combining characters.
  private static let nameLimit = 256

  /// Returns whether a field is given.
  func has(_ name: String) -> Bool {
    switch source {
    case .query(let parameters): parameters.contains { $0.name == name }
    case .json(let object): object[name].map { $0 != .null } ?? false
    }
  }

  /// Returns whether a field is `null`.
  func isNull(_ name: String) -> Bool {
    if case .json(let object) = source { object[name] == .null } else { false }
  }

  /// Refuses fields that were not read.
  func finish() throws(Problem) {
    let names: [String]
    let kind: String
    switch source {
    case .query(let parameters): (names, kind) = (parameters.map(\.name), "parameter")
    case .json(let object): (names, kind) = (object.keys.sorted(), "field")
    }
    func isKnown(_ name: String) -> Bool {
      name.utf8.count <= Self.nameLimit && known.contains(name)
    }
    guard let name = names.first(where: { !isKnown($0) }) else { return }
    let likely = Suggestion.nearest(to: name, among: known.sorted())
    let place = outer.map { "in '\($0)'" } ?? "here"
    throw Problem(
      code,
      "there is no \(kind) '\(name.excerpt)' \(place)"
        + (likely.map { "; did you mean '\($0)'?" } ?? ""),
      field: path(name.excerpt))
  }

  /// Returns the problem of a field that is not as accepted.
  func problem(_ name: String, _ accepted: String) -> Problem {
    Problem(code, "'\(path(name))' is not \(accepted)", field: path(name))
  }

  /// Refuses the first of some fields that is given.
  func refuse(_ names: [String], _ reason: String) throws(Problem) {
    guard let name = names.first(where: has) else { return }
    throw Problem(code, "'\(path(name))' \(reason)", field: path(name))
  }

  /// The problem of a field, or of several, that pass a limit.
  func excess(_ name: String?, _ detail: String, limit: Int) -> Problem {
    Problem(code, detail, field: name.map(path), limit: limit)
  }

  /// The code of a problem with a field.
  private var code: Problem.Code { isQuery ? .invalidParameter : .invalidField }

  // MARK: Kinds of fields

  /// A text.
  ///
  /// - Parameter limit: The largest number of Unicode scalars, as JSON Schema counts a text's length;
  ///   what Swift counts, a character, may have any number of bytes.
  mutating func text(_ name: String, limit: Int) throws(Problem) -> String? {
    guard let value = try single(name) else { return nil }
    guard case .string(let text) = value else { throw problem(name, "a text") }
    try check(text, in: name, limit: limit)
    return text
  }

  private func check(_ text: String, in name: String, limit: Int) throws(Problem) {
    let count = text.unicodeScalars.count
    guard count <= limit else {
      throw excess(
        name, "a text in '\(path(name))' has \(count) characters; the limit is \(limit)",
        limit: limit)
    }
    guard Self.isPrintable(text) else {
      throw problem(name, "a text without control characters")
    }
  }

  /// A whole number.
  mutating func integer(
    _ name: String, in range: ClosedRange<Int>
  ) throws(Problem) -> Int? {
    guard let value = try single(name) else { return nil }
    let number: Int? =
      switch value {
      case .integer(let number): Int(number)
      case .number(let number): Int(exactly: number)
      case .string(let text) where isQuery: Int(text)
      default: nil
      }
    guard let number, range.contains(number) else {
      throw problem(name, "a whole number in \(range.lowerBound)…\(range.upperBound)")
    }
    return number
  }

  /// A number.
  mutating func number(
    _ name: String, in range: ClosedRange<Double>
  ) throws(Problem) -> Double? {
    guard let value = try single(name) else { return nil }
    guard let number = Self.number(value, isQuery: isQuery), range.contains(number) else {
      throw problem(name, "a number in \(range.lowerBound)…\(range.upperBound)")
    }
    return number
  }

  /// `true` or `false`.
  mutating func flag(_ name: String) throws(Problem) -> Bool? {
    guard let value = try single(name) else { return nil }
    switch value {
    case .bool(let flag): return flag
    case .string(let text) where isQuery && ["true", "false"].contains(text): return text == "true"
    default: throw problem(name, "true or false")
    }
  }

  /// One of some words.
  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Choice.Type = Choice.self
  ) throws(Problem) -> Choice? {
    guard let text = try text(name, limit: 64) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw problem(name, alternatives(Choice.allCases.map(\.rawValue)))
    }
    return choice
  }

  /// Words: between commas in a query, where the parameter may be repeated, or a list in JSON.
  ///
  /// - Parameters:
  ///   - limit: The largest number of words.
  ///   - length: The largest number of Unicode scalars in one of them.
  ///   - mayHaveCommas: True if a percent-encoded comma is part of an element. Otherwise it separates elements, like the commas that
  ///     programs encode with the whole value.
  mutating func words(
    _ name: String, limit: Int, length: Int, mayHaveCommas: Bool = false
  ) throws(Problem) -> [String]? {
    let words: [String]?
    switch source {
    case .query(let parameters):
      known.insert(name)
      let given = parameters.filter { $0.name == name }
      let elements = given.flatMap(\.list).flatMap {
        mayHaveCommas ? [$0] : $0.split(separator: ",").map(String.init)
      }
      words = given.isEmpty ? nil : elements.map { $0.trimming(" ") }.filter { !$0.isEmpty }
    case .json: words = try strings(name)
    }
    return try words.map { words throws(Problem) in
      try bounded(words, in: name, limit: limit, length: length)
    }
  }

  /// Texts, commas and all: one each time a parameter is given, or a list in JSON.
  ///
  /// - Parameters:
  ///   - limit: The largest number of texts.
  ///   - length: The largest number of Unicode scalars in one of them.
  mutating func texts(
    _ name: String, limit: Int, length: Int
  ) throws(Problem) -> [String]? {
    let texts: [String]?
    switch source {
    case .query(let parameters):
      known.insert(name)
      let given = parameters.filter { $0.name == name }.map(\.value)
      texts = given.isEmpty ? nil : given
    case .json: texts = try strings(name)
    }
    return try texts.map { texts throws(Problem) in
      try bounded(texts, in: name, limit: limit, length: length)
    }
  }

  private func bounded(
    _ texts: [String], in name: String, limit: Int, length: Int
  ) throws(Problem) -> [String] {
    guard texts.count <= limit else {
      throw excess(
        name, "'\(path(name))' has \(texts.count) elements; the limit is \(limit)", limit: limit)
    }
    for text in texts { try check(text, in: name, limit: length) }
    return texts
  }

  /// Numbers: between commas in a query, or a list in JSON.
  mutating func numbers(_ name: String) throws(Problem) -> [Double]? {
    guard let value = try single(name) else { return nil }
    let values: [JSONValue]? =
      switch value {
      case .string(let text) where isQuery:
        text.split(separator: ",", omittingEmptySubsequences: false).map { .string(String($0)) }
      case .array(let values): values
      default: nil
      }
    guard let values else { throw problem(name, "a list of numbers") }
    var numbers: [Double] = []
    for value in values {
      guard let number = Self.number(value, isQuery: isQuery) else {
        throw problem(name, "a list of numbers")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// An instant of RFC 3339.
  mutating func instant(_ name: String) throws(Problem) -> Date? {
    guard let text = try text(name, limit: 64) else { return nil }
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard
      let date = (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fractional))
    else { throw problem(name, "a date and time such as 2026-05-04T10:30:00Z") }
    return date
  }

  /// Any JSON of a field that no parameter has.
  mutating func json(_ name: String) -> JSONValue? {
    guard case .json(let object) = source else { return nil }
    known.insert(name)
    return has(name) ? object[name] : nil
  }

  /// Any JSON; a parameter is a text.
  mutating func value(_ name: String) throws(Problem) -> JSONValue? { try single(name) }

  /// The objects of a list in JSON, at most `limit`.
  mutating func objects(_ name: String, limit: Int) throws(Problem) -> [RequestFields] {
    guard let value = try single(name) else { return [] }
    guard case .array(let values) = value else { throw problem(name, "a list of objects") }
    guard values.count <= limit else {
      throw excess(
        name, "'\(path(name))' has \(values.count) elements; the limit is \(limit)", limit: limit)
    }
    var objects: [RequestFields] = []
    for (index, value) in values.enumerated() {
      objects.append(try RequestFields(value, field: "\(path(name))[\(index)]"))
    }
    return objects
  }

  private var isQuery: Bool { if case .query = source { true } else { false } }

  /// The one value of a field.
  private mutating func single(_ name: String) throws(Problem) -> JSONValue? {
    known.insert(name)
    switch source {
    case .query(let parameters):
      let given = parameters.filter { $0.name == name }
      guard given.count <= 1 else { throw problem(name, "given once") }
      return given.first.map { .string($0.value) }
    case .json(let object): return has(name) ? object[name] : nil
    }
  }

  private mutating func strings(_ name: String) throws(Problem) -> [String]? {
    guard let value = try single(name) else { return nil }
    guard case .array(let values) = value else { throw problem(name, "a list of texts") }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { throw problem(name, "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  /// Returns whether a text has no control characters.
  static func isPrintable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  private static func number(_ value: JSONValue, isQuery: Bool) -> Double? {
    let number: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .number(let number): number
      case .string(let text) where isQuery: Double(text)
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}
