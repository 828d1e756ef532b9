/// A row that was read from a feed.
public enum FeedRow: Sendable {
  /// An entity.
  case entity(EntityValue, line: Int)
  /// A row that cannot be used.
  case refused(RefusedRow)
}

/// A row of a feed, or an image of one, that was rejected.
public struct RefusedRow: Sendable, Hashable, Encodable {
  /// The line in the file, from 1.
  public let line: Int
  /// The id of the row, if it can be read.
  public let id: String?
  /// The invalid field, or `nil` if the whole row is invalid.
  public let field: String?
  /// The reason.
  public let reason: String
  /// The row as it was read, so that it can be corrected and indexed again, or `nil` if it could
  /// not be parsed.
  public let row: JSONValue?

  /// Makes a report of a row.
  init(
    line: Int, id: String? = nil, field: String? = nil, reason: String, row: JSONValue? = nil
  ) {
    self.line = line
    self.id = id
    self.field = field
    self.reason = reason
    self.row = row
  }
}
