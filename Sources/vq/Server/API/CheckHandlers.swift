import HTTPServer
import VisualQuery

/// The things that a shop could correct: the findings of the doctor, labels that nothing has, and rejected rows.
struct CheckHandlers: Handlers {
  let shop: ShopContext

  /// The most findings in an answer.
  static let findingLimit = 1000
  /// The most labels in an answer.
  static let labelLimit = 200
  /// The most labels of the shop that a word gets at once.
  static let targetLimit = 16

  func findings(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let catalogue = try self.catalogue.newest()
    let (generation, findings) = try await shop.checkups.findings(of: catalogue)
    return untagged(
      FindingsDocument(
        generation: generation, total: findings.count,
        findings: findings.prefix(Self.findingLimit).map {
          FindingsDocument.Finding(
            kind: $0.kind, id: $0.id, detail: shop.withoutRoot($0.detail),
            cure: shop.withoutRoot($0.cure),
            twin: $0.twin, image: $0.image)
        }))
  }

  func unknownLabels(_ request: HTTPRequest) throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    let catalogue = try self.catalogue.newest()
    shop.countUnmatchedLabels()
    let counts = try UnmatchedLabels.counts(in: self.catalogue.directory)
    let unknown = try catalogue.unmatched(among: counts.map(\.label))
    return untagged(
      UnknownLabelsDocument(
        generation: catalogue.generation,
        labels: Array(counts.filter { unknown.contains($0.label) }.prefix(Self.labelLimit))))
  }

  func addToBridge(_ request: HTTPRequest) async throws -> HTTPResponse {
    try RequestFields(request.info.head.query).finish()
    var fields = try RequestFields(json: request.body)
    let length = SemanticContent.labelLength
    let label = try fields.text("label", limit: length) ?? ""
    let labels = try fields.words("labels", limit: Self.targetLimit, length: length) ?? []
    try fields.finish()
    func isWord(_ text: String) -> Bool {
      text.contains(where: \.isLetter) || text.contains(where: \.isNumber)
    }
    guard isWord(label) else { throw fields.problem("label", "a word that people use") }
    guard !labels.isEmpty, labels.allSatisfy(isWord) else {
      throw fields.problem("labels", "a list of labels of the shop")
    }
    let unknown = try catalogue.newest().unmatched(among: labels)
    if let label = labels.first(where: unknown.contains) ?? unknown.sorted().first {
      throw Problem(
        .invalidField, "'\(label.excerpt)' is not a label of this shop", field: "labels")
    }
    do {
      let generation = try await Indexer(directory: catalogue.directory)
        .addToBridge(label, labels: labels)
      return untagged(BridgeDocument(generation: generation, label: label, labels: labels))
    } catch let error as CatalogueError {
      throw shop.problem(ofChange: error, request)
    }
  }

  func rejectedRows(_ request: HTTPRequest) throws -> HTTPResponse {
    var fields = RequestFields(request.info.head.query)
    let limit = try fields.integer("limit", in: 1...EntityLookup.maximumLimit) ?? 200
    // An empty cursor begins a list, as for entities.
    let cursor = try fields.text("cursor", limit: 200).flatMap { $0.isEmpty ? nil : $0 }
    try fields.finish()
    let path = RefusedRowsFile.path(inIndex: catalogue.directory)
    let page: RefusedRowsPage
    do {
      page = try RefusedRowsPage(of: path, after: cursor, limit: limit)
    } catch RefusedRowsPage.Failure.invalidCursor {
      throw Problem(
        .invalidParameter, "'cursor' is not one of an earlier answer", field: "cursor")
    } catch RefusedRowsPage.Failure.isReplaced {
      throw Problem(
        .expiredToken, "another run has replaced the list; begin again without 'cursor'",
        field: "cursor")
    }
    let rows = page.lines.compactMap { line in
      RejectedRowsDocument.Row(line: line) { ShownAddress.inText(shop.withoutRoot($0)) }
    }
    return untagged(
      RejectedRowsDocument(rows: rows, hasMore: page.next != nil, cursor: page.next))
  }
}
