/// A table of a known format in which some rows are variants of others.
///
/// Rows that refer to each other may be anywhere in the file, so that all are held back until its end; rows that follow their
/// product are held back until the next one.
struct FamilyTableFeed: FeedFormatReader {
  let mapping: FeedMapping
  private(set) var leftOut: [String: Int] = [:]
  private let format: KnownFormat
  private let products: TableRows
  private let variants: TableRows
  private let header: TableHeader
  private let context: FeedContext
  /// The columns of options, in the form that ``KnownFormat/options`` says: with their names, or with those of their values.
  private var namedOptions: [(column: Int, name: String)] = []
  private var pairedOptions: [(name: Int, value: Int)] = []
  private var families: [ProductFamily] = []
  private var places: [String: Int] = [:]
  /// The texts that rows of hidden products have in common.
  private var hiddenKeys: Set<String> = []
  /// The variants, by the product that they name.
  private var waiting: [(parent: String, variant: ProductVariant, draft: ProductDraft)] = []
  private var queue = RecordQueue()
  private var isAtEnd = false
  /// True if there are columns for the images of variants.
  private var hasVariantImages = false
  /// The names of the columns that only variants have.
  private var variantColumns: [String] = []

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .table(let own) = head, context.map == nil else { return nil }
    guard let format = KnownFormat.ofTable(own), format.family != nil else { return nil }
    header = own
    self.format = format
    self.context = context
    products = TableRows(header: own, map: format.map, context: context)
    variants = TableRows(header: own, map: format.variantMap, context: context)
    let rows = products
    mapping = FeedMapping(
      format: .table, name: format.name, own.columns, products.targets, format.map
    ) { rows.column(of: $0) != nil }
    hasVariantImages = format.variantImageFields.contains { rows.column(of: $0) != nil }
    switch format.options {
    case .pattern(let pattern)?:
      namedOptions = own.columns.enumerated().compactMap { column, name in
        FieldMap.rest(of: name.trimmed, fitting: pattern).map { (column, $0.trimmed) }
      }
    case .columns(let pairs)?:
      for (name, value) in pairs {
        let values = columns(called: value)
        var next = 0
        for column in columns(called: name) {
          while next < values.count, values[next] <= column { next += 1 }
          if next < values.count { pairedOptions.append((column, values[next])) }
        }
      }
    case .list?, .pairs?, nil: break
    }
    let names = format.variantMap.fields.filter { !format.map.fields.contains($0) }
    variantColumns = (names.compactMap(rows.column) + optionColumns).map { rows.names[$0] }
  }

  /// The columns of options.
  private var optionColumns: [Int] {
    switch format.options {
    case .pattern(let pattern)?:
      header.columns.indices.filter {
        FieldMap.rest(of: header.columns[$0].trimmed, fitting: pattern) != nil
      }
    case .list(let column)?: [products.column(of: column)].compactMap(\.self)
    case .pairs(let names, let values)?:
      [names, values].compactMap { products.column(of: $0) }
    case .columns(let pairs)?:
      pairs.flatMap { columns(called: $0.name) + columns(called: $0.value) }
    case nil: []
    }
  }

  mutating func next(from records: inout RecordReader) throws(FeedError) -> FeedRecord? {
    while true {
      if let record = queue.next() { return record }
      if isAtEnd { return nil }
      guard let record = try records.next() else {
        finish()
        continue
      }
      guard case .bytes(let bytes, let line) = record else { return .unread(record) }
      do throws(FieldError) {
        read(try header.fields(bytes), line)
      } catch {
        return FeedRecord(line: line, error)
      }
    }
  }

  private mutating func read(_ fields: [String], _ line: Int) {
    if let kind = format.kindColumn.map({ text($0, fields) }) {
      guard [format.productKind, format.variantKind].contains(kind) else {
        leftOut["rows of the kind '\(kind.prefix(20))'", default: 0] += 1
        return
      }
    }
    if case .same(let column) = format.family {
      return read(fields, line, of: text(column, fields))
    }
    let parent = parent(of: fields)
    if case .following = format.family {
      if parent == nil { finishFamilies() }
    }
    if let parent {
      let draft = variants.draft(of: fields)
      if draft.isHidden, !context.options.includesDrafts {
        leftOut["drafts and unpublished variants (--include-drafts)", default: 0] += 1
        return
      }
      waiting.append((parent, variant(draft, fields, line), draft))
      if case .following = format.family { joinVariants() }
      return
    }
    if case .pairs(let names, _)? = format.options { optionNames = text(names, fields) }
    let draft = products.draft(of: fields)
    var family = ProductFamily(
      base: draft, line: line, allowance: FeedAllowance(context.options.limits))
    family.addImages(draft.imageNames)
    if case .parent(_, let key) = format.family, !text(key, fields).isEmpty {
      places[text(key, fields)] = families.count
    }
    if case .parent(let column, _) = format.family, format.kindColumn == nil,
      !text(column, fields).isEmpty
    {
      // A row that names itself as its parent is both the product and its first variant. Its
      // images belong to the product.
      var own = variant(draft, fields, line)
      own.images = []
      family.add(own)
    }
    if case .following = format.family {
      places = ["": families.count]
      // The row of a product may also contain its first variant.
      let own = variants.draft(of: fields)
      if !own.id.isEmpty { family.add(variant(own, fields, line)) }
    }
    families.append(family)
  }

  /// Reads a row that is a variant of the product that has a text in common with it.
  private mutating func read(_ fields: [String], _ line: Int, of key: String) {
    let own = variants.draft(of: fields)
    // The rows behind that of a product say only what differs, so that they are hidden with it.
    let isOfHidden = own.title.isEmpty && hiddenKeys.contains(key)
    if own.isHidden || isOfHidden, !context.options.includesDrafts {
      if !key.isEmpty, !own.title.isEmpty { hiddenKeys.insert(key) }
      leftOut["drafts and unpublished products (--include-drafts)", default: 0] += 1
      return
    }
    let known = key.isEmpty ? nil : places[key]
    let place = known ?? families.count
    var product = products.draft(of: fields)
    // Without columns for those of variants, the images of a row are those of its variant.
    let images = product.imageNames
    if known == nil {
      product.leaveOutVariant()
      for name in variantColumns { product.leaveOut(name) }
      families.append(
        ProductFamily(
          base: product, line: line, allowance: FeedAllowance(context.options.limits)))
      if !key.isEmpty { places[key] = place }
    }
    var variant = variant(own, fields, line)
    variant.title = own.title
    if hasVariantImages {
      families[place].addImages(images)
    } else {
      variant.images = images
    }
    families[place].add(variant)
  }

  /// Returns the product that a row is a variant of, or `nil` for the row of a product.
  private func parent(of fields: [String]) -> String? {
    switch format.family {
    case .parent(let column, let key):
      if let kind = format.kindColumn {
        return text(kind, fields) == format.variantKind ? text(column, fields) : nil
      }
      let parent = text(column, fields)
      return parent.isEmpty || parent == text(key, fields) ? nil : parent
    case .following(let column): return text(column, fields).isEmpty && !families.isEmpty ? "" : nil
    case .same, nil: return nil
    }
  }

  private func text(_ column: String, _ fields: [String]) -> String {
    products.column(of: column).map { fields[$0].trimmed } ?? ""
  }

  private func variant(_ draft: ProductDraft, _ fields: [String], _ line: Int) -> ProductVariant {
    var variant = ProductVariant(draft, line: line)
    variant.sku = draft.id
    for option in options(fields) {
      variant.options.removeAll { $0.name == option.name }
      variant.options.append(option)
    }
    return variant
  }

  private func options(_ fields: [String]) -> [(name: String, value: String)] {
    var pairs: [(String, String)] = []
    switch format.options {
    case .pattern?: pairs = namedOptions.map { ($0.name, fields[$0.column]) }
    case .list(let column)?:
      for part in Self.parts(of: text(column, fields)) {
        let pair = part.split(whereSeparator: { ":=".contains($0) }).map(\.trimmed)
        if pair.count == 2 { pairs.append((pair[0], pair[1])) }
      }
    case .columns?:
      for place in pairedOptions where !fields[place.name].trimmed.isEmpty {
        pairs.append((fields[place.name], fields[place.value].trimmed))
      }
    case .pairs(let names, let values)?:
      let own = text(names, fields).isEmpty ? optionNames : text(names, fields)
      pairs = Array(
        zip(
          own.split(separator: "|").map(\.trimmed),
          text(values, fields).split(separator: "|").map(\.trimmed)))
    case nil: break
    }
    return pairs.filter { !$0.1.isEmpty }.map { (VariantOption.name($0.0), $0.1) }
  }

  /// Returns the columns whose names end with a word, whatever their numbers are.
  private func columns(called word: String) -> [Int] {
    header.normalized.indices.filter {
      header.normalized[$0].filter { !$0.isNumber }.hasSuffix(word)
    }
  }

  /// Returns the parts of a list of options such as `Color:Red|Size:M`, whose separator may also be a comma.
  private static func parts(of text: String) -> [String] {
    let parts = text.split { "|;".contains($0) }.map(String.init)
    guard parts.count == 1 else { return parts }
    let others = text.split(separator: ",").map(String.init)
    return others.allSatisfy { $0.contains(":") || $0.contains("=") } ? others : parts
  }

  /// The names of the options of the product before, in rows that follow it.
  private var optionNames = ""

  private mutating func joinVariants() {
    for (parent, variant, draft) in waiting {
      if let place = places[parent] {
        families[place].add(variant)
        continue
      }
      // This variant belongs to a product that is not in the file.
      var draft = draft
      draft.group = draft.group ?? parent
      for option in variant.options { draft.setAttribute(option.name, option.value) }
      queue.add([(variant.line, draft.finished(context))])
    }
    waiting = []
  }

  private mutating func finishFamilies() {
    for family in families { queue.add(family, context) }
    (families, places) = ([], [:])
  }

  private mutating func finish() {
    isAtEnd = true
    joinVariants()
    finishFamilies()
  }
}
