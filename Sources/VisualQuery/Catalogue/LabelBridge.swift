/// What outside words mean in a shop's own labels.
///
/// A CSV file that a shop edits, with the columns `label`, `labels` and, if wanted, `synonyms`; lists
/// are divided by `|`:
///
/// ```text
/// label,labels,synonyms
/// footwear,sneaker|boot,shoes|kicks
/// ```
///
/// A query's `footwear`, `shoes` or `kicks` is then taken for `sneaker` and `boot`, too.
public struct LabelBridge: Sendable, Hashable {
  /// The shop's labels by the outside word, all normalised.
  let targets: [String: Set<String>]

  init(targets: [String: Set<String>]) { self.targets = targets }

  /// Reads a file.
  ///
  /// - Throws: ``CatalogueError`` with the code `unreadableInput`, which names the line.
  public init(path: String) throws(CatalogueError) {
    var records = try RecordReader(path: path)
    records.hasQuotes = true
    var columns: [String]?
    var targets: [String: Set<String>] = [:]
    while let record = try records.next() {
      guard case .bytes(let bytes, let line) = record else {
        throw Self.error(path, 0, "a line is too long")
      }
      let fields: [String]
      do throws(FieldError) {
        fields = try CSVRows.fields(bytes)
      } catch {
        throw Self.error(path, line, error.reason)
      }
      guard let known = columns else {
        guard fields.contains("label"), fields.contains("labels") else {
          throw Self.error(path, line, "the header must name the columns label and labels")
        }
        columns = fields
        continue
      }
      guard fields.count == known.count else {
        throw Self.error(
          path, line, "has \(fields.count) fields; the header names \(known.count)")
      }
      func list(_ column: String) -> [String] {
        guard let place = known.firstIndex(of: column) else { return [] }
        return fields[place].split(separator: "|").map { LabelText.normalized(String($0)) }
          .filter { !$0.isEmpty }
      }
      let own = list("labels")
      for outside in list("label") + list("synonyms") {
        targets[outside, default: []].formUnion(own)
      }
    }
    self.targets = targets
  }

  private static func error(_ path: String, _ line: Int, _ reason: String) -> CatalogueError {
    CatalogueError(code: .unreadableInput, message: "'\(path)', line \(line): \(reason)")
  }
}

/// What a shop decides about its catalogue besides the entities in it; `nil` leaves it as it is.
public struct ShopSettings: Sendable, Hashable {
  /// Where entities open.
  public var links: LinkSettings?
  /// What outside words mean.
  public var bridge: LabelBridge?

  /// Makes settings.
  public init(links: LinkSettings? = nil, bridge: LabelBridge? = nil) {
    self.links = links
    self.bridge = bridge
  }

  private static let schemes = "allowedSchemes"

  private static func templateName(_ type: EntityType) -> String { "link." + type.rawValue }

  /// The settings as the catalogue keeps them; `nil` for what is not set.
  var values: [(name: String, value: String?)] {
    guard let links else { return [] }
    let templates = EntityType.allCases.map {
      (name: Self.templateName($0), value: links.templates[$0]?.text)
    }
    let schemes = links.allowedSchemes.sorted().joined(separator: ",")
    return templates + [(name: Self.schemes, value: schemes.isEmpty ? nil : schemes)]
  }

  /// The links that the catalogue keeps.
  ///
  /// - Throws: ``LinkError`` where one is none that may be used.
  static func links(_ values: [String: String]) throws(LinkError) -> LinkSettings {
    let schemes = Set((values[schemes] ?? "").split(separator: ",").map(String.init))
    var links = LinkSettings(allowedSchemes: schemes)
    for type in EntityType.allCases {
      guard let text = values[templateName(type)] else { continue }
      links.templates[type] = try LinkTemplate(text, allowedSchemes: schemes)
    }
    return links
  }
}
