import VisualQuery

/// The report of `vq doctor`: the findings by kind, with the images that they are about.
struct DoctorPage {
  private typealias Finding = CatalogueDoctor.Finding

  /// The most findings of a kind that are drawn.
  static let cardLimit = 12
  /// The most rows of the table.
  static let rowLimit = 2000

  /// Makes the page of some findings.
  static func page(
    of findings: [CatalogueDoctor.Finding], _ source: ReportSource
  ) async throws -> ReportPage {
    var pictures = ReportPictures()
    let kinds = Dictionary(grouping: findings, by: \.kind).sorted {
      ($1.value.count, $0.key.rawValue) < ($0.value.count, $1.key.rawValue)
    }
    let entityCount = source.catalogue.entityCount
    var body = [
      ReportParts.figures(
        [
          (name: "entities checked", value: "\(entityCount)"),
          (name: "findings", value: "\(findings.count)"),
        ]
          + kinds.map { (name: $0.key.rawValue, value: "\($0.value.count)") })
    ]
    if findings.isEmpty { body.append(HTML("p", ["No problems found."])) }
    for (kind, findings) in kinds {
      var cards: [HTML] = []
      for finding in findings.prefix(cardLimit) {
        cards.append(try await card(finding, source, &pictures))
      }
      var parts = [HTML("p", [HTML(text: "What to do: " + findings[0].cure + ".")])]
      if findings.count > cardLimit {
        parts.append(
          HTML(
            "p", ["class": "soft"],
            ["The first \(cardLimit) of \(findings.count) are drawn; the table has more."]))
      }
      parts.append(HTML("ol", ["class": "cards small"], cards))
      body.append(ReportParts.section(kind.rawValue, parts))
    }
    var notes: [HTML] = ["Index generation \(source.catalogue.generation)."]
    if findings.count > rowLimit {
      notes.append(
        "The table has the first \(rowLimit) of \(findings.count) findings; 'vq doctor --json' lists all."
      )
    }
    if !findings.isEmpty {
      let rows = findings.prefix(rowLimit).map {
        (kind: $0.kind.rawValue, cells: [$0.id, $0.kind.rawValue, $0.detail])
      }
      body.append(
        ReportParts.section(
          "Findings",
          [
            ReportParts.sortable(
              [.init(name: "Entity"), .init(name: "Kind"), .init(name: "Finding")], rows: rows,
              kinds: kinds.map(\.key.rawValue), caption: "All findings")
          ]))
    }
    return ReportPage(title: "vq doctor", notes: notes, pictures: pictures, body: body)
  }

  private static func card(
    _ finding: Finding, _ source: ReportSource, _ pictures: inout ReportPictures
  ) async throws -> HTML {
    var drawings: [HTML] = []
    var title: String?
    // An image that the finding is about is drawn, not just any of the entity.
    let parts = [
      (finding.id, finding.image ?? finding.sharedImage), (finding.twin, finding.twinImage),
    ]
    for (text, position) in parts {
      guard let id = text.flatMap(EntityID.init(described:)),
        let value = try await source.entities([id])[id]
      else { continue }
      let name = value.displayRepresentation.title
      title = title ?? name
      // The entity may have no image, which may be the finding itself.
      guard !value.imagePaths.isEmpty,
        let jpeg = try await source.picture(of: id, at: position ?? 0),
        let picture = pictures.add(jpeg, name: name)
      else { continue }
      drawings.append(ReportDrawing.thumbnail(picture))
    }
    return HTML(
      "li", ["class": "card"],
      [
        HTML("h3", [.name(title ?? finding.id)]),
        HTML("p", ["class": "soft"], [.name(finding.id)]),
        HTML("p", [HTML(text: finding.detail)]),
        HTML("div", ["class": "row"], drawings),
      ])
  }
}

extension EntityID {
  /// Reads an id as its description gives it: `product:mug-red`.
  init?(described text: String) {
    guard let colon = text.firstIndex(of: ":"),
      let type = EntityType(rawValue: String(text[..<colon]))
    else { return nil }
    self.init(type: type, value: String(text[text.index(after: colon)...]))
  }
}
