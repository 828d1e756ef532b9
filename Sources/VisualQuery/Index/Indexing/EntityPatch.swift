/// The merge patch of a stored entity (RFC 7396).
struct EntityPatch {
  private static let extraField = "extra"

  let id: EntityID
  /// The changes by the names of fields, those of the shop's own among them.
  private let changes: [String: JSONValue]
  /// The changes of the fields of the shop's own, as answers have them.
  private let extraChanges: [String: JSONValue]

  init(_ patch: JSONValue, of id: EntityID) throws(FieldError) {
    guard case .object(var changes) = patch else {
      throw FieldError(field: nil, reason: "must be changed by an object; found \(patch.kind)")
    }
    switch changes.removeValue(forKey: Self.extraField) {
    case nil: extraChanges = [:]
    case .object(let extra)?: extraChanges = extra
    case let other?:
      throw FieldError(
        field: Self.extraField,
        reason: "must be an object with the fields to change; found \(other.kind)")
    }
    self.id = id
    self.changes = changes
  }

  /// True if the images become those that the patch names.
  var changesImages: Bool { changes["images"] != nil }

  /// Returns the entity with the changes.
  ///
  /// - Parameter stored: The JSON form of the stored entity.
  func applied(to stored: String) throws(FieldError) -> EntityValue {
    guard case .object(var fields)? = try? JSONValue(stored: stored) else {
      throw FieldError(field: nil, reason: "is not stored as an object")
    }
    var extra: [String: JSONValue] = [:]
    if case .object(let own)? = fields.removeValue(forKey: Self.extraField) { extra = own }
    let ofExtra = changes.filter { fields[$0.key] == nil && extra[$0.key] != nil }
      .merging(extraChanges) { _, nested in nested }
    let ofFields = changes.filter { ofExtra[$0.key] == nil }
    if case .object(let merged) = JSONValue.object(extra).merged(with: .object(ofExtra)) {
      extra = merged
    }
    // Vectors are replaced as a whole, or dropped: of the stored ones, the entity has the digest only.
    if let embeddings = ofExtra[SuppliedEmbeddings.field] {
      extra[SuppliedEmbeddings.field] = embeddings
    }
    fields[Self.extraField] = extra.isEmpty ? nil : .object(extra)
    let value = try EntityValue(json: .object(fields).merged(with: .object(ofFields)))
    guard value.id.type == id.type else { throw Self.fixed("type") }
    guard value.id.value.hasSameBytes(as: id.value) else { throw Self.fixed("id") }
    return value
  }

  private static func fixed(_ field: String) -> FieldError {
    FieldError(field: field, reason: "cannot be changed")
  }

  /// Returns whether a warning about the whole entity concerns the patch. A code that a spreadsheet has rounded was stored
  /// with a warning, and does not keep a price from being changed.
  func isConcerned(by warning: RefusedRow) -> Bool {
    guard let field = warning.field, field == "id" || ProductCode.isField(field) else {
      return true
    }
    return changes[field] != nil || extraChanges[field] != nil
  }
}
