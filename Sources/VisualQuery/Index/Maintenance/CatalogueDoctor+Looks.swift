internal import PixelMatch

/// The findings of images that are compared over the catalogue, and of single images.
extension CatalogueDoctor {
  /// Returns the findings of images compared with each other: marks that many of them have, and groups that are wrong.
  ///
  /// - Complexity: O(*n*) for *n* images, and O(*n*) again to read their signatures if there is a mark.
  func lookFindings(_ values: [(key: UInt32, value: EntityValue)]) throws -> [Finding] {
    var names: [UInt32: (id: EntityID, group: String?)] = [:]
    for (key, value) in values { names[key] = (value.id, value.productGroup) }
    var seen: Set<String> = []
    // An image that many products share is taken once: it is reported as a finding of its own, and would fill the
    // sample.
    var seenImages: Set<PDQHash> = []
    var sample: [GroupLooks.Picture] = []
    var groups: [String: [GroupLooks.Member]] = [:]
    try forEachPicture { picture, key in
      guard let (id, group) = names[key] else { return }
      if seen.insert(group.map { "group " + $0 } ?? id.description).inserted,
        seenImages.insert(picture.pdq).inserted
      {
        sample.append(picture)
      }
      guard let group else { return }
      // The images of an entity may be in several segments.
      let name = id.description
      if let index = groups[group]?.firstIndex(where: { $0.id == name }) {
        if groups[group]![index].pictures.count < GroupLooks.pictureLimit {
          groups[group]![index].pictures.append(picture)
        }
      } else if groups[group, default: []].count < GroupLooks.memberLimit {
        groups[group, default: []].append(GroupLooks.Member(id: name, pictures: [picture]))
      }
    }
    return try markFindings(sample, names.mapValues(\.id))
      + groupFindings(GroupLooks(groups: groups))
  }

  private func forEachPicture(_ body: (GroupLooks.Picture, _ key: UInt32) -> Void) throws {
    for live in catalogue.segments(of: .product) {
      for row in 0..<live.segment.count where live.isLive(row) {
        if row % 256 == 0 { try Task.checkCancellation() }
        // The squares of a long image are parts of it.
        if live.segment.tag(at: row) >= EntityValue.imageLimit { continue }
        body(GroupLooks.Picture(segment: live.segment, row: row), live.segment.key(at: row))
      }
    }
  }

  private func markFindings(
    _ sample: [GroupLooks.Picture], _ ids: [UInt32: EntityID]
  ) throws -> [Finding] {
    let signatures = RepeatedMarks.sample(of: sample).map { $0.segment.signature(at: $0.row) }
    let marks = RepeatedMarks.marks(in: signatures) { Task.isCancelled }
    if marks.isEmpty { return [] }
    var marked: [(id: EntityID, image: Int, mark: Int)] = []
    try forEachPicture { picture, key in
      let signature = picture.segment.signature(at: picture.row)
      guard let id = ids[key],
        let mark = marks.firstIndex(where: { RepeatedMarks.has($0, signature) })
      else { return }
      marked.append((id, Int(picture.segment.tag(at: picture.row)), mark))
    }
    let entities = Dictionary(grouping: marked, by: \.mark).mapValues { Set($0.map(\.id)).count }
    return marked.map { id, image, mark in
      Finding(
        kind: .repeatedMark, id: id.description,
        detail:
          "image \(image) has the same marks at the \(marks[mark].place) as \((entities[mark] ?? 1) - 1) others, such as a watermark or a frame",
        cure: "use images without it: photos that people take do not have it", image: image)
    }
  }

  private func groupFindings(_ looks: GroupLooks) throws -> [Finding] {
    let found = looks.findings { Task.isCancelled }
    let strangers = found.strangers.map { stranger in
      Finding(
        kind: .oddVariant, id: stranger.member.id,
        detail: "looks like no other variant of its group, "
          + (stranger.twin.map { "but like \($0.id) of another one" }
            ?? "though the others look alike"),
        cure: "correct its 'group' or its image", twin: stranger.twin?.id)
    }
    let twins = found.twins.map { first, second in
      Finding(
        kind: .sameDesign, id: first.id,
        detail: "has the same design as \(second.id), which is in another group",
        cure: "if both are variants of one product, give them one 'group'", twin: second.id)
    }
    try Task.checkCancellation()
    return strangers + twins
  }

  /// Returns the findings of single images, whose files are looked at; those that cannot be opened are left out.
  func contentFindings() throws -> [Finding] {
    // A separate connection, so that no reader waits for the file system.
    let database = try CatalogueDatabase(reading: catalogue.directory)
    let step = max(1, (catalogue.imageCount + pictureLimit - 1) / max(1, pictureLimit))
    var chosen: [(id: EntityID, record: ImageTable.Record)] = []
    var number = 0
    try database.tables.images.forEach { image throws(CatalogueError) in
      if image.record.position >= EntityValue.imageLimit { return }
      if number % step == 0, chosen.count < pictureLimit {
        chosen.append((image.entity, image.record))
      }
      number += 1
    }
    let images = StoredImages(
      directory: catalogue.directory, folders: PictureFolders(catalogue.picturePlaces),
      side: Signature.workingSide)
    var findings: [Finding] = []
    for (id, record) in chosen {
      try Task.checkCancellation()
      guard
        case .success(let pixels) = try images.pixels(
          of: record.path, content: ReadingTable.ImageContent(record))
      else { continue }
      if PictureFault.isText(pixels) {
        findings.append(
          Finding(
            kind: .textPicture, id: id.description,
            detail: "image \(record.position) shows only text",
            cure:
              "leave size charts, notes and banners out of 'images': photos of text find them",
            image: record.position))
      } else if PictureFault.isCollage(pixels) {
        findings.append(
          Finding(
            kind: .collage, id: id.description,
            detail: "image \(record.position) is put together from several images",
            cure: "give each of them as an image of its own", image: record.position))
      }
    }
    return findings
  }
}
