import VisualQuery

/// A query that did not find what it should: its image beside that of the expected entity, and beside that of
/// the entity that was found instead.
struct MissCard {
  /// The name of the query.
  let name: String
  /// The remark beneath the name.
  let remark: String
  /// The reduced image of the query.
  let jpeg: [UInt8]?
  /// The expected entity, or `nil` if no entity is right.
  let expected: EntityID?
  let diagnosis: Diagnosis

  /// Draws the card.
  ///
  /// - Parameter isWhole: True if the evidence is open.
  func html(
    _ source: ReportSource, _ pictures: inout ReportPictures, isWhole: Bool = false
  ) async throws -> HTML {
    let query = jpeg.flatMap { pictures.add($0, name: name) }
    var parts: [HTML] = [
      HTML("h3", [.name(name)]), HTML("p", [HTML(text: remark)]),
    ]
    var halves: [HTML] = []
    if let expected {
      let seen = diagnosis.sighting
      halves.append(
        try await half("Expected", expected, seen, query, source, &pictures, isWhole: isWhole))
    }
    if let found = diagnosis.likeliest, found.id != expected {
      let heading =
        found.confidence >= diagnosis.minimumConfidence ? "Found" : "Likeliest, but not shown"
      halves.append(
        try await half(heading, found.id, found, query, source, &pictures, isWhole: isWhole))
    }
    parts.append(HTML("div", ["class": "halves"], halves))
    return HTML("li", ["class": "card"], parts)
  }

  private func half(
    _ heading: String, _ id: EntityID, _ sighting: Sighting?, _ query: ReportPicture?,
    _ source: ReportSource, _ pictures: inout ReportPictures, isWhole: Bool
  ) async throws -> HTML {
    let value = try await source.entities([id])[id]
    let title = value?.displayRepresentation.title ?? id.value
    let confidence =
      sighting.map { "confidence \(DisplayText.confidence($0.confidence))" } ?? "not a candidate"
    var parts: [HTML] = [
      HTML("h4", [HTML(text: heading + ": "), .name(title)]),
      HTML("p", ["class": "soft"], [.name(id.description), HTML(text: ", " + confidence)]),
    ]
    let jpeg =
      value?.imagePaths.isEmpty == false
      ? try await source.picture(of: id, at: sighting?.imagePosition ?? 0) : nil
    if let image = pictures.add(jpeg, name: title) {
      if let query {
        parts.append(
          ReportDrawing.pair(
            query, image, sighting?.alignment, words: sighting?.words ?? [],
            label: "\(query.name) beside the image of \(title)"))
        parts.append(HTML("p", ["class": "soft"], [ReportDrawing.caption(sighting?.alignment)]))
      } else {
        parts.append(ReportDrawing.thumbnail(image))
      }
    }
    parts += ReportParts.words(sighting?.words ?? [])
    if let sighting, !sighting.evidence.isEmpty {
      parts.append(ReportParts.evidence(sighting.evidence, isOpen: isWhole))
    }
    return HTML("div", parts)
  }
}
