import HTTPServer
import VisualQuery

/// The body of `POST /v1/entities:import`: JSON Lines, each of which changes one entity.
///
/// A line is an entity as in a row of a feed, or an object with one name: `patch` with the type, the id and the fields to
/// change, or `delete` with the type and the id. A row has a type, so no line can be both.
struct EntityImport: Sendable {
  /// The most lines, blank ones among them, which fit in the time of a change.
  static let lineLimit = 1000

  /// A change, or the reason why there is none.
  struct Line: Sendable {
    /// The number in the body, from 1, with blank lines counted.
    let number: Int
    /// The entity, if the line names one.
    let id: EntityID?
    let change: Result<EntityChange, Problem>
  }

  let lines: [Line]

  /// - Throws: ``Problem`` for a body without a line, or with too many.
  init(_ body: [UInt8]) throws(Problem) {
    var lines: [Line] = []
    var taken: [EntityID: Int] = [:]
    var rest = body[...]
    var number = 0
    while !rest.isEmpty {
      let bytes = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[bytes.endIndex...].dropFirst()
      number += 1
      guard number <= Self.lineLimit else {
        throw Problem(
          .bodyTooLarge, "the body has more than \(Self.lineLimit) lines; send it in parts",
          limit: Self.lineLimit)
      }
      if bytes.allSatisfy(Self.isBlank) { continue }
      lines.append(Self.line(number, Array(bytes), &taken))
    }
    guard !lines.isEmpty else {
      throw Problem(.invalidJSON, "the body has no line with an entity")
    }
    self.lines = lines
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0D].contains(byte)
  }

  private static func line(
    _ number: Int, _ bytes: [UInt8], _ taken: inout [EntityID: Int]
  ) -> Line {
    var id: EntityID?
    do throws(Problem) {
      let object = try EntityForm.object(bytes)
      let (change, fields) = try part(of: object)
      id = Self.id(of: fields)
      let made = try Self.change(change, fields, id)
      if let first = taken[made.id] {
        throw Problem(
          .invalidEntity,
          "'id' is that of line \(first); send further changes of it in another request",
          field: "id")
      }
      taken[made.id] = number
      return Line(number: number, id: made.id, change: .success(made))
    } catch {
      return Line(number: number, id: id, change: .failure(error))
    }
  }

  private enum Change: String, CaseIterable {
    case patch, delete
  }

  /// Returns the kind of change of a line, `nil` for a row, and the object with the entity.
  private static func part(
    of object: [String: JSONValue]
  ) throws(Problem) -> (Change?, [String: JSONValue]) {
    guard object["type"] == nil,
      let change = Change.allCases.first(where: { object[$0.rawValue] != nil })
    else { return (nil, object) }
    let name = change.rawValue
    guard object.count == 1, case .object(let fields)? = object[name] else {
      throw Problem(
        .invalidField,
        "a line with '\(name)' is an object with this name alone, whose value is an object",
        field: name)
    }
    return (change, fields)
  }

  private static func id(of fields: [String: JSONValue]) -> EntityID? {
    guard case .string(let name)? = fields["type"], let type = EntityType(rawValue: name),
      case .string(let id)? = fields["id"], !id.isEmpty
    else { return nil }
    return EntityID(type: type, value: id)
  }

  private static func change(
    _ change: Change?, _ fields: [String: JSONValue], _ id: EntityID?
  ) throws(Problem) -> EntityChange {
    guard let change else {
      let value = try EntityForm.value(fields)
      try EntityForm.check(imageCount: value.imagePaths.count)
      return .put(value)
    }
    guard let id else {
      throw Problem(
        .invalidEntity, "the entity needs its 'type', product or store, and its 'id'", field: "id")
    }
    switch change {
    case .patch: return .patch(id, .object(fields))
    case .delete:
      if let other = fields.keys.filter({ !["type", "id"].contains($0) }).min() {
        throw Problem(
          .invalidField, "'\(other.excerpt)' is not used by 'delete', which takes 'type' and 'id'",
          field: other.excerpt)
      }
      return .remove(id)
    }
  }
}

/// The answer to an import.
struct EntityImportDocument: Sendable, Encodable {
  /// The result of one line.
  struct Result: Sendable, Encodable {
    let line: Int
    /// The status that the same change would have had in a request of its own.
    let status: Int
    var type: EntityType?
    var id: String?
    var effect: String?
    var images: [String]?
    var warnings: [String]?
    /// The code of the problem, if the line has one.
    var code: String?
    var detail: String?
    var field: String?

    init(_ line: EntityImport.Line, _ outcome: EntityChange.Outcome) {
      (self.line, status) = (line.number, outcome.status)
      (type, id, effect) = (outcome.id.type, outcome.id.value, outcome.effect.rawValue)
      images = outcome.effect == .removed ? nil : outcome.images
      warnings = outcome.warnings
    }

    init(_ line: EntityImport.Line, _ problem: Problem) {
      (self.line, status) = (line.number, problem.code.status)
      (type, id) = (line.id?.type, line.id?.value)
      (code, detail, field) = (problem.code.rawValue, problem.detail, problem.field)
    }
  }

  let generation: Int
  /// The number of lines whose change was made, or that changed nothing.
  let succeeded: Int
  let failed: Int
  let results: [Result]

  init(_ results: [Result], generation: Int) {
    self.generation = generation
    self.results = results
    failed = results.count { $0.code != nil }
    succeeded = results.count - failed
  }
}
