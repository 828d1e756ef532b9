/// A spreadsheet of the OpenDocument format (.ods, ISO/IEC 26300), of which one sheet is read as a table.
///
/// Amounts, days and truth values are those that the program stored, whatever language they are shown in. Formulas and comments
/// are ignored.
struct OpenDocument: Sendable {
  private let archive: ZIPArchive
  /// The sheets by their places among the tables of the document.
  private var sheets: [Sheet<Int>] = []

  private static let contents = "content.xml"
  private static let layout = XMLItemParser.Layout(
    group: "table:table",
    ends: ["table:table-cell", "table:covered-table-cell"],
    inline: [
      "text:span", "text:a", "text:s", "text:tab", "text:line-break", "text:soft-page-break",
    ])

  /// Returns the document in an archive, or `nil` if there is something else in it.
  ///
  /// - Throws: ``FeedError`` if it is damaged or protected by a password.
  init?(_ archive: ZIPArchive) throws(FeedError) {
    guard archive.names.contains("mimetype") else { return nil }
    var type: [UInt8] = []
    try archive.read("mimetype") { (bytes) throws(FeedError) in
      type += bytes.prefix(max(0, 200 - type.count))
    }
    guard
      String(decoding: type, as: UTF8.self).hasPrefix(
        "application/vnd.oasis.opendocument.spreadsheet")
    else { return nil }
    self.archive = archive
    try checkForPassword()
    var hiddenStyles: Set<String> = []
    let groups = try archive.items(
      of: Self.contents, in: "spreadsheet", parser(of: ["style:style"])
    ) { item, fields in
      let values = Dictionary(
        fields.map { ($0.path, $0.text) }, uniquingKeysWith: { first, _ in first })
      if values["style:table-properties/@table:display"] == "false",
        let name = values["@style:name"]
      {
        hiddenStyles.insert(name)
      }
    }
    for (place, attributes) in groups.enumerated() {
      guard let name = attributes["table:name"] else { continue }
      let isHidden = attributes["table:style-name"].map(hiddenStyles.contains) ?? false
      sheets.append(Sheet(name: name, place: place, isHidden: isHidden))
    }
  }

  private func checkForPassword() throws(FeedError) {
    let manifest = "META-INF/manifest.xml"
    var isEncrypted = archive.names.contains("encrypted-package")
    if archive.names.contains(manifest) {
      var bytes: [UInt8] = []
      try archive.read(manifest) { (part) throws(FeedError) in
        bytes += part.prefix(max(0, (1 << 20) - bytes.count))
      }
      isEncrypted =
        isEncrypted || String(decoding: bytes, as: UTF8.self).contains("encryption-data")
    }
    if isEncrypted {
      throw archive.error("is protected by a password; save it without one, or as 'CSV UTF-8'")
    }
  }

  /// Returns a parser of some elements of the contents.
  private func parser(of names: Set<String>) -> XMLItemParser {
    XMLItemParser(
      items: names, limit: RecordReader.recordLimit, isDeep: true, hasPaths: true,
      keepsBlanks: true, layout: Self.layout, limits: archive.limits)
  }

  /// Returns a sheet as CSV: the named one, or the first that is visible.
  func table(_ name: String?) throws(FeedError) -> SheetTable {
    let place = try archive.place(of: name, among: sheets)
    var table = SheetTable(archive)
    if name == nil { table.sheets = sheets.filter { !$0.isHidden }.map(\.name) }
    try archive.elements(
      of: Self.contents, in: "spreadsheet", parser(of: ["table:table-row"])
    ) { (row) throws(FeedError) in
      guard row.group == place else { return }
      let cells: [String]
      var count = 1
      do throws(FieldError) {
        let fields = try row.fields.get()
        let repeated = fields.first { $0.path == "@table:number-rows-repeated" }
        count = repeated.flatMap { Int($0.text) } ?? 1
        cells = try self.cells(of: fields)
      } catch {
        return table.refuse(error)
      }
      try table.add(cells, count: count)
    }
    return table
  }

  private func cells(of fields: [XMLItemParser.Field]) throws(FieldError) -> [String] {
    var cells: [String] = []
    var values: [String: String] = [:]
    var paragraphs: [String] = []
    // Cells at the end of a row are often repeated to the edge of the sheet.
    var blanks = 0
    // A few bytes can repeat a cell a thousand times.
    var allowance = FeedAllowance(archive.limits, most: RecordReader.recordLimit)
    for field in fields {
      var path = field.path[...]
      if path.first == "/" {
        let count = max(1, values["table:number-columns-repeated"].flatMap { Int($0) } ?? 1)
        let text = Self.text(values, paragraphs)
        (values, paragraphs) = ([:], [])
        if text.isEmpty {
          blanks = min(blanks + min(count, SheetTable.columnLimit), SheetTable.columnLimit)
          continue
        }
        let room = max(0, SheetTable.columnLimit - cells.count - blanks)
        try allowance.draw(text.utf8.count * min(count, room), for: nil)
        if room == 0 { continue }
        cells += Array(repeating: "", count: blanks)
        cells += Array(repeating: text, count: min(count, room))
        blanks = 0
        continue
      }
      path = path.drop { $0 != "/" }.dropFirst()
      if path.first == "@" {
        values[String(path.dropFirst())] = field.text
      } else if path == "text:p" {
        paragraphs.append(field.text)
      }
    }
    return cells
  }

  /// Returns the text of a cell by its attributes and the paragraphs in it.
  private static func text(_ values: [String: String], _ paragraphs: [String]) -> String {
    let shown = paragraphs.joined(separator: "\n")
    // An error such as #N/A is not a value.
    if values["calcext:value-type"] == "error" { return "" }
    switch values["office:value-type"] {
    case "float":
      return values["office:value"].map(SheetTable.number) ?? shown
    case "currency":
      guard let value = values["office:value"] else { return shown }
      var amount = SheetTable.number(value)
      guard let currency = values["office:currency"] else { return amount }
      // Appends a zero to three decimals, which would be read as thousands beside a currency.
      if amount.split(separator: ".").dropFirst().first?.count == 3 { amount += "0" }
      return "\(amount) \(currency)"
    case "date": return values["office:date-value"].map { String($0.prefix { $0 != "T" }) } ?? shown
    case "boolean": return values["office:boolean-value"].map { $0.uppercased() } ?? shown
    default: return shown.isEmpty ? values["office:string-value"] ?? "" : shown
    }
  }
}
