/// Turns CSV records into the same JSON objects that JSON Lines hold.
///
/// The first record names the columns: those of the JSON form, and `price.amount`,
/// `price.currency`, `geo.latitude` and `geo.longitude` for what is nested there. `labels`, `images`,
/// `stock`, `synonyms` and `openingHours` are lists whose parts are divided by `|`; `featured` is
/// `true` or `false`; a `price` may be written `14.90 EUR`. An
/// empty field counts as absent. Source: RFC 4180.
struct CSVRows {
  private static let lists: Set<String> = [
    "labels", "images", "stock", "synonyms", "openingHours",
  ]
  private static let numbers: Set<String> = ["geo.latitude", "geo.longitude"]

  private let columns: [String]

  /// Takes the header.
  init(columns: [String]) throws(FieldError) {
    self.columns = columns
    for required in ["type", "id", "title"] where !columns.contains(required) {
      throw FieldError(
        field: required,
        reason: "is missing among the columns \(columns.joined(separator: ", "))")
    }
  }

  /// The object that a record stands for.
  func object(_ fields: [String]) throws(FieldError) -> JSONValue {
    guard fields.count == columns.count else {
      throw FieldError(
        field: nil, reason: "has \(fields.count) fields; the header names \(columns.count)")
    }
    var object: [String: JSONValue] = [:]
    for (column, text) in zip(columns, fields) where !text.isEmpty {
      let value = try Self.value(text, column)
      let parts = column.split(separator: ".", maxSplits: 1).map(String.init)
      if parts.count == 2, ["price", "geo"].contains(parts[0]) {
        var nested: [String: JSONValue] = [:]
        if case .object(let known)? = object[parts[0]] { nested = known }
        nested[parts[1]] = value
        object[parts[0]] = .object(nested)
      } else {
        object[column] = value
      }
    }
    return .object(object)
  }

  private static func value(_ text: String, _ column: String) throws(FieldError) -> JSONValue {
    if lists.contains(column) {
      return .array(
        text.split(separator: "|").map(trimmed).filter { !$0.isEmpty }.map(JSONValue.string))
    }
    if numbers.contains(column) {
      guard let number = Double(text), number.isFinite else {
        throw FieldError(field: column, reason: "is '\(text)'; a number is valid")
      }
      return .number(number)
    }
    if column == "featured" {
      guard let value = Bool(text) else {
        throw FieldError(field: column, reason: "is '\(text)'; true and false are valid")
      }
      return .bool(value)
    }
    if column == "price" {
      let parts = text.split(separator: " ").map(String.init)
      guard parts.count == 2 else {
        throw FieldError(field: "price", reason: "is '\(text)'; such as 14.90 EUR is valid")
      }
      return .object(["amount": .string(parts[0]), "currency": .string(parts[1])])
    }
    return .string(text)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// The fields of a record whose fields are divided by tabs, which are in none of them.
  static func tabbedFields(_ record: [UInt8]) throws(FieldError) -> [String] {
    var fields: [String] = []
    let quote = UInt8(ascii: "\"")
    for part in record.split(separator: 0x09, omittingEmptySubsequences: false) {
      // Some programs quote such fields, too; others have quotes in them.
      let isQuoted = part.count > 1 && part.first == quote && part.last == quote
      guard
        let text = String(validating: isQuoted ? part.dropFirst().dropLast() : part, as: UTF8.self)
      else { throw FieldError(field: nil, reason: "field \(fields.count + 1) is not UTF-8") }
      fields.append(isQuoted ? text.replacing("\"\"", with: "\"") : text)
    }
    return fields
  }

  /// The fields of one record, quotes taken off.
  static func fields(_ record: [UInt8]) throws(FieldError) -> [String] {
    var fields: [String] = []
    var field: [UInt8] = []
    var index = 0
    let quote = UInt8(ascii: "\"")
    func finish() throws(FieldError) {
      guard let text = String(validating: field, as: UTF8.self) else {
        throw FieldError(field: nil, reason: "field \(fields.count + 1) is not UTF-8")
      }
      fields.append(text)
      field = []
    }
    while index < record.count {
      if record[index] == quote {
        guard field.isEmpty else {
          throw FieldError(field: nil, reason: "field \(fields.count + 1) has a quote within")
        }
        index += 1
        while true {
          guard index < record.count else {
            throw FieldError(field: nil, reason: "field \(fields.count + 1) has no closing quote")
          }
          if record[index] == quote {
            if index + 1 < record.count, record[index + 1] == quote {
              index += 1
            } else {
              break
            }
          }
          field.append(record[index])
          index += 1
        }
        index += 1
        guard index == record.count || record[index] == UInt8(ascii: ",") else {
          throw FieldError(
            field: nil, reason: "field \(fields.count + 1) goes on after its closing quote")
        }
      } else if record[index] == UInt8(ascii: ",") {
        try finish()
        index += 1
      } else {
        field.append(record[index])
        index += 1
      }
    }
    try finish()
    return fields
  }
}
