/// The header of a WooCommerce export, which the exporter writes in the language of the shop's administration.
///
/// The kinds of products are never translated, so that the column with them tells the format in any language. Of the others,
/// names that are known in some language count, then the values, then the place in the order of the exporter.
struct WooCommerceHeader {
  private let header: TableHeader
  private let rows: [[String]]
  private var names: [String]
  private let kindColumn: Int

  /// The kinds of products.
  private static let kinds: Set<String> = [
    "simple", "variable", "variation", "grouped", "external", "subscription",
    "variable-subscription", "subscription_variation", "bundle", "composite",
  ]

  /// Returns the header with the English names, or `nil` if the table is something else.
  static func english(
    _ header: TableHeader, of records: inout RecordReader
  ) throws(FeedError) -> TableHeader? {
    if isEnglish(header) { return header }
    guard header.columns.count > 5 else { return nil }
    let rows = try header.sample(of: &records)
    guard var translated = WooCommerceHeader(header, rows) else { return nil }
    translated.assign()
    let result = header.named(translated.names)
    return isEnglish(result) ? result : nil
  }

  private static func isEnglish(_ header: TableHeader) -> Bool {
    header.has("type", "name", "images") && (header.has("regularprice") || header.has("published"))
      && (header.has("sku") || header.has("id"))
  }

  private init?(_ header: TableHeader, _ rows: [[String]]) {
    let kindColumn = header.columns.indices.prefix(6).first { column in
      !rows.isEmpty
        && rows.allSatisfy { row in
          let words = row[column].lowercased().split(separator: ",").map(\.trimmed)
          return words.first.map(Self.kinds.contains) ?? false
        }
    }
    guard let kindColumn else { return nil }
    self.header = header
    self.rows = rows
    self.kindColumn = kindColumn
    names = header.normalized
  }

  private func values(_ column: Int) -> [String] {
    rows.map { $0[column].trimmed }.filter { !$0.isEmpty }
  }

  private mutating func assign() {
    var taken: Set<String> = []
    var isOpen = header.columns.map { _ in true }
    func take(_ name: String, _ column: Int, _ names: inout [String]) {
      guard isOpen[column], taken.insert(name).inserted else { return }
      names[column] = name
      isOpen[column] = false
    }
    take("type", kindColumn, &names)
    if kindColumn > 0 { take("id", kindColumn - 1, &names) }
    for (column, name) in attributeNames() { take(name, column, &names) }
    if let column = parentColumn() { take("parent", column, &names) }
    for (column, isEnd) in dateColumns().prefix(2).enumerated().map({ ($1, $0 == 1) }) {
      take(isEnd ? "datesalepriceends" : "datesalepricestarts", column, &names)
    }
    let descriptions = header.columns.indices.filter { isOpen[$0] && target($0) == .description }
    if descriptions.count > 1 { take("shortdescription", descriptions[0], &names) }
    for column in header.columns.indices where isOpen[column] {
      if let english = Self.english[FieldName(target(column))]?.first(where: { !taken.contains($0) }
      ) {
        take(english, column, &names)
      }
    }
    // In WooCommerce files, the column of the reduced price comes before that of the regular
    // price.
    func isAmount(_ column: Int) -> Bool {
      isOpen.indices.contains(column) && isOpen[column]
        && values(column).allSatisfy { (try? PriceText($0)) != nil }
    }
    if let sale = names.firstIndex(of: "saleprice"), !taken.contains("regularprice"),
      isAmount(sale + 1)
    {
      take("regularprice", sale + 1, &names)
    } else if let regular = names.firstIndex(of: "regularprice"), !taken.contains("saleprice"),
      isAmount(regular - 1)
    {
      take("saleprice", regular - 1, &names)
    }
    if !taken.contains("sku"), kindColumn + 1 < names.count { take("sku", kindColumn + 1, &names) }
    if !taken.contains("published"), let name = names.firstIndex(of: "name") {
      let flags = header.columns.indices.dropFirst(name + 1).first
      if let flags, values(flags).allSatisfy({ ["0", "1", "-1"].contains($0) }) {
        take("published", flags, &names)
      }
    }
    if !taken.contains("images") {
      let column = header.columns.indices.first { column in
        isOpen[column] && !values(column).isEmpty
          && values(column).allSatisfy {
            $0.hasPrefix("http") && $0.lowercased().contains(".") && isImage($0)
          }
      }
      if let column { take("images", column, &names) }
    }
  }

  private func isImage(_ text: String) -> Bool {
    ImageList.names(in: text).allSatisfy { name in
      [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"].contains {
        name.lowercased().contains($0)
      }
    }
  }

  /// The meaning of a column that the vocabulary has in some language.
  private func target(_ column: Int) -> FeedTarget? {
    // A column with product codes (GTIN) must not be taken for the SKU.
    if ProductCode.isField(header.columns[column]) || header.normalized[column].hasPrefix("gtin") {
      return nil
    }
    return ColumnVocabulary.targets(of: [header.columns[column]])[0]
  }

  private struct FieldName: Hashable {
    let target: FeedTarget?
    init(_ target: FeedTarget?) { self.target = target }
  }

  /// The English names by the meanings; of several, the first one comes first in an export.
  private static let english: [FieldName: [String]] = [
    FieldName(.id): ["sku"], FieldName(.title): ["name"], FieldName(.visibility): ["published"],
    FieldName(.description): ["description"], FieldName(.availability): ["instock"],
    FieldName(.quantity): ["stock"], FieldName(.salePrice): ["saleprice"],
    FieldName(.price): ["regularprice"], FieldName(.labels): ["categories", "tags"],
    FieldName(.images): ["images"], FieldName(.image): ["images"], FieldName(.brand): ["brands"],
    FieldName(.url): ["externalurl"], FieldName(.group): ["parent"],
    FieldName(.featured): ["isfeatured"],
  ]

  /// Returns the columns of attributes: of those with one number, the first has the name and the second the values.
  private func attributeNames() -> [(column: Int, name: String)] {
    var byNumber: [Int: [Int]] = [:]
    for (column, name) in header.columns.enumerated() where column > kindColumn {
      let digits = name.filter(\.isNumber)
      guard !digits.isEmpty, let number = Int(digits), (1...200).contains(number) else { continue }
      byNumber[number, default: []].append(column)
    }
    // Accepts only the numbers 1, 2, 3 and so on without gaps, and only if the columns of each
    // number are side by side.
    var names: [(Int, String)] = []
    var number = 1
    while let columns = byNumber[number], columns.count > 1, columns[1] == columns[0] + 1 {
      names.append((columns[0], "attribute\(number)name"))
      names.append((columns[1], "attribute\(number)values"))
      for (index, column) in columns.dropFirst(2).enumerated() {
        names.append(
          (
            column,
            "attribute\(number)\(index == 0 ? "visible" : index == 1 ? "global" : "default\(index)")"
          ))
      }
      number += 1
    }
    return names
  }

  /// Returns the column in which variations, and only they, name their product.
  private func parentColumn() -> Int? {
    let variations = rows.filter { $0[kindColumn].lowercased().contains("variation") }
    if variations.isEmpty { return nil }
    let others = rows.filter { !$0[kindColumn].lowercased().contains("variation") }
    let keys = Set(
      others.flatMap { row in row.prefix(kindColumn + 4).map(\.trimmed) }.filter { !$0.isEmpty })
    return header.columns.indices.dropFirst(kindColumn + 1).first { column in
      others.allSatisfy { $0[column].trimmed.isEmpty }
        && variations.contains { !$0[column].trimmed.isEmpty }
        && variations.allSatisfy { row in
          let text = row[column].trimmed
          return text.isEmpty || text.hasPrefix("id:") || keys.contains(text)
        }
    }
  }

  /// Returns the columns with days.
  private func dateColumns() -> [Int] {
    header.columns.indices.dropFirst(kindColumn + 1).filter { column in
      let values = values(column)
      return !values.isEmpty
        && values.allSatisfy { text in
          let parts = text.prefix(10).split(separator: "-")
          return parts.count == 3 && parts.allSatisfy { $0.allSatisfy(\.isNumber) }
            && parts[0].count == 4
        }
    }
  }
}
