/// The options by which feeds are read.
public struct FeedOptions: Sendable, Hashable {
  /// The currency of prices that do not name one; three letters.
  package var currency: String?
  /// The locale of numbers such as `1.299`, such as `de-DE`, or `nil` if the feed shows it.
  package var locale: String?
  /// The sources of the fields of entities, as the caller says, or empty if they are recognized by their names.
  package var fields: [FieldAssignment]
  /// A Boolean value that indicates whether a mapping that the index keeps for the feed is forgotten.
  package var forgetsMapping = false
  /// The folders with local copies of images, by the addresses that they are copies of.
  package var imagesMap: [ImageMapping] = []
  /// A Boolean value that indicates whether drafts, archived products and unpublished ones are entities, too.
  package var includesDrafts: Bool
  /// The limits of the feed.
  package var limits = FeedLimits()
  /// The name or the number, from 1, of the sheet of a workbook; `nil` for the first one that is visible.
  package var sheet: String?
  /// The name of the encoding of the text, such as `windows-1251`, or `nil` if it is recognized.
  package var encoding: String?

  /// Makes options.
  public init(
    currency: String? = nil, locale: String? = nil, fields: [FieldAssignment] = [],
    includesDrafts: Bool = false, encoding: String? = nil, sheet: String? = nil
  ) {
    self.encoding = encoding
    self.sheet = sheet
    self.currency = currency
    self.locale = locale
    self.fields = fields
    self.includesDrafts = includesDrafts
  }

  /// The text by which runs with different options are told apart.
  var text: String {
    "\(currency ?? "")\n\(locale ?? "")\n\(fields.map(\.text))\n\(imagesMap.map(\.description))\n\(includesDrafts)\n\(encoding ?? "")\n\(sheet ?? "")\(limits.text)"
  }
}

/// A folder with local copies of images: `https://cdn.example/*=photos/`, in which `*` stands for
/// the path of a file beneath the folder.
package struct ImageMapping: Sendable, Hashable, CustomStringConvertible {
  private let before: String
  private let after: String
  private let folder: String

  /// Reads a mapping; returns `nil` unless it is an address with one `*`, `=` and a folder.
  package init?(_ text: String) {
    guard let sign = text.lastIndex(of: "="), sign != text.startIndex else { return nil }
    let parts = text[..<sign].split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    (before, after) = (String(parts[0]), String(parts[1]))
    var folder = String(text[text.index(after: sign)...])
    if !folder.isEmpty, !folder.hasSuffix("/") { folder += "/" }
    self.folder = folder
  }

  /// The mapping as it was written.
  package var description: String { "\(before)*\(after)=\(folder)" }

  /// Returns the path of the copy of an image, or `nil` if it has another address.
  func path(of name: String) -> String? {
    guard name.hasPrefix(before) else { return nil }
    // A query after the path, such as a size or a version, is not part of the file name.
    var path = name.dropFirst(before.count).prefix { !"?#".contains($0) }
    guard path.hasSuffix(after) else { return nil }
    path = path.dropLast(after.count)
    return path.isEmpty ? nil : folder + Self.decoded(String(path)) + after
  }

  /// Returns a path without percent encoding.
  private static func decoded(_ path: String) -> String {
    guard path.contains("%") else { return path }
    var bytes: [UInt8] = []
    var rest = Array(path.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(digits, radix: 16),
        value >= 0x20
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self) ?? path
  }
}

/// Everything that formats need to turn their records into entities.
struct FeedContext: Sendable {
  let prices: FeedPrices
  let options: FeedOptions
  /// True if rows complete entities that are already indexed and so have titles.
  var completesIndexed = false
  /// The mapping of the caller, or `nil` if fields are recognized by their names.
  let map: FieldMap?

  init(prices: FeedPrices, options: FeedOptions, completesIndexed: Bool = false) {
    self.prices = prices
    self.options = options
    self.completesIndexed = completesIndexed
    map = options.fields.isEmpty ? nil : FieldMap(options.fields)
  }
}
