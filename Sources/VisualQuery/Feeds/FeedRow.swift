/// A row that was read from a feed.
package enum FeedRow: Sendable {
  /// An entity.
  case entity(EntityValue, line: Int)
  /// A row that cannot be used.
  case refused(RefusedRow)
  /// A field of the entity before it that was left out, because it cannot be read.
  case warning(RefusedRow)
}

/// A row of a feed, or an image or a field of one, that was rejected.
public struct RefusedRow: Sendable, Hashable, Encodable {
  /// The part of a feed that was rejected.
  package enum Kind: String, Sendable, Hashable, Encodable, CaseIterable {
    /// The whole row.
    case row
    /// One image of an entity.
    case image
    /// One image of an entity that is on a server and was not fetched.
    case unfetchedImage
    /// One field of an entity, which was indexed without it.
    case field
    /// No part: the entity was indexed, but cannot be found by an image, since none of it was
    /// indexed.
    case entity
    /// No part: the number of further reports, for which a list has no room.
    case omitted
  }

  /// The rejected part.
  package let kind: Kind
  /// The line in the file, from 1; in a document of JSON or HTML, the number of the entity.
  public let line: Int
  /// The id of the row, if it can be read.
  public let id: String?
  /// The invalid field, or `nil` if the whole row is invalid.
  public let field: String?
  /// The reason.
  public let reason: String
  /// The name of the image, which the reason begins with, or `nil` if it is about something else.
  package let subject: String?
  /// The row as it was read, so that it can be corrected and indexed again, or `nil` if it could
  /// not be parsed, and in all reports about one row but the first.
  package private(set) var row: JSONValue?
  /// The number of rejected parts that the report stands for.
  package let count: Int
  /// The name of the feed, or `nil` if the run has one feed only.
  package private(set) var feed: String?

  private enum CodingKeys: CodingKey {
    case kind, feed, line, id, field, reason, row
  }

  /// The most characters of a reason or the name of a field: both may repeat what the feed has.
  private static let textLimit = 1000

  /// Makes a report of a row. Secrets in addresses are left out of the reason and the subject.
  package init(
    kind: Kind = .row, line: Int, id: String? = nil, field: String? = nil, reason: String,
    subject: String? = nil,
    row: JSONValue? = nil, count: Int = 1
  ) {
    self.kind = kind
    self.line = line
    self.id = id
    self.field = field.map(Self.excerpt)
    let shown = subject.map(ShownAddress.of)
    if let subject, let shown, reason.hasPrefix(subject + ": ") {
      self.reason = Self.excerpt(
        shown + ShownAddress.inText(String(reason.dropFirst(subject.count))))
    } else {
      self.reason = Self.excerpt(ShownAddress.inText(reason))
    }
    self.subject = shown.map(Self.excerpt)
    self.row = row
    self.count = count
  }

  /// Makes the report that stands for all further ones if a list is full: it says how many they are.
  package static func omitted(_ count: Int, after line: Int, reason: String) -> RefusedRow {
    RefusedRow(kind: .omitted, line: line, reason: reason, count: count)
  }

  /// The same report without the row.
  package var withoutRow: RefusedRow {
    var report = self
    report.row = nil
    return report
  }

  /// The same report of a feed of several.
  package func of(feed name: String) -> RefusedRow {
    var report = self
    report.feed = name
    return report
  }

  private static func excerpt(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(textLimit)
    return start.endIndex == text.endIndex ? text : String(start) + "…"
  }
}
