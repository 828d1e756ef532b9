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
struct RecordReader: ~Copyable {
  /// One record.
  enum Record {
    /// The bytes without the line break, and the number of the first line, from 1.
    case bytes([UInt8], line: Int)
    /// A record that is longer than the limit.
    case tooLong(line: Int)

    var line: Int {
      switch self {
      case .bytes(_, let line), .tooLong(let line): line
      }
    }
  }

  /// The largest number of bytes in a record.
  static let recordLimit = 1 << 20

  /// The largest number of bytes in a record of this reader.
  let recordLimit: Int
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
  /// The number of bytes of the records so far, or 0 for compressed input, where it is unknown.
  var consumedByteCount: Int { gzip == nil ? readByteCount - (buffer.count - position) : 0 }
  /// Whether line breaks within quotes do not end a record.
  var hasQuotes = false

  /// Opens a file, or reads standard input for `-`.
  init(path: String, recordLimit: Int = RecordReader.recordLimit) throws(CatalogueError) {
    let file = path == "-" ? 0 : unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw CatalogueError(
        code: .unreadableInput, message: "cannot open '\(path)': \(systemMessage(errno))")
    }
    self.recordLimit = recordLimit
    name = path
    ownsDescriptor = path != "-"
    descriptor = file
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Returns the first byte that is not blank, for recognizing the format, or `nil` in an empty
  /// stream.
  mutating func peek() throws(CatalogueError) -> UInt8? {
    var offset = position
    while true {
      while offset < buffer.count {
        let byte = buffer[offset]
        let isMark = offset < 3 && [0xEF, 0xBB, 0xBF].contains(byte)
        if !isMark && ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { return byte }
        offset += 1
      }
      guard try fill() else { return nil }
    }
  }

  /// Returns the next record that is not blank, or `nil` at the end.
  mutating func next() throws(CatalogueError) -> Record? {
    var record: [UInt8] = []
    var isTooLong = false
    var isQuoted = false
    var start = line
    while true {
      if position == buffer.count, try !fill() {
        return Self.finished(record, isTooLong, start)
      }
      // Takes everything up to the line break at once, but checks every byte for quotes.
      let begin = position
      var end = position
      while end < buffer.count {
        let byte = buffer[end]
        if byte == UInt8(ascii: "\n") && !isQuoted { break }
        if byte == UInt8(ascii: "\n") { line += 1 }
        if hasQuotes && byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        end += 1
      }
      if record.count + end - begin > recordLimit {
        isTooLong = true
        record = []
      }
      if !isTooLong { record += buffer[begin..<end] }
      position = end
      if end < buffer.count {
        position += 1
        line += 1
        if let finished = Self.finished(record, isTooLong, start) { return finished }
        record = []
        start = line
      }
    }
  }

  private static func finished(_ record: [UInt8], _ isTooLong: Bool, _ line: Int) -> Record? {
    if isTooLong { return .tooLong(line: line) }
    var bytes = record[...]
    if line == 1 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
    let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    return isBlank ? nil : .bytes(Array(bytes), line: line)
  }

  /// Returns the bytes that were read but not taken yet, or `nil` at the end, for parsers with a
  /// state of their own.
  mutating func nextChunk() throws(CatalogueError) -> [UInt8]? {
    while position == buffer.count { guard try fill() else { return nil } }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  /// The largest number of bytes in a document that is read as a whole.
  static let documentLimit = JSONLimits.document.byteCount

  /// Returns the rest of the input, if it is within the limit.
  mutating func rest() throws(CatalogueError) -> [UInt8] {
    while try fill() {
      if buffer.count - position > Self.documentLimit {
        throw CatalogueError(
          code: .unreadableInput,
          message:
            "'\(name)' is one document of more than \(Self.documentLimit) bytes, which is the limit"
        )
      }
    }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  /// The bytes that were read so far, for recognizing the format.
  mutating func beginning() throws(CatalogueError) -> ArraySlice<UInt8> {
    _ = try peek()
    return buffer[position...]
  }

  /// Reads more bytes; returns `false` at the end.
  private mutating func fill() throws(CatalogueError) -> Bool {
    if isAtEnd { return false }
    if position == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      position = 0
    }
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
      return try fill()
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

  private mutating func inflate(_ bytes: ArraySlice<UInt8>) throws(CatalogueError) {
    var output: [UInt8] = []
    let isSound = gzip?.inflate(bytes) { output += $0 } ?? false
    buffer += output
    if !isSound { throw damaged("is damaged: its compressed data are invalid") }
  }

  private func damaged(_ reason: String) -> CatalogueError {
    CatalogueError(code: .unreadableInput, message: "'\(name)' \(reason)")
  }

  /// Reads raw bytes and appends them to the buffer.
  private mutating func readBytes() throws(CatalogueError) -> Int {
    let count = buffer.count
    let room = 1 << 16
    buffer.append(contentsOf: repeatElement(0, count: room))
    var got: Int
    repeat {
      got = unsafe buffer.withUnsafeMutableBytes { bytes in
        // Sound: `room` bytes follow the first `count`.
        unsafe read(descriptor, bytes.baseAddress! + count, room)
      }
    } while got < 0 && errno == EINTR
    buffer.removeLast(room - max(0, got))
    guard got >= 0 else {
      throw CatalogueError(
        code: .unreadableInput, message: "cannot read '\(name)': \(systemMessage(errno))")
    }
    if got == 0 { isAtEnd = true }
    readByteCount += got
    return got
  }
}
