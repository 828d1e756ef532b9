/// An Excel workbook (.xlsx, ECMA-376), of which one sheet is read as a table.
///
/// The sheet becomes rows of CSV, in which days are written as `2026-01-31`. Styles, formulas and comments are ignored; of a
/// formula, the value that the program stored counts.
struct Workbook: Sendable {
  private let archive: ZIPArchive
  /// The sheets by their files.
  private var sheets: [Sheet<String>] = []
  private var strings: [String] = []
  /// The styles of cells that are days, by their numbers.
  private var dayStyles: Set<Int> = []
  /// The styles of cells whose numbers have zeros before them or texts beside them, by their numbers.
  private var numberStyles: [Int: NumberFormat] = [:]
  private var beginsIn1904 = false

  /// The most bytes of the texts that cells share.
  private static let textLimit = 256 << 20

  /// Reads what all sheets share.
  ///
  /// - Throws: ``FeedError`` if it is damaged.
  init(_ archive: ZIPArchive) throws(FeedError) {
    self.archive = archive
    var targets: [String: String] = [:]
    try items("xl/_rels/workbook.xml.rels", ["Relationship"]) { fields in
      let values = Self.attributes(fields)
      if let id = values["Id"], let target = values["Target"] { targets[id] = target }
    }
    var sheets: [Sheet<String>] = []
    try items("xl/workbook.xml", ["sheet"]) { fields in
      let values = Self.attributes(fields)
      guard let name = values["name"], let id = values["r:id"] ?? values["id"],
        let target = targets[id]
      else { return }
      let file = target.hasPrefix("/") ? String(target.dropFirst()) : "xl/" + target
      sheets.append(
        Sheet(name: name, place: file, isHidden: values["state"].map { $0 != "visible" } ?? false))
    }
    self.sheets = sheets
    var beginsIn1904 = false
    try items("xl/workbook.xml", ["workbookPr"]) { fields in
      beginsIn1904 = ["1", "true"].contains(Self.attributes(fields)["date1904"] ?? "")
    }
    self.beginsIn1904 = beginsIn1904
    if archive.names.contains("xl/styles.xml") { try readStyles() }
    if archive.names.contains("xl/sharedStrings.xml") { try readStrings() }
  }

  /// Reads the elements of a file.
  private func items(
    _ file: String, _ names: Set<String>, keepsBlanks: Bool = false,
    _ take: ([XMLItemParser.Field]) throws(FeedError) -> Void
  ) throws(FeedError) {
    try archive.items(
      of: file, in: "workbook",
      XMLItemParser(
        items: names, limit: RecordReader.recordLimit, isDeep: true, hasPaths: true,
        keepsBlanks: keepsBlanks, limits: archive.limits)
    ) { (_, fields) throws(FeedError) in try take(fields) }
  }

  private static func attributes(_ fields: [XMLItemParser.Field]) -> [String: String] {
    var values: [String: String] = [:]
    for field in fields where field.path.hasPrefix("@") { values[field.name] = field.text }
    return values
  }

  // MARK: Styles and texts

  private mutating func readStyles() throws(FeedError) {
    var dayFormats = Set(Array(14...22) + Array(27...36) + Array(45...47) + Array(50...58))
    var formats: [Int: NumberFormat] = [:]
    try items("xl/styles.xml", ["numFmt"]) { fields in
      let values = Self.attributes(fields)
      guard let id = values["numFmtId"].flatMap({ Int($0) }), let code = values["formatCode"] else {
        return
      }
      if Self.isDay(code) { dayFormats.insert(id) } else { formats[id] = NumberFormat(code) }
    }
    var styles: [Int] = []
    try items("xl/styles.xml", ["cellXfs"]) { fields in
      for field in fields where field.path == "xf/@numFmtId" { styles.append(Int(field.text) ?? 0) }
    }
    dayStyles = Set(styles.indices.filter { dayFormats.contains(styles[$0]) })
    for (style, id) in styles.enumerated() { numberStyles[style] = formats[id] }
  }

  /// Returns whether the code of a format is that of a day, such as `dd.mm.yyyy`, rather than of an amount.
  private static func isDay(_ code: String) -> Bool {
    var isQuoted = false
    var depth = 0
    for character in code.lowercased() {
      if character == "\"" { isQuoted.toggle() }
      if character == "[" { depth += 1 }
      if !isQuoted, depth == 0, character == "y" || character == "d" { return true }
      if character == "]" { depth = max(0, depth - 1) }
    }
    return false
  }

  private mutating func readStrings() throws(FeedError) {
    var strings: [String] = []
    var byteCount = 0
    let archive = archive
    try items("xl/sharedStrings.xml", ["si"], keepsBlanks: true) {
      (fields) throws(FeedError) in
      let text = Self.text(fields, in: "")
      byteCount += text.utf8.count
      guard byteCount <= Self.textLimit else {
        throw archive.error("has more than \(Self.textLimit) bytes of texts, which is the limit")
      }
      strings.append(text)
    }
    self.strings = strings
  }

  /// Returns the text of an element in runs of different styles, without how it is pronounced.
  private static func text(_ fields: [XMLItemParser.Field], in parent: String) -> String {
    unescaped(
      fields.filter { $0.path == parent + "t" || $0.path == parent + "r/t" }.map(\.text).joined())
  }

  /// Returns a text with the characters that XML cannot have, which Excel writes as `_x000D_`.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("_x") else { return text }
    var plain = ""
    var rest = text[...]
    while let mark = rest.firstRange(of: "_x") {
      let digits = rest[mark.upperBound...].prefix(4)
      plain += rest[..<mark.lowerBound]
      rest = rest[mark.upperBound...]
      if digits.utf8.count == 4, rest.dropFirst(4).first == "_",
        let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code)
      {
        plain.unicodeScalars.append(scalar)
        rest = rest.dropFirst(5)
      } else {
        plain += "_x"
      }
    }
    plain += rest
    return plain.replacing("\r\n", with: "\n").replacing("\r", with: "\n").trimmed
  }

  // MARK: Rows

  /// Returns a sheet as CSV: the named one, or the first that is visible.
  func table(_ name: String?) throws(FeedError) -> SheetTable {
    var table = SheetTable(archive)
    if name == nil { table.sheets = sheets.filter { !$0.isHidden }.map(\.name) }
    // The columns of addresses, by the names in the first rows: there a link counts, and elsewhere its text.
    var addressColumns: Set<Int> = []
    var rowCount = 0
    try archive.elements(
      of: try archive.place(of: name, among: sheets), in: "workbook",
      XMLItemParser(
        items: ["row"], limit: RecordReader.recordLimit, isDeep: true, hasPaths: true,
        layout: Self.layout, limits: archive.limits)
    ) { (row) throws(FeedError) in
      let cells: [String]
      do throws(FieldError) {
        cells = try self.cells(of: row.fields.get(), addressColumns)
      } catch {
        return table.refuse(error)
      }
      rowCount += 1
      if rowCount <= Self.headerRowCount { addressColumns.formUnion(Self.addressColumns(cells)) }
      try table.add(cells)
    }
    return table
  }

  /// The ends of cells tell where one is that has no reference, as programs other than Excel write them.
  private static let layout = XMLItemParser.Layout(group: "", ends: ["c"], inline: [])
  /// The rows in which names of columns are looked for.
  private static let headerRowCount = 10

  /// Returns the columns whose names are those of addresses.
  private static func addressColumns(_ cells: [String]) -> [Int] {
    let targets = ColumnVocabulary.targets(of: cells)
    return cells.indices.filter { [.url, .image, .images].contains(targets[$0]) }
  }

  /// Returns the address of a formula such as `HYPERLINK("https://s.example/1","open")`.
  private static func address(of formula: String) -> String? {
    guard formula.hasPrefix("HYPERLINK(") else { return nil }
    let value = FormulaText.value("=" + formula)
    return value.contains("://") && !value.hasPrefix("=") ? value : nil
  }

  private func cells(
    of fields: [XMLItemParser.Field], _ addressColumns: Set<Int>
  ) throws(FieldError) -> [String] {
    var cells: [String] = []
    var (column, kind, style) = (0, "n", 0)
    var address: String?
    // A cell may refer to a text of a megabyte, and so may a thousand cells of one row.
    var allowance = FeedAllowance(archive.limits, most: RecordReader.recordLimit)
    func set(_ text: String) throws(FieldError) {
      guard (0..<SheetTable.columnLimit).contains(column) else { return }
      try allowance.draw(text.utf8.count, for: nil)
      while cells.count <= column { cells.append("") }
      cells[column] += text
    }
    for field in fields {
      switch field.path {
      case "/c": (column, kind, style, address) = (column + 1, "n", 0, nil)
      case "c/@r": column = Self.column(of: field.text)
      case "c/f": address = Self.address(of: field.text)
      case "c/v" where address != nil && addressColumns.contains(column): try set(address ?? "")
      case "c/@t": kind = field.text
      case "c/@s": style = Int(field.text) ?? 0
      case "c/v":
        switch kind {
        case "s":
          try set(
            Int(field.text).flatMap { strings.indices.contains($0) ? strings[$0] : nil } ?? "")
        case "b": try set(field.text == "1" ? "TRUE" : "FALSE")
        // An error such as #N/A is not a value.
        case "e": continue
        case "n":
          let number = SheetTable.number(field.text)
          try set(
            dayStyles.contains(style)
              ? day(field.text) : numberStyles[style]?.text(of: number) ?? number)
        default: try set(Self.unescaped(field.text))
        }
      case "c/is/t", "c/is/r/t": try set(Self.unescaped(field.text))
      default: continue
      }
    }
    return cells
  }

  /// Returns the index of the column of a cell such as `AB12`.
  private static func column(of reference: String) -> Int {
    var index = 0
    for byte in reference.uppercased().utf8 {
      guard (0x41...0x5A).contains(byte), index < SheetTable.columnLimit else { break }
      index = index * 26 + Int(byte - 0x40)
    }
    return index - 1
  }

  /// Returns the day of a number, counted from the end of 1899 or from 1904.
  private func day(_ text: String) -> String {
    guard let value = Double(text), value >= 1, value < 3_000_000 else {
      return SheetTable.number(text)
    }
    // Days of the civil calendar, from 1970; Howard Hinnant, http://howardhinnant.github.io/date_algorithms.html.
    let days = Int(value) - (beginsIn1904 ? 24_107 : 25_569) + 719_468
    let era = days / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let (civilMonth, civilDay) = (
      month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1
    )
    let year = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(civilMonth))-\(two(civilDay))"
  }
}
