#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// Cuts a stream of text into records: lines, or CSV records, which may hold line breaks in quotes.
///
/// Memory is bounded by the record limit: a longer record is passed over and reported.
struct RecordReader: ~Copyable {
  /// One record.
  enum Record {
    /// Its bytes without the line break, and the number of its first line, from 1.
    case bytes([UInt8], line: Int)
    /// It is longer than the limit.
    case tooLong(line: Int)

    var line: Int {
      switch self {
      case .bytes(_, let line), .tooLong(let line): line
      }
    }
  }

  /// Bytes of a record that are still accepted.
  static let recordLimit = 1 << 20

  /// Bytes of a record that this reader accepts.
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
  /// Bytes of the records so far; 0 where they are compressed, which cannot be told.
  var consumedByteCount: Int { gzip == nil ? readByteCount - (buffer.count - position) : 0 }
  /// Whether a quote opens text that a line break does not end.
  var hasQuotes = false

  /// Opens a file, or reads standard input for `-`.
  init(path: String, recordLimit: Int = RecordReader.recordLimit) throws(CatalogueError) {
    let file = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
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

  /// The first byte that is not blank, to tell the format by; `nil` in an empty stream.
  mutating func peek() throws(CatalogueError) -> UInt8? {
    var place = position
    while true {
      while place < buffer.count {
        let byte = buffer[place]
        let isMark = place < 3 && [0xEF, 0xBB, 0xBF].contains(byte)
        if !isMark && ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { return byte }
        place += 1
      }
      guard try fill() else { return nil }
    }
  }

  /// The next record that is not blank, or `nil` at the end.
  mutating func next() throws(CatalogueError) -> Record? {
    var record: [UInt8] = []
    var isTooLong = false
    var isQuoted = false
    var start = line
    while true {
      if position == buffer.count, try !fill() {
        return Self.finished(record, isTooLong, start)
      }
      // Take all up to the line break at once, but look at every byte for quotes.
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

  /// Returns the bytes that were read and not taken yet, or `nil` at the end: for parsers that keep their
  /// own state.
  mutating func nextChunk() throws(CatalogueError) -> [UInt8]? {
    while position == buffer.count { guard try fill() else { return nil } }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  /// Bytes of a document that has to be read as a whole.
  static let documentLimit = JSONLimits.document.byteCount

  /// All that is left, where that is no more than the limit.
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

  /// What is read already, to tell the format by.
  mutating func beginning() throws(CatalogueError) -> ArraySlice<UInt8> {
    _ = try peek()
    return buffer[position...]
  }

  /// Reads more; `false` at the end.
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
        if gzip?.isWithinMember == true { throw damaged("ends within its compressed data") }
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
    if !isSound { throw damaged("is damaged: its compressed data make no sense") }
  }

  private func damaged(_ reason: String) -> CatalogueError {
    CatalogueError(code: .unreadableInput, message: "'\(name)' \(reason)")
  }

  /// Reads bytes as they are behind those of the buffer.
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
