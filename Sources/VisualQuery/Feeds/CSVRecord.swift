/// Splits a record of a table into its fields.
enum CSVRecord {
  /// Returns the fields of a record that are separated by tabs, which no field contains.
  static func tabbedFields(_ record: [UInt8]) throws(FieldError) -> [String] {
    var fields: [String] = []
    let quote = UInt8(ascii: "\"")
    for part in record.split(separator: 0x09, omittingEmptySubsequences: false) {
      // Some programs quote such fields, too; others write quotes within them.
      let isQuoted = part.count > 1 && part.first == quote && part.last == quote
      guard
        let text = String(validating: isQuoted ? part.dropFirst().dropLast() : part, as: UTF8.self)
      else { throw FieldError(field: nil, reason: "field \(fields.count + 1) is not UTF-8") }
      fields.append(isQuoted ? text.replacing("\"\"", with: "\"") : text)
    }
    return fields
  }

  /// Returns the fields of a record that are separated by commas, without their quotes (RFC 4180).
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
          throw FieldError(field: nil, reason: "field \(fields.count + 1) contains a quote")
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
            field: nil, reason: "field \(fields.count + 1) continues after its closing quote")
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
