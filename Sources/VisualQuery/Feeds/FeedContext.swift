/// The options by which feeds are read.
public struct FeedOptions: Sendable, Hashable {
  /// The currency of prices that do not name one; three letters.
  public var currency: String?
  /// The locale of numbers such as `1.299`, such as `de-DE`, or `nil` if the feed shows it.
  public var locale: String?
  /// The fields of a table by the field of the entity that they become, as the caller says, or
  /// empty if they are recognized by their names.
  public var fields: [FieldAssignment]
  /// The folders with local copies of images, by the addresses that they are copies of.
  public var imagesMap: [ImageMapping]
  /// A Boolean value that indicates whether drafts, archived products and unpublished ones are entities, too.
  public var includesDrafts: Bool
  /// The limits of the feed.
  public var limits: FeedLimits

  /// Makes options.
  public init(
    currency: String? = nil, locale: String? = nil, fields: [FieldAssignment] = [],
    imagesMap: [ImageMapping] = [], includesDrafts: Bool = false, limits: FeedLimits = FeedLimits()
  ) {
    self.currency = currency
    self.locale = locale
    self.fields = fields
    self.imagesMap = imagesMap
    self.includesDrafts = includesDrafts
    self.limits = limits
  }

  /// The text by which runs with different options are told apart.
  var text: String {
    "\(currency ?? "")\n\(locale ?? "")\n\(fields.map(\.text))\n\(imagesMap.map(\.description))\n\(includesDrafts)"
  }
}

/// A field of a table and the field of the entity that it becomes.
public struct FieldAssignment: Sendable, Hashable {
  /// The name of the column.
  public let column: String
  let target: FeedTarget

  /// The names that a column may become.
  public static let targetNames: [String] = FeedTarget.named.keys.sorted()

  /// Makes an assignment; returns `nil` if the field of the entity is unknown. `attributes.NAME` is
  /// a property of variants.
  public init?(target name: String, column: String) {
    let prefix = "attributes."
    if name.hasPrefix(prefix), name.count > prefix.count {
      target = .attribute(String(name.dropFirst(prefix.count)))
    } else if let known = FeedTarget.named[name] {
      target = known
    } else {
      return nil
    }
    self.column = column
  }

  var text: String { "\(target.name)=\(column)" }
}

/// A folder with local copies of images: `https://cdn.example/*=photos/`, in which `*` stands for
/// the path of a file beneath the folder.
public struct ImageMapping: Sendable, Hashable, CustomStringConvertible {
  private let before: String
  private let after: String
  private let folder: String

  /// Reads a mapping; returns `nil` unless it is an address with one `*`, `=` and a folder.
  public init?(_ text: String) {
    guard let sign = text.lastIndex(of: "="), sign != text.startIndex else { return nil }
    let parts = text[..<sign].split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    (before, after) = (String(parts[0]), String(parts[1]))
    var folder = String(text[text.index(after: sign)...])
    if !folder.isEmpty, !folder.hasSuffix("/") { folder += "/" }
    self.folder = folder
  }

  /// The mapping as it was written.
  public var description: String { "\(before)*\(after)=\(folder)" }

  /// Returns the path of the copy of an image, or `nil` if it has another address.
  func path(of name: String) -> String? {
    guard name.hasPrefix(before) else { return nil }
    // Servers take sizes and versions behind the path, which are not part of the file's name.
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
}
