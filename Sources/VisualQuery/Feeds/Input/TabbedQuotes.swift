/// The quotes of a table with tabs, in which fields may have tabs and line breaks as spreadsheets write them.
enum TabbedQuotes {
  enum Split {
    /// The fields, with the quotes around them.
    case fields([ArraySlice<UInt8>])
    /// A field begins with a quote and has none at its end. The number of tabs behind its beginning.
    case open(tabCount: Int)
  }

  /// Splits a record at the tabs that are not in quotes. A quote ends a field only if a tab or the end follows.
  static func split(_ record: ArraySlice<UInt8>) -> Split {
    let (quote, tab) = (UInt8(ascii: "\""), UInt8(0x09))
    var fields: [ArraySlice<UInt8>] = []
    var start = record.startIndex
    while true {
      var end = start
      if start < record.endIndex, record[start] == quote {
        end = start + 1
        while end < record.endIndex {
          if record[end] == quote {
            let next = end + 1
            if next == record.endIndex || record[next] == tab { break }
            if record[next] == quote { end += 1 }
          }
          end += 1
        }
        guard end < record.endIndex else {
          return .open(tabCount: record[start...].count { $0 == tab })
        }
        end += 1
      } else {
        end = record[start...].firstIndex(of: tab) ?? record.endIndex
      }
      fields.append(record[start..<end])
      if end == record.endIndex { return .fields(fields) }
      start = end + 1
    }
  }

  /// The most lines of a row, and the most bytes behind its first line.
  static let (lineLimit, byteLimit) = (100, 1 << 16)

  /// Returns a row that goes on in the next lines, and the number of bytes and lines that it takes of them, or `nil` if it has one line.
  ///
  /// - Parameter columns: The number of fields that it must have: a quote that is not closed may also be an inch.
  static func joined(
    _ first: [UInt8], with next: [UInt8], lineBreak: UInt8, columns: Int
  ) -> (row: [UInt8], byteCount: Int, lineCount: Int)? {
    guard let isLast = isOpen(first, columns) else { return nil }
    var row = first
    var rest = next[...]
    for count in 1...lineLimit {
      if rest.isEmpty { return nil }
      let end = rest.firstIndex(of: lineBreak)
      var line = rest[..<(end ?? rest.endIndex)]
      rest = end.map { rest[($0 + 1)...] } ?? []
      if line.last == 0x0D { line = line.dropLast() }
      if row.last == 0x0D { row.removeLast() }
      let tabCount = line.count { $0 == 0x09 }
      // A line with all fields is a row of its own.
      if tabCount == columns - 1 || isLast && tabCount > 0 { return nil }
      row.append(0x0A)
      row += line
      if case .fields(let fields) = split(row[...]), fields.count == columns {
        return (row, next.count - rest.count, count)
      }
    }
    return nil
  }

  /// Returns whether the field of a line that is not closed is the last of all columns, or `nil` if none is open, or the line has all
  /// fields as it is.
  private static func isOpen(_ line: [UInt8], _ columns: Int) -> Bool? {
    guard line.contains(UInt8(ascii: "\"")), case .open(let tabCount) = split(line[...]) else {
      return nil
    }
    let isWhole = line.count { $0 == 0x09 } == columns - 1
    return isWhole && tabCount > 0 ? nil : isWhole
  }
}
