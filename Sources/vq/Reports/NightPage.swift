import VisualQuery

/// The report of `vq index`: what a run changed, what it rejected, and what is newly wrong.
struct NightPage {
  /// The most entities of a list that are drawn.
  static let cardLimit = 12
  /// The most rows of a table.
  static let rowLimit = 2000

  /// An image that cannot be used.
  struct FailingImage: Sendable, Hashable {
    let entity: String
    let image: String
    let reason: String
    /// The day since which it cannot be used, or the day of the run.
    var since = ""

    /// A text that identifies the image among all that are listed.
    var key: String { entity + " " + image }
  }

  /// The outcome of the run, in a sentence.
  let outcome: String
  let progress: Indexer.Progress
  /// The reasons of rejections, with the number of each.
  let rejections: [String]
  let failing: [FailingImage]
  /// The number of further images that cannot be used.
  let failingOmitted: Int
  /// The number of all findings of the doctor.
  let findingCount: Int
  let newFindings: [CatalogueDoctor.Finding]
  /// True if an earlier report tells what is new.
  let hasEarlier: Bool
  /// The entities of the new generation.
  let source: ReportSource
  /// The entities before the run, or `nil` if nothing was removed.
  let previous: ReportSource?

  /// Makes the page.
  func page() async throws -> ReportPage {
    var pictures = ReportPictures()
    let changes = progress.changes
    var body = [
      HTML("p", [HTML("strong", [HTML(text: outcome)])]),
      ReportParts.figures([
        (name: "entities in the feed", value: "\(progress.entities)"),
        (name: "added", value: "\(progress.added)"),
        (name: "changed", value: "\(progress.changed)"),
        (name: "removed", value: "\(progress.removed)"),
        (name: "rejected rows", value: "\(progress.refusedRows)"),
        (name: "rejected images", value: "\(progress.refusedImages)"),
        (name: "old images kept", value: "\(progress.keptImages)"),
        (name: "images still to come", value: "\(progress.backlog.images)"),
        (name: "rejected fields", value: "\(progress.warnings)"),
        (name: hasEarlier ? "new findings" : "findings", value: "\(newFindings.count)"),
      ]),
    ]
    body += coverage
    body.append(
      try await section("Removed", changes.removed, of: progress.removed, previous, &pictures))
    body.append(try await section("Added", changes.added, of: progress.added, source, &pictures))
    body.append(
      try await section("Changed", changes.changed, of: progress.changed, source, &pictures))
    body.append(rejected)
    body.append(images)
    body.append(doctor)
    return ReportPage(
      title: "vq index", notes: ["Index generation \(source.catalogue.generation)."],
      pictures: pictures, body: body)
  }

  /// What the index can answer, for each type of entity.
  private var coverage: [HTML] {
    CoverageDocument(progress.coverage).types.map { type in
      let rows = type.fields.map { field in
        HTML(
          "tr",
          [HTML("th", ["scope": "row"], [HTML(text: field.field.rawValue)])]
            + [field.before, field.after, field.kept].map {
              ReportParts.number(DisplayText.grouped($0))
            })
      }
      return ReportParts.section(
        type.type == .product ? "What products have" : "What stores have",
        [
          HTML(
            "table",
            [
              ReportParts.head([
                .init(name: "Field"), .init(name: "Before", isNumber: true),
                .init(name: "Now", isNumber: true), .init(name: "Old values", isNumber: true),
              ]), HTML("tbody", rows),
            ])
        ])
    }
  }

  /// The page of a run that failed.
  static func page(ofFailure message: String) -> ReportPage {
    ReportPage(
      title: "vq index", pictures: ReportPictures(),
      body: [
        HTML("p", [HTML("strong", ["The run failed: \(message)"])]),
        HTML("p", ["What was published before it failed stays; nothing else was changed."]),
      ])
  }

  private func section(
    _ title: String, _ ids: [EntityID], of count: Int, _ source: ReportSource?,
    _ pictures: inout ReportPictures
  ) async throws -> HTML {
    if count == 0 { return ReportParts.section(title, [HTML("p", ["None."])]) }
    var cards: [HTML] = []
    let shown = Array(ids.prefix(Self.cardLimit))
    let values = try await source?.entities(shown) ?? [:]
    for id in shown { cards.append(try await card(id, values[id], source, &pictures)) }
    var parts = [HTML("ol", ["class": "cards small"], cards)]
    let others = ids.dropFirst(Self.cardLimit).prefix(Self.rowLimit)
    if !others.isEmpty {
      parts.append(
        HTML(
          "details",
          [
            HTML("summary", ["\(others.count) more"]),
            HTML("ul", others.map { HTML("li", [.name($0.description)]) }),
          ]))
    }
    let omitted = count - shown.count - others.count
    if omitted > 0 {
      parts.append(HTML("p", ["class": "soft"], ["\(omitted) further ones are not listed."]))
    }
    return ReportParts.section("\(title): \(count)", parts)
  }

  private func card(
    _ id: EntityID, _ value: EntityValue?, _ source: ReportSource?,
    _ pictures: inout ReportPictures
  ) async throws -> HTML {
    let name = value?.displayRepresentation.title ?? id.description
    var parts = [HTML("h3", [.name(name)]), HTML("p", ["class": "soft"], [.name(id.description)])]
    if let value, let source, !value.imagePaths.isEmpty,
      let jpeg = try await source.picture(of: id, at: 0),
      let picture = pictures.add(jpeg, name: name)
    {
      parts.append(HTML("div", ["class": "row"], [ReportDrawing.thumbnail(picture)]))
    }
    return HTML("li", ["class": "card"], parts)
  }

  private var rejected: HTML {
    ReportParts.section(
      "Rejected, by reason",
      rejections.isEmpty
        ? [HTML("p", ["Nothing."])]
        : [
          HTML("ul", rejections.map { HTML("li", [HTML(text: $0)]) }),
          HTML("p", ["class": "soft"], ["rejected.jsonl in the index has the rows."]),
        ])
  }

  private var images: HTML {
    if failing.isEmpty {
      return ReportParts.section("Images that cannot be used", [HTML("p", ["None."])])
    }
    let rows = failing.prefix(Self.rowLimit).map {
      (kind: $0.since, cells: [$0.since, $0.entity, $0.image, $0.reason])
    }
    var parts = [
      HTML(
        "p",
        [
          "Since when: the first report that names the image, without a report between in which it was good."
        ]
      ),
      ReportParts.sortable(
        [.init(name: "Since"), .init(name: "Entity"), .init(name: "Image"), .init(name: "Reason")],
        rows: rows, kinds: Set(rows.map(\.kind)).sorted(), caption: "Images that cannot be used"),
    ]
    let omitted = failing.count - rows.count + failingOmitted
    if omitted > 0 {
      parts.append(HTML("p", ["class": "soft"], ["\(omitted) further ones are not listed."]))
    }
    return ReportParts.section("Images that cannot be used", parts)
  }

  private var doctor: HTML {
    let title = hasEarlier ? "New findings of the doctor" : "Findings of the doctor"
    var parts: [HTML] = []
    if newFindings.isEmpty {
      parts.append(HTML("p", [hasEarlier ? "Nothing new." : "None."]))
    } else {
      let rows = newFindings.prefix(Self.rowLimit).map {
        (kind: $0.kind.rawValue, cells: [$0.id, $0.kind.rawValue, $0.detail, $0.cure])
      }
      parts.append(
        ReportParts.sortable(
          [
            .init(name: "Entity"), .init(name: "Kind"), .init(name: "Finding"),
            .init(name: "What to do"),
          ], rows: rows, kinds: Set(rows.map(\.kind)).sorted(), caption: title))
      if newFindings.count > rows.count {
        parts.append(
          HTML(
            "p", ["class": "soft"],
            ["\(newFindings.count - rows.count) further ones are not listed."]))
      }
    }
    if hasEarlier {
      parts.append(
        HTML(
          "p", ["class": "soft"],
          [
            "Compared with the last report; \(findingCount) findings in all: vq doctor lists them."
          ]))
    }
    return ReportParts.section(title, parts)
  }
}
