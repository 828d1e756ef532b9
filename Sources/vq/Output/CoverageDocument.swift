import VisualQuery

/// What an index can answer: the entities of each type, and how many of them have each field.
struct CoverageDocument: Encodable, Sendable, Hashable {
  /// The entities of a type.
  struct TypeCoverage: Encodable, Sendable, Hashable {
    let type: EntityType
    let fields: [FieldCoverage]
  }

  /// A field of the entities of a type.
  struct FieldCoverage: Encodable, Sendable, Hashable {
    let field: CoverageField
    /// The number of entities that had it before the run, and that have it after it.
    let before: Int
    let after: Int
    /// The number of those after the run whose value is an old one.
    let kept: Int
  }

  let types: [TypeCoverage]

  init(_ result: RunRecord.Result) {
    let types = EntityType.allCases.filter {
      result.before[$0, .entities] + result.after[$0, .entities] > 0
    }
    self.types = types.map { type in
      TypeCoverage(
        type: type,
        fields: CoverageField.all(of: type).map { field in
          FieldCoverage(
            field: field, before: result.before[type, field], after: result.after[type, field],
            kept: result.kept[type, field])
        })
    }
  }

  func encode(to encoder: any Encoder) throws { try types.encode(to: encoder) }

  /// A line for each type, such as "Products: image 28 of 28, price 27 of 28 (28 before), …".
  var lines: [String] {
    types.map { type in
      let all = type.fields.first { $0.field == .entities }?.after ?? 0
      let fields = type.fields.filter { $0.field != .entities }.map { field in
        var notes: [String] = []
        if field.after < field.before {
          notes.append("\(DisplayText.grouped(field.before)) before")
        }
        if field.kept > 0 { notes.append("\(DisplayText.grouped(field.kept)) old") }
        let note = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
        return
          "\(field.field.rawValue) \(DisplayText.grouped(field.after)) of \(DisplayText.grouped(all))\(note)"
      }
      return "\(type.type == .product ? "Products" : "Stores"): \(fields.joined(separator: ", "))."
    }
  }
}
