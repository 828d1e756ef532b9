#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// Splits a stream of text into records: lines, or CSV records, which may contain line breaks in
/// quotes.
///
/// Memory is bounded by the record limit: a longer record is skipped and reported.
package struct RecordReader: ~Copyable {
  /// One record.
  package enum Record {
    /// The bytes without the line break, and the number of the first line, from 1.
    case bytes([UInt8], line: Int)
    /// A record that cannot be read, such as one that is longer than the limit.
    case refused(FieldError, line: Int)

    package var line: Int {
      switch self {
      case .bytes(_, let line), .refused(_, let line): line
      }
    }
  }

  /// The largest number of bytes in a record.
  static let recordLimit = 1 << 20

  /// The largest number of bytes in a record of this reader.
  let recordLimit: Int
  private let limits: FeedLimits
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  /// The path that was opened.
  let name: String
  private var gzip: GzipReader?
  private var buffer: [UInt8] = []
  private var position = 0
  private var line = 1
  private var isAtEnd = false
  private var readByteCount = 0
  /// The number of bytes that were decompressed.
  private var inflatedByteCount = 0
  /// The number of bytes of the records so far, or 0 for compressed input, where it is unknown.
  var consumedByteCount: Int { gzip == nil ? readByteCount - (buffer.count - position) : 0 }
  /// The number of bytes that were read and not given yet.
  var heldByteCount: Int { buffer.count }
  /// The separator of fields that may be quoted, if line breaks within quotes do not end a record.
  var quotedFieldSeparator: UInt8?
  /// The number of columns of a table with tabs, whose rows may go on in the next line.
  var tabbedColumnCount: Int?
  /// The number of lines with an open quote that are rows as they are; with many, quotes mean nothing in a file.
  private var openQuoteCount = 0
  private static let openQuoteLimit = 100
  /// The last fields of a table, by which it is told whether it ends within one.
  var tableEnd: TableEnd?
  /// A record that is not given again, such as the header of a table.
  var repeatedRecord: [UInt8]?
  /// The advice if it is not a feed: the other sheets of a workbook.
  var advice: String?
  /// The records that whoever made the text could not write, by their lines, which are empty.
  private var refusals: [Int: FieldError] = [:]
  private var decoder: TextDecoder
  /// The first bytes of the input before they are text, by which files that are not text are recognized.
  private(set) var firstBytes: [UInt8] = []
  /// The byte that ends a line: a line feed, or a carriage return in files that have none.
  private var lineBreak: UInt8?
  /// The encoding of the input so far, or `nil` for UTF-8.
  var encoding: FeedEncoding? { decoder.encoding }

  /// True if the text is UTF-8, whatever the document declares.
  var isTextDecoded: Bool { decoder.encoding != nil || decoder.named != nil }

  /// Opens a file, or reads standard input for `-`.
  ///
  /// - Parameter encoding: The name of the encoding of the text, or `nil` if it is recognized.
  package init(
    path: String, recordLimit: Int = RecordReader.recordLimit, limits: FeedLimits = FeedLimits(),
    encoding: String? = nil
  ) throws(FeedError) {
    decoder = TextDecoder(encoding: encoding)
    let file = path == "-" ? 0 : FileBytes.openFile(path)
    guard file >= 0 else {
      let reason = systemMessage(errno)
      throw FeedError(
        message: FileName.isAddress(path)
          ? "'\(path)' \(FileName.addressAdvice)" : "cannot open '\(path)': \(reason)")
    }
    self.recordLimit = recordLimit
    self.limits = limits
    name = path
    ownsDescriptor = path != "-"
    descriptor = file
  }

  /// Reads text in UTF-8 from memory.
  ///
  /// - Parameter refusals: The records that could not be written, by their lines, which are empty.
  init(bytes: [UInt8], name: String, refusals: [Int: FieldError] = [:]) {
    self.refusals = refusals
    recordLimit = RecordReader.recordLimit
    limits = .none
    decoder = TextDecoder()
    self.name = name
    ownsDescriptor = false
    descriptor = -1
    buffer = bytes
    isAtEnd = true
    lineBreak = Self.lineBreak(in: bytes[...])
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Returns the first byte that is not blank, for recognizing the format, or `nil` in an empty
  /// stream.
  mutating func peek() throws(FeedError) -> UInt8? {
    var offset = position
    while true {
      while offset < buffer.count {
        let byte = buffer[offset]
        let isMark = offset < 3 && [0xEF, 0xBB, 0xBF].contains(byte)
        if !isMark && ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { return byte }
        offset += 1
      }
      // Blank input is not kept: a small compressed file may expand to gigabytes of it.
      line += buffer[position...].count { $0 == lineBreak }
      position = buffer.count
      guard try fill() else { return nil }
      offset = position
    }
  }

  /// The position within a field, which decides what a quote means.
  private enum FieldState {
    case start, plain, quoted, quoteInQuotes
  }

  /// Returns the next record that is not blank, or `nil` at the end.
  package mutating func next() throws(FeedError) -> Record? {
    var record: [UInt8] = []
    var isTooLong = false
    var state = FieldState.start
    var start = line
    while true {
      if position == buffer.count, try !fill() {
        let last = ended(record, isTooLong, start)
        if case .bytes(_, let line)? = last, let reason = tableEnd?.cutReason {
          return .refused(FieldError(field: nil, reason: reason), line: line)
        }
        return last
      }
      let begin = position
      let end = endOfRecord(&state)
      if record.count + end - begin > recordLimit {
        isTooLong = true
        record = []
      }
      if !isTooLong { record += buffer[begin..<end] }
      position = end
      if end < buffer.count {
        position += 1
        line += 1
        if tabbedColumnCount != nil, !isTooLong { try joinLines(to: &record) }
        if let finished = ended(record, isTooLong, start) { return finished }
        record = []
        start = line
        state = .start
      }
    }
  }

  /// Adds the lines in which a quoted field of a table with tabs goes on.
  private mutating func joinLines(to record: inout [UInt8]) throws(FeedError) {
    guard let columns = tabbedColumnCount, openQuoteCount < Self.openQuoteLimit,
      record.contains(UInt8(ascii: "\"")), case .open = TabbedQuotes.split(record[...])
    else { return }
    let next = try lookahead(TabbedQuotes.byteLimit)
    guard
      let (row, byteCount, lineCount) = TabbedQuotes.joined(
        record, with: next, lineBreak: lineBreak ?? UInt8(ascii: "\n"), columns: columns)
    else {
      openQuoteCount += 1
      return
    }
    record = row
    position += byteCount
    line += lineCount
  }

  /// Returns a record that ended, or `nil` if it is left out.
  private mutating func ended(_ record: [UInt8], _ isTooLong: Bool, _ line: Int) -> Record? {
    let record = finished(record, isTooLong, line)
    if case .bytes(let bytes, _)? = record { tableEnd?.add(bytes) }
    return record
  }

  /// Returns the index of the next line break outside quotes, or the end of the buffer.
  private mutating func endOfRecord(_ state: inout FieldState) -> Int {
    let lineBreak = lineBreak ?? UInt8(ascii: "\n")
    guard let separator = quotedFieldSeparator else {
      return buffer[position...].firstIndex(of: lineBreak) ?? buffer.count
    }
    let quote = UInt8(ascii: "\"")
    var index = position
    while index < buffer.count {
      let byte = buffer[index]
      if byte == lineBreak {
        if state != .quoted { break }
        line += 1
      }
      switch state {
      case .quoted: if byte == quote { state = .quoteInQuotes }
      case .quoteInQuotes where byte == quote: state = .quoted
      case .start where byte == quote: state = .quoted
      default: state = byte == separator ? .start : .plain
      }
      index += 1
    }
    return index
  }

  private static func lineBreak(in bytes: ArraySlice<UInt8>) -> UInt8? {
    if bytes.contains(UInt8(ascii: "\n")) { return UInt8(ascii: "\n") }
    return bytes.contains(UInt8(ascii: "\r")) ? UInt8(ascii: "\r") : nil
  }

  private func finished(_ record: [UInt8], _ isTooLong: Bool, _ line: Int) -> Record? {
    if isTooLong {
      return .refused(
        FieldError(
          field: nil, reason: "has more than \(recordLimit) bytes, which is the limit"), line: line)
    }
    if let error = refusals[line] { return .refused(error, line: line) }
    var bytes = record[...]
    if line == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    // Some programs fill the last block of a file with zeros.
    while bytes.last == 0 { bytes = bytes.dropLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
    // Spreadsheets write an empty row as a line of separators.
    let isBlank = bytes.allSatisfy {
      $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == quotedFieldSeparator
    }
    if let repeatedRecord, bytes.count == repeatedRecord.count, bytes.elementsEqual(repeatedRecord)
    {
      return nil
    }
    return isBlank ? nil : .bytes(Array(bytes), line: line)
  }

  /// The number of lines that were passed over so far.
  var skippedLineCount: Int { line - 1 }

  /// Returns the bytes that were read but not taken yet, or `nil` at the end, for parsers with a
  /// state of their own.
  mutating func nextChunk() throws(FeedError) -> [UInt8]? {
    while position == buffer.count { guard try fill() else { return nil } }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  /// The largest number of bytes in a document that is read as a whole.
  static let documentLimit = JSONLimits.document.byteCount

  /// Returns the rest of the input, if it is within the limit.
  mutating func rest() throws(FeedError) -> [UInt8] {
    while try fill() {
      if buffer.count - position > Self.documentLimit {
        throw FeedError(
          message:
            "'\(name)' is one document of more than \(Self.documentLimit) bytes, which is the limit"
        )
      }
    }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  /// Gives back the end of the input, which ``rest()`` took.
  mutating func giveBack(_ count: Int) { position -= count }

  /// The bytes that were read so far, for recognizing the format.
  mutating func beginning() throws(FeedError) -> ArraySlice<UInt8> {
    _ = try peek()
    return buffer[position...]
  }

  /// Returns the next bytes without taking them, as many as there are up to a limit.
  mutating func lookahead(_ limit: Int) throws(FeedError) -> [UInt8] {
    while buffer.count - position < limit, try fill() {}
    return Array(buffer[position...].prefix(limit))
  }

  /// The most bytes of standard input that are read twice.
  private static let streamLimit = 64 << 20

  /// Returns another reader of the rows behind the header of a table, for a look at all of them
  /// before they are read.
  mutating func copy(behind header: TableHeader) throws(FeedError) -> RecordReader {
    if name != "-", descriptor >= 0 {
      var copy = try copy()
      _ = try TableHeader(&copy)
      return copy
    }
    var copy = try copy()
    copy.quotedFieldSeparator = quotedFieldSeparator
    copy.tabbedColumnCount = tabbedColumnCount
    copy.repeatedRecord = repeatedRecord
    return copy
  }

  /// Returns another reader of a document of which nothing was read yet.
  mutating func copy() throws(FeedError) -> RecordReader {
    if name != "-", descriptor >= 0 {
      return try RecordReader(
        path: name, recordLimit: recordLimit, limits: limits, encoding: decoder.named)
    }
    let bytes = try lookahead(Self.streamLimit + 1)
    guard bytes.count <= Self.streamLimit else {
      throw FeedError(
        message:
          "standard input has more than \(Self.streamLimit) bytes of a format whose variants refer to each "
          + "other; save it to a file and index that")
    }
    return RecordReader(bytes: bytes, name: name)
  }

  /// Reads more text; returns `false` at the end.
  private mutating func fill() throws(FeedError) -> Bool {
    if isAtEnd { return false }
    if position == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      position = 0
    }
    let start = buffer.count
    var isMore = try fillRaw()
    // The encoding is recognized by the first bytes. A pipe may give only a few at a time, so reads
    // until there are enough.
    while readByteCount < 1024, isMore { isMore = try fillRaw() }
    if firstBytes.isEmpty { firstBytes = Array(buffer[start...].prefix(256)) }
    decoder.decode(&buffer, from: start)
    // A carriage return at the end may be the first half of a line break.
    if lineBreak == nil, buffer.last == 0x0D, isMore {
      let part = buffer.count
      isMore = try fillRaw()
      decoder.decode(&buffer, from: part)
    }
    if !isMore { decoder.finish(&buffer) }
    lineBreak = lineBreak ?? Self.lineBreak(in: buffer[start...])
    return buffer.count > start || isMore
  }

  /// Reads more bytes; returns `false` at the end.
  private mutating func fillRaw() throws(FeedError) -> Bool {
    if gzip == nil {
      let start = buffer.count
      let got = try readBytes()
      let isFirst = readByteCount == got
      guard isFirst, buffer[start...].starts(with: [0x1F, 0x8B]) else { return got > 0 }
      let compressed = Array(buffer[start...])
      buffer.removeLast(got)
      gzip = GzipReader()
      try inflate(compressed[...])
      if !buffer.isEmpty { return true }
      // Calls `fillRaw()`, because the caller decodes the text that `fill()` would decode as
      // well.
      return try fillRaw()
    }
    while true {
      let start = buffer.count
      let got = try readBytes()
      guard got > 0 else {
        if gzip?.isWithinMember == true { throw damaged("is truncated within its compressed data") }
        return false
      }
      let compressed = Array(buffer[start...])
      buffer.removeLast(got)
      try inflate(compressed[...])
      if buffer.count > start { return true }
    }
  }

  /// The number of compressed bytes after which the limits are checked; they become at most 1032 times as many.
  private static let inflatedPart = 4096

  private mutating func inflate(_ bytes: ArraySlice<UInt8>) throws(FeedError) {
    var rest = bytes
    repeat {
      let part = rest.prefix(Self.inflatedPart)
      rest = rest.dropFirst(part.count)
      var output: [UInt8] = []
      let isSound = gzip?.inflate(part) { output += $0 } ?? false
      buffer += output
      if !isSound { throw damaged("is damaged: its compressed data are invalid") }
      inflatedByteCount += output.count
      try limits.check(
        decompressed: inflatedByteCount, compressed: readByteCount - rest.count, of: name)
    } while !rest.isEmpty
  }

  private func damaged(_ reason: String) -> FeedError {
    FeedError(message: "'\(name)' \(reason)")
  }

  /// Reads raw bytes and appends them to the buffer.
  private mutating func readBytes() throws(FeedError) -> Int {
    guard let got = FileBytes.appendNext(of: descriptor, to: &buffer) else {
      throw FeedError(
        message: "cannot read '\(name)': \(systemMessage(errno))")
    }
    if got == 0 { isAtEnd = true }
    readByteCount += got
    if gzip == nil { try limits.check(decompressed: readByteCount, compressed: nil, of: name) }
    return got
  }
}
