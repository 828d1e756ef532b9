internal import PixelMatch

/// The merging of segments, so that many generations leave few files, and a search looks into few
/// indexes.
///
/// Segments are grouped by their live rows: 1 to 7, 8 to 63, 64 to 511, and so on. Eight of one
/// group become one of the next, as in a log-structured merge tree, up to the 2²⁴ rows of a
/// segment. So a row is copied once for each group that it passes.
extension CatalogueWriter {
  /// The number of segments of a group that are merged, and the ratio of the sizes of neighboring
  /// groups.
  private static let mergeCount = 8
  /// The number of live rows from which a change of single entities leaves a segment alone: a merge
  /// would keep it waiting.
  static let quickMergeLimit = 4096

  /// A segment that may be merged.
  private struct Part {
    let record: SegmentList.Record
    let deadRows: [Int]

    var liveCount: Int { record.rows - deadRows.count }
  }

  /// Merges segments in the open transaction, and removes those without live rows.
  ///
  /// - Parameter rowLimit: The number of live rows from which a segment is not merged.
  /// - Returns: A Boolean value that indicates whether there was anything to merge or to remove.
  func mergeSegments(of type: EntityType, rowLimit: Int) throws(CatalogueError) -> Bool {
    let parts = try parts(of: type).filter { $0.liveCount < rowLimit }
    var chosen = parts.filter { $0.liveCount == 0 }
    var rows = 0
    var lower = 1
    while lower < min(rowLimit, SegmentWriter.rowLimit) {
      let group = lower..<lower * Self.mergeCount
      let own = parts.filter { group.contains($0.liveCount) }
      let ownRows = own.reduce(0) { $0 + $1.liveCount }
      // If the merged segment is as large as those of the group, it counts as one of them.
      if own.count + (group.contains(rows) ? 1 : 0) >= Self.mergeCount,
        rows + ownRows <= SegmentWriter.rowLimit
      {
        chosen += own
        rows += ownRows
      }
      lower *= Self.mergeCount
    }
    if !chosen.isEmpty { try merge(chosen, of: type) }
    return !chosen.isEmpty
  }

  /// Merges all segments of a type in the open transaction, as far as they fit one. A single segment is written again
  /// if it has dead rows, or no seals.
  ///
  /// - Returns: A Boolean value that indicates whether there was anything to merge.
  func mergeAllSegments(of type: EntityType) throws(CatalogueError) -> Bool {
    var groups: [[Part]] = [[]]
    var rows = 0
    for part in try parts(of: type) {
      if rows + part.liveCount > SegmentWriter.rowLimit {
        groups.append([])
        rows = 0
      }
      groups[groups.count - 1].append(part)
      rows += part.liveCount
    }
    var isMerged = false
    for group in groups where try needsMerge(group) {
      try merge(group, of: type)
      isMerged = true
    }
    return isMerged
  }

  /// Returns whether a merge would change a group: it joins several, removes dead rows or adds seals.
  private func needsMerge(_ group: [Part]) throws(CatalogueError) -> Bool {
    guard group.count < 2 else { return true }
    guard let part = group.first else { return false }
    if !part.deadRows.isEmpty { return true }
    return try !Catalogue.open(part.record, in: directory).isSealed
  }

  private func parts(of type: EntityType) throws(CatalogueError) -> [Part] {
    var parts: [Part] = []
    for record in try database.tables.segments.all() where record.type == type {
      parts.append(
        Part(
          record: record, deadRows: try database.tables.segments.deadRows(of: record.id).sorted()))
    }
    return parts
  }

  /// Writes the live rows of some segments to a new one, and forgets them. Their files stay until
  /// the generation without them is published.
  private func merge(_ parts: [Part], of type: EntityType) throws(CatalogueError) {
    let ordered = parts.sorted { $0.record.id < $1.record.id }
    var sources: [(part: Part, live: LiveSegment)] = []
    for part in ordered where part.liveCount > 0 {
      let segment = try Catalogue.open(part.record, in: directory)
      sources.append((part, LiveSegment(segment, deadRows: part.deadRows)))
    }
    if !sources.isEmpty {
      let merger: SegmentMerger
      do throws(SegmentError) {
        merger = try SegmentMerger(sources.map(\.live))
      } catch {
        throw CatalogueError(
          code: .corrupt, message: "\(error.message); run 'vq catalogue verify', then index again")
      }
      let file = "\(type.rawValue)-\(generation + 1)m\(ordered[0].record.id).segment"
      let number = try database.tables.segments.add(
        file: file, type: type, rows: merger.rowCount, byteCount: merger.byteCount)
      let (moved, written) = SideBySide.results(threads: threads) {
        Result { () throws(CatalogueError) in try moveImages(of: sources, to: number) }
      } _: { [directory, threads] in
        Result { () throws(CatalogueError) in
          try CatalogueFile.writeAndRead(to: file, in: directory) {
            put, get throws(CatalogueError) in
            try merger.write(put, reading: get, threads: threads)
          }
        }
      }
      try written.get()
      try moved.get()
      for (part, live) in sources {
        try Catalogue.checkUnchanged(live.segment, of: part.record.file, in: directory)
      }
    }
    try database.tables.segments.forget(ordered.map(\.record.id))
  }

  /// Notes the new rows of images.
  private func moveImages(
    of sources: [(part: Part, live: LiveSegment)], to number: Int
  ) throws(CatalogueError) {
    var newRow = 0
    for (part, live) in sources {
      for row in 0..<live.segment.count where live.isLive(row) {
        let isMoved = try database.tables.images.move(
          of: live.segment.key(at: row), position: Int(live.segment.tag(at: row)),
          from: (part.record.id, row), to: (number, newRow))
        guard isMoved else {
          throw CatalogueError(
            code: .corrupt,
            message: """
              a signature belongs to no image; run 'vq catalogue verify', then index the feed again
              """)
        }
        newRow += 1
      }
    }
  }
}
