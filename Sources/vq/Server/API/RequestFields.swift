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

  /// Rejects fields that were not read.
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

  /// Returns the problem of a field that is missing, or not as accepted.
  func problem(_ name: String, _ accepted: String) -> Problem {
    Problem(
      code, "'\(path(name))' \(has(name) ? "is not" : "is missing; expected") \(accepted)",
      field: path(name))
  }

  /// Rejects the first of some fields that is given.
  func refuse(_ names: [String], _ reason: String) throws(Problem) {
    guard let name = names.first(where: has) else { return }
    throw Problem(code, "'\(path(name))' \(reason)", field: path(name))
  }

  /// The problem of a field, or of several, that pass a limit.
  func excess(_ name: String?, _ detail: String, limit: Int) -> Problem {
    Problem(code, detail, field: name.map(path), limit: limit)
  }

  /// Returns the problem of a field of a question.
  func problem(_ error: QuestionError) -> Problem {
    let name = error.field.map(path)
    return error.code == .invalidSignature
      ? Problem(.invalidSignature, error.reason, field: name)
      : Problem(
        code, (name.map { "'\($0)' " } ?? "") + error.reason, field: name, limit: error.limit)
  }

  /// The code of a problem with a field.
  private var code: Problem.Code { isQuery ? .invalidParameter : .invalidField }

  // MARK: Kinds of fields

  /// A text.
  ///
  /// - Parameter limit: The largest number of Unicode scalars, as JSON Schema counts a text's length;
  ///   what Swift counts, a character, may have any number of bytes.
  mutating func text(_ name: String, limit: Int) throws(Problem) -> String? {
    try value(name, .text(length: limit))
  }

  /// A whole number.
  mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    try value(name, .integer(range))
  }

  /// A number.
  mutating func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
    try value(name, .number(range))
  }

  /// `true` or `false`.
  mutating func flag(_ name: String) throws(Problem) -> Bool? { try value(name, .flag) }

  /// One of some words.
  mutating func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, of type: Choice.Type = Choice.self
  ) throws(Problem) -> Choice? {
    try value(name, .choice)
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
    let kind = QuestionKind<[String]>.words(count: limit, length: length)
    guard mayHaveCommas, case .query(let parameters) = source, has(name) else {
      return try value(name, kind)
    }
    known.insert(name)
    let elements = parameters.filter { $0.name == name }.flatMap(\.list).map { $0.trimming(" ") }
    return try value(
      name, kind, .json(.array(elements.filter { !$0.isEmpty }.map { .string($0) })))
  }

  private mutating func value<Value>(
    _ name: String, _ kind: QuestionKind<Value>
  ) throws(Problem) -> Value? {
    try value(of: name).flatMap { given throws(Problem) in try value(name, kind, given) }
  }

  private func value<Value>(
    _ name: String, _ kind: QuestionKind<Value>, _ given: GivenValue
  ) throws(Problem) -> Value? {
    do throws(QuestionError) {
      return try kind.value(given)
    } catch {
      throw problem(error.within(name))
    }
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

  /// Returns the value of a field, or `nil` if it is not given.
  mutating func value(of name: String) -> GivenValue? {
    known.insert(name)
    guard has(name) else { return nil }
    return switch source {
    case .query(let parameters): .parameter(parameters.filter { $0.name == name }.map(\.value))
    case .json(let object): object[name].map { .json($0) }
    }
  }

  /// True for the parameters of a query.
  var isQuery: Bool { if case .query = source { true } else { false } }

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
}
