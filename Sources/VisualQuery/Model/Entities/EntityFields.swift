/// A field with an invalid value.
public struct FieldError: Error, Sendable, Hashable {
  /// The name of the field, with those around it as in `localized.de.title`, or `nil` if the entity as a whole is invalid.
  public let field: String?
  /// The reason, as the rest of a sentence that begins with the field: `has the invalid amount
  /// 'x'`.
  public let reason: String

  package init(field: String?, reason: String) {
    self.field = field
    self.reason = reason
  }

  /// The same error, for the field as a part of another one.
  package func within(_ outer: String) -> FieldError {
    FieldError(field: field.map { "\(outer).\($0)" } ?? outer, reason: reason)
  }
}

/// Takes the fields of an entity from a JSON object one by one; the rest becomes `extra`.
package struct EntityFields {
  /// The largest number of bytes of an id.
  package static let idByteLimit = 256

  private var object: [String: JSONValue]
  /// True if an invalid field that is not required is left out instead of causing an error.
  private let isLenient: Bool
  /// The fields that were left out.
  package private(set) var leftOut: [FieldError] = []

  package init(_ json: JSONValue, isLenient: Bool = false) throws(FieldError) {
    guard case .object(let object) = json else {
      throw FieldError(field: nil, reason: "must be an object; found \(json.kind)")
    }
    self.object = object
    self.isLenient = isLenient
  }

  /// Returns the value of a field that is not required, or `nil` if it is invalid and the fields
  /// are lenient.
  mutating func optional<Value>(
    _ read: (inout EntityFields) throws(FieldError) -> Value?
  ) throws(FieldError) -> Value? {
    do throws(FieldError) {
      return try read(&self)
    } catch {
      guard isLenient else { throw error }
      leftOut.append(error)
      return nil
    }
  }

  /// Returns a string that is not required.
  mutating func optionalString(_ field: String) throws(FieldError) -> String? {
    try optional { fields throws(FieldError) in try fields.string(field) }
  }

  /// Returns a list of strings that is not required.
  mutating func optionalStrings(_ field: String) throws(FieldError) -> [String] {
    try optional { fields throws(FieldError) in try fields.strings(field) } ?? []
  }

  /// The fields that were not taken, merged with an `extra` that we wrote.
  mutating func rest() -> [String: JSONValue] {
    if case .object(let extra)? = object["extra"] {
      object["extra"] = nil
      object.merge(extra) { own, _ in own }
    }
    return object
  }

  private mutating func take(_ field: String) -> JSONValue? {
    let value = object.removeValue(forKey: field)
    return value == .null ? nil : value
  }

  mutating func string(_ field: String) throws(FieldError) -> String? {
    switch take(field) {
    case nil: return nil
    case .string(let text)?:
      guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" && $0 != "\t" })
      else { throw FieldError(field: field, reason: "has control characters") }
      return text
    case let other?:
      throw FieldError(field: field, reason: "must be a string; found \(other.kind)")
    }
  }

  mutating func requiredString(_ field: String) throws(FieldError) -> String {
    guard let text = try string(field), !text.allSatisfy(\.isWhitespace) else {
      throw FieldError(field: field, reason: "is missing")
    }
    return text
  }

  mutating func strings(_ field: String) throws(FieldError) -> [String] {
    switch take(field) {
    case nil: return []
    case .array(let values)?:
      var texts: [String] = []
      for value in values {
        guard case .string(let text) = value else {
          throw FieldError(
            field: field, reason: "must be a list of strings; found \(value.kind) in it")
        }
        if !text.isEmpty { texts.append(text) }
      }
      return texts
    case let other?:
      throw FieldError(field: field, reason: "must be a list of strings; found \(other.kind)")
    }
  }

  mutating func type() throws(FieldError) -> EntityType {
    guard let text = try string("type"), !text.isEmpty else {
      throw FieldError(field: "type", reason: #"is missing; add "type":"product""#)
    }
    guard let type = EntityType(rawValue: text) else {
      throw FieldError(field: "type", reason: "is '\(text)'; expected product or store")
    }
    return type
  }

  mutating func id() throws(FieldError) -> String {
    let text = try requiredString("id")
    guard text.utf8.count <= Self.idByteLimit else {
      throw FieldError(
        field: "id", reason: "has \(text.utf8.count) bytes; the limit is \(Self.idByteLimit)")
    }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw FieldError(field: "id", reason: "has control characters")
    }
    return text
  }

  mutating func url() throws(FieldError) -> String? {
    guard let text = try string("url") else { return nil }
    do throws(LinkError) {
      try Link.check(text, allowedSchemes: nil)
    } catch {
      throw FieldError(field: "url", reason: error.message)
    }
    return text
  }

  mutating func price() throws(FieldError) -> Price? {
    switch take("price") {
    case nil: return nil
    case .object(let parts)?:
      guard case .string(let amount)? = parts["amount"],
        case .string(let currency)? = parts["currency"]
      else {
        throw FieldError(
          field: "price", reason: #"must be {"amount":"14.90","currency":"EUR"}, both strings"#)
      }
      return try Price(amount: amount, currency: currency)
    case let other?:
      throw FieldError(field: "price", reason: "must be an object; found \(other.kind)")
    }
  }

  mutating func availability() throws(FieldError) -> Availability? {
    guard let text = try string("availability") else { return nil }
    guard let availability = Availability(rawValue: text) else {
      let accepted = Availability.allCases.map(\.rawValue).joined(separator: ", ")
      throw FieldError(field: "availability", reason: "is '\(text)'; expected one of \(accepted)")
    }
    return availability
  }

  /// Returns the properties that distinguish variants.
  mutating func attributes() throws(FieldError) -> [String: String] {
    switch take("attributes") {
    case nil: return [:]
    case .object(let values)?:
      guard values.count <= Self.attributeLimit else {
        throw FieldError(
          field: "attributes",
          reason: "has \(values.count) names; the limit is \(Self.attributeLimit)")
      }
      var attributes: [String: String] = [:]
      for (name, value) in values {
        guard case .string(let text) = value else {
          throw FieldError(
            field: "attributes", reason: "must be strings by name; found \(value.kind) as '\(name)'"
          )
        }
        if !text.isEmpty { attributes[name] = text }
      }
      return attributes
    case let other?:
      throw FieldError(field: "attributes", reason: "must be an object; found \(other.kind)")
    }
  }

  /// The most attributes of an entity.
  private static let attributeLimit = 64

  mutating func bool(_ field: String) throws(FieldError) -> Bool {
    switch take(field) {
    case nil: return false
    case .bool(let value)?: return value
    case let other?:
      throw FieldError(field: field, reason: "must be true or false; found \(other.kind)")
    }
  }

  mutating func localized() throws(FieldError) -> [String: LocalizedText] {
    switch take("localized") {
    case nil: return [:]
    case .object(let languages)?:
      var texts: [String: LocalizedText] = [:]
      for (name, value) in languages.sorted(by: { $0.key < $1.key }) {
        let tag = name.replacing("_", with: "-")
        guard LanguageTag.isWellFormed(tag) else {
          let error = FieldError(
            field: "localized",
            reason: "has the invalid language '\(name)'; expected for example de or pt-BR")
          guard isLenient else { throw error }
          leftOut.append(error)
          continue
        }
        if texts[tag] != nil { continue }
        do throws(FieldError) {
          var fields = try EntityFields(value)
          texts[tag] = LocalizedText(
            title: try fields.string("title"), subtitle: try fields.string("subtitle"),
            synonyms: try fields.strings("synonyms"))
        } catch {
          throw error.within("localized.\(tag)")
        }
      }
      return texts
    case let other?:
      throw FieldError(field: "localized", reason: "must be an object; found \(other.kind)")
    }
  }

  /// Returns the opening hours. Without a time zone they are left out as well, which has an error of its own.
  mutating func openingHours() throws(FieldError) -> OpeningHours? {
    var errors: [FieldError] = []
    var lines: [String] = []
    var zone: String?
    do throws(FieldError) { lines = try strings("openingHours") } catch { errors.append(error) }
    do throws(FieldError) { zone = try string("timeZone") } catch { errors.append(error) }
    if errors.isEmpty, lines.isEmpty { return nil }
    for error in OpeningHours.errors(lines: lines, timeZone: zone)
    where !errors.contains(where: { $0.field == error.field }) {
      errors.append(error)
    }
    guard let first = errors.first else {
      return try OpeningHours(lines: lines, timeZone: zone ?? "")
    }
    guard isLenient else { throw first }
    if !lines.isEmpty, !errors.contains(where: { $0.field == "openingHours" }) {
      errors.append(
        FieldError(
          field: "openingHours", reason: "is left out, because its timeZone cannot be used"))
    }
    leftOut += errors
    return nil
  }

  mutating func geo() throws(FieldError) -> GeoPoint? {
    func degrees(_ value: JSONValue?) -> Double? {
      switch value {
      case .integer(let number)?: Double(number)
      case .number(let number)?: number
      default: nil
      }
    }
    switch take("geo") {
    case nil: return nil
    case .object(let parts)?:
      guard let latitude = degrees(parts["latitude"]), let longitude = degrees(parts["longitude"])
      else {
        throw FieldError(
          field: "geo", reason: #"must be {"latitude":53.54,"longitude":9.99}, both numbers"#)
      }
      return try GeoPoint(checkingLatitude: latitude, longitude: longitude)
    case let other?:
      throw FieldError(field: "geo", reason: "must be an object; found \(other.kind)")
    }
  }
}
