/// The files in a ZIP archive (APPNOTE.TXT 6.3.10), which is read as a whole.
struct ZIPArchive: Sendable {
  /// The place of a file in the archive.
  private struct Entry: Sendable {
    let isCompressed: Bool
    let compressedCount: Int
    let offset: Int
  }

  /// The most bytes of an archive, and the most files in it.
  static let byteLimit = 256 << 20
  private static let entryLimit = 10_000

  private let bytes: [UInt8]
  private let path: String
  let limits: FeedLimits
  private var entries: [String: Entry] = [:]

  /// Reads the list of files.
  ///
  /// - Throws: ``FeedError`` if the archive is damaged.
  init(_ bytes: [UInt8], path: String, limits: FeedLimits) throws(FeedError) {
    (self.bytes, self.path, self.limits) = (bytes, path, limits)
    guard
      let end = bytes.suffix(66_000).indices.last(where: {
        bytes[$0...].starts(with: [0x50, 0x4B, 5, 6])
      }),
      end + 22 <= bytes.count
    else { throw damaged }
    var position = number(end + 16, 4)
    let count = number(end + 10, 2)
    guard count <= Self.entryLimit else {
      throw error("has \(count) files; the limit is \(Self.entryLimit)")
    }
    for _ in 0..<count {
      guard position + 46 <= bytes.count, bytes[position...].starts(with: [0x50, 0x4B, 1, 2]) else {
        throw damaged
      }
      let nameCount = number(position + 28, 2)
      let method = number(position + 10, 2)
      guard position + 46 + nameCount <= bytes.count else { throw damaged }
      let name = String(
        decoding: bytes[(position + 46)..<(position + 46 + nameCount)], as: UTF8.self)
      if method == 0 || method == 8 {
        entries[name] = Entry(
          isCompressed: method == 8, compressedCount: number(position + 20, 4),
          offset: number(position + 42, 4))
      }
      position += 46 + nameCount + number(position + 30, 2) + number(position + 32, 2)
    }
  }

  /// The names of the files.
  var names: [String] { entries.keys.sorted() }

  /// Reads a file.
  ///
  /// - Parameter take: Receives its bytes, at most 64 KiB at a time.
  /// - Throws: ``FeedError`` if it is damaged or has more bytes than the limits allow.
  func read(
    _ name: String, _ take: (ArraySlice<UInt8>) throws(FeedError) -> Void
  ) throws(FeedError) {
    guard let entry = entries[name] else { throw error("has no file '\(name)'") }
    guard entry.offset + 30 <= bytes.count, bytes[entry.offset...].starts(with: [0x50, 0x4B, 3, 4])
    else { throw damaged }
    let start = entry.offset + 30 + number(entry.offset + 26, 2) + number(entry.offset + 28, 2)
    guard start + entry.compressedCount <= bytes.count else { throw damaged }
    let contents = bytes[start..<(start + entry.compressedCount)]
    guard entry.isCompressed else { return try take(contents) }
    guard var reader = GzipReader(isRaw: true) else {
      throw error("cannot be read: there is not enough memory")
    }
    var rest = contents
    var (given, taken) = (0, 0)
    while !rest.isEmpty {
      // A few bytes can expand to gigabytes, so the limits are checked after each part.
      let part = rest.prefix(4096)
      rest = rest.dropFirst(part.count)
      var output: [UInt8] = []
      guard reader.inflate(part, { output += $0 }) else { throw damaged }
      given += output.count
      taken += part.count
      try limits.check(decompressed: given, compressed: taken, of: path)
      try take(output[...])
    }
    if reader.isWithinMember { throw damaged }
  }

  /// Returns a number in the order of bytes that ZIP has.
  private func number(_ offset: Int, _ count: Int) -> Int {
    guard offset + count <= bytes.count else { return 0 }
    return bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private var damaged: FeedError {
    error("is a damaged or truncated ZIP archive or workbook (.xlsx, .ods)")
  }

  /// Checks that a part of the archive is not expanded further than the limits of feeds allow.
  func check(expanded count: Int) throws(FeedError) {
    try limits.check(decompressed: count, compressed: bytes.count, of: path)
  }

  /// Returns the error of a workbook that lacks a sheet.
  func noSheet(_ name: String?, of names: [String]) -> FeedError {
    guard let name, !names.isEmpty else { return error("is a workbook without sheets") }
    let list = names.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
    return error("has no sheet '\(name)'; its sheets are \(list)")
  }

  func error(_ reason: String) -> FeedError {
    FeedError(message: "'\(path)' \(reason)")
  }
}
