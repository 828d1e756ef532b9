internal import PixelMatch

/// One record of a feed, with its line and its hash, which is parsed on demand.
package struct FeedRecord: Sendable {
  /// The number of its first line, from 1.
  package let line: Int
  /// The bytes that determine the contents of the record, or `nil` if it was assembled from several
  /// rows.
  private let bytes: [UInt8]?
  private let parser: @Sendable () throws(FieldError) -> DraftRecord

  /// Makes a record.
  ///
  /// - Parameter parse: Returns the record in the native form.
  init(
    line: Int, bytes: [UInt8]? = nil,
    parse: @escaping @Sendable () throws(FieldError) -> DraftRecord
  ) {
    self.line = line
    self.bytes = bytes
    parser = parse
  }

  /// Makes a record that is already parsed.
  init(line: Int, _ draft: DraftRecord) {
    self.init(line: line) { () throws(FieldError) in draft }
  }

  /// Makes a record that is already parsed.
  init(line: Int, _ json: JSONValue) { self.init(line: line, DraftRecord(json: json)) }

  /// Makes a record that cannot be read.
  init(line: Int, _ error: FieldError) {
    self.init(line: line) { () throws(FieldError) in throw error }
  }

  /// Makes a record of one that the reader could not read.
  static func unread(_ record: RecordReader.Record) -> FeedRecord {
    switch record {
    case .refused(let error, let line): FeedRecord(line: line, error)
    case .bytes(_, let line):
      FeedRecord(line: line, FieldError(field: nil, reason: "is not a record of this format"))
    }
  }

  /// Returns the hash of the record, by which an unchanged one is recognized without parsing it, or
  /// `nil` if it has none.
  ///
  /// - Parameter seed: Everything else that determines the result of the record.
  package func hash(seed: [UInt8]) -> Int? {
    bytes.map { Int(bitPattern: UInt(ContentHash.of($0 + seed))) }
  }

  /// The most bytes that are hashed with each record as they are.
  private static let sharedByteLimit = 4096

  /// Returns bytes that are hashed with each record, or the hash of long ones: a feed may have a header of a megabyte and a million
  /// short rows.
  static func shared(_ bytes: [UInt8]) -> [UInt8] {
    bytes.count <= sharedByteLimit ? bytes : Array("\(ContentHash.of(bytes))".utf8)
  }

  /// Returns the record in the native form.
  func parse() throws(FieldError) -> DraftRecord { try parser() }
}
