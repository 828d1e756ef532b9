/// Spreadsheets: archives of XML files with sheets, of which one is read as a table.
enum Spreadsheet {
  /// Returns the rows of a sheet if a file is a workbook of Excel or a spreadsheet of OpenDocument, otherwise `nil`.
  ///
  /// - Throws: ``FeedError`` if it is damaged, or has no such sheet.
  static func rows(ofFile path: String, _ options: FeedOptions) throws(FeedError) -> SheetTable? {
    // A pipe can be read only once.
    guard path != "-", FileStatus(path)?.isRegular == true else { return nil }
    var file = try RecordReader(path: path, limits: options.limits, encoding: "utf-8")
    _ = try file.peek()
    guard file.firstBytes.starts(with: [0x50, 0x4B, 3, 4]) else { return nil }
    var bytes: [UInt8] = []
    while let chunk = try file.nextChunk() {
      bytes += chunk
      guard bytes.count <= ZIPArchive.byteLimit else {
        throw FeedError(
          message:
            "'\(path)' is a ZIP archive of more than \(ZIPArchive.byteLimit) bytes, which is the limit"
        )
      }
    }
    let archive = try ZIPArchive(bytes, path: path, limits: options.limits)
    if archive.names.contains("xl/workbook.xml") {
      return try Workbook(archive).table(options.sheet)
    }
    return try OpenDocument(archive)?.table(options.sheet)
  }
}

/// A sheet of a spreadsheet.
///
/// `Place` is the place where its rows are.
struct Sheet<Place: Sendable>: Sendable {
  let name: String
  let place: Place
  let isHidden: Bool
}

extension ZIPArchive {
  /// Returns the place of a sheet: of the named one, or of the first that is visible. A number names one by its order if none has it as
  /// its name.
  func place<Place>(
    of name: String?, among sheets: [Sheet<Place>]
  ) throws(FeedError) -> Place {
    let visible = sheets.first { !$0.isHidden } ?? sheets.first
    let named = name.flatMap { name in
      sheets.first { $0.name == name }
        ?? Int(name).flatMap { sheets.indices.contains($0 - 1) ? sheets[$0 - 1] : nil }
    }
    guard let sheet = name == nil ? visible : named else {
      throw noSheet(name, of: sheets.map(\.name))
    }
    return sheet.place
  }

  /// Reads the elements of an XML file, of which none may be beyond a limit, and returns the attributes of its groups.
  ///
  /// - Parameters:
  ///   - document: The kind of document, for messages.
  ///   - parser: A parser that has not begun.
  ///   - take: Takes the elements, one after the other.
  @discardableResult func items(
    of file: String, in document: String, _ parser: XMLItemParser,
    _ take: (XMLItemParser.Item, [XMLItemParser.Field]) throws(FeedError) -> Void
  ) throws(FeedError) -> [[String: String]] {
    try elements(of: file, in: document, parser) { (item) throws(FeedError) in
      switch item.fields {
      case .success(let fields): try take(item, fields)
      case .failure(let error): throw self.error("has an element that \(error.reason)")
      }
    }
  }

  /// Reads the elements of an XML file, also those beyond a limit, and returns the attributes of its groups.
  @discardableResult func elements(
    of file: String, in document: String, _ parser: XMLItemParser,
    _ take: (XMLItemParser.Item) throws(FeedError) -> Void
  ) throws(FeedError) -> [[String: String]] {
    func next(_ failure: XMLItemParser.Failure?) throws(FeedError) {
      for item in parser.takeItems() { try take(item) }
      if let failure {
        throw error("is a damaged \(document): \(file) \(failure.reason)")
      }
    }
    try read(file) { (bytes) throws(FeedError) in try next(parser.parse(Array(bytes))) }
    try next(parser.parse([], isLast: true))
    return parser.groups
  }
}

/// The rows of a sheet as CSV.
struct SheetTable {
  /// The most columns of a sheet.
  static let columnLimit = 4096
  private static let byteLimit = 1 << 30

  private(set) var bytes: [UInt8] = []
  /// The rows that cannot be read, by the lines that are empty in place of them.
  private(set) var refusals: [Int: FieldError] = [:]
  private var lineCount = 0
  private var width = 0
  /// The names of all visible sheets if the caller named none.
  var sheets: [String] = []
  private let archive: ZIPArchive

  init(_ archive: ZIPArchive) { self.archive = archive }

  /// Adds a row, as often as a sheet repeats it. A row without cells is left out.
  mutating func add(_ cells: [String], count: Int = 1) throws(FeedError) {
    var cells = cells
    while let last = cells.last, last.isEmpty { cells.removeLast() }
    if cells.isEmpty { return }
    width = max(width, cells.count)
    cells += Array(repeating: "", count: width - cells.count)
    var line: [UInt8] = []
    for cell in cells {
      line.append(UInt8(ascii: "\""))
      for byte in cell.utf8 {
        if byte == UInt8(ascii: "\"") { line.append(byte) }
        line.append(byte)
      }
      line += [UInt8(ascii: "\""), UInt8(ascii: ",")]
    }
    line[line.count - 1] = UInt8(ascii: "\n")
    // A few bytes can repeat a row a million times, and so can rows that share a text or are as wide as another one. So the limits
    // are checked before the rows are written.
    let (total, overflows) = line.count.multipliedReportingOverflow(by: max(1, count))
    guard !overflows, total <= Self.byteLimit - bytes.count else {
      throw archive.error("has more than \(Self.byteLimit) bytes of rows, which is the limit")
    }
    try archive.check(expanded: bytes.count + total)
    lineCount += line.count { $0 == UInt8(ascii: "\n") } * max(1, count)
    for _ in 0..<max(1, count) { bytes += line }
  }

  /// Leaves out a row that cannot be read, which is reported in its place.
  mutating func refuse(_ error: FieldError) {
    lineCount += 1
    refusals[lineCount] = error
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Returns a number without an exponent and without the error of its binary form.
  static func number(_ text: String) -> String {
    guard let value = Double(text), value.isFinite else { return text }
    if let integer = Int(exactly: value), integer.magnitude < 1_000_000_000_000_000 {
      return "\(integer)"
    }
    let rounded = (value * 1e9).rounded() / 1e9
    let plain = "\(rounded)"
    return value.magnitude < 1e6 && !plain.contains("e") ? plain : text
  }
}

extension RecordReader {
  /// Opens a feed: a file of text, or a sheet of a workbook.
  static func opening(_ path: String, _ options: FeedOptions) throws(FeedError) -> RecordReader {
    if let rows = try Spreadsheet.rows(ofFile: path, options) {
      var records = RecordReader(bytes: rows.bytes, name: path, refusals: rows.refusals)
      if rows.sheets.count > 1 {
        let names = rows.sheets.dropFirst().prefix(5).map { "'\($0.prefix(30))'" }
        records.advice = "or read another sheet: --sheet \(names.joined(separator: " or "))"
      }
      return records
    }
    return try RecordReader(path: path, limits: options.limits, encoding: options.encoding)
  }
}
