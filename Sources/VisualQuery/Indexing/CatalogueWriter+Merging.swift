internal import PixelMatch

/// The merging of small segments, so that many small generations leave few files.
///
/// Segments are grouped by their live rows: 1 to 7, 8 to 63, 64 to 511, 512 to 4095. Eight of one group become one of
/// the next, as in a log-structured merge tree, so that a row is copied four times at most, and a type has at most 28
/// segments below 4096 rows. Larger ones are left to `compact()`.
extension CatalogueWriter {
  /// The number of segments of a group that are merged, and the ratio of the sizes of neighboring groups.
  private static let mergeCount = 8
  /// The number of rows from which a segment is not merged.
  private static let mergedRowLimit = 4096

  /// A segment that may be merged.
  private struct SmallSegment {
    let record: CatalogueDatabase.SegmentRecord
    let deadRows: Set<Int>

    var liveCount: Int { record.rows - deadRows.count }
  }

  /// Merges small segments in the open transaction, and removes those without live rows.
  func mergeSmallSegments(of type: EntityType) throws(CatalogueError) {
    var small: [SmallSegment] = []
    for record in try database.segments()
    where record.type == type && record.rows < Self.mergedRowLimit {
      small.append(
        SmallSegment(record: record, deadRows: try database.deadRows(ofSegment: record.id)))
    }
    var chosen = small.filter { $0.liveCount == 0 }
    var rows = 0
    var lower = 1
    while lower < Self.mergedRowLimit {
      let group = lower..<lower * Self.mergeCount
      let own = small.filter { group.contains($0.liveCount) }
      // The merged rows count as one more segment of the group that they belong to.
      if own.count + (group.contains(rows) ? 1 : 0) >= Self.mergeCount {
        chosen += own
        rows += own.reduce(0) { $0 + $1.liveCount }
      }
      lower *= Self.mergeCount
    }
    if !chosen.isEmpty { try merge(chosen, of: type) }
  }

  /// Writes the live rows of some segments to a new one, and forgets them. Their files stay until
  /// the next writer removes them, for readers that are about to open them.
  private func merge(
    _ segments: [SmallSegment], of type: EntityType
  ) throws(CatalogueError) {
    let ordered = segments.sorted { $0.record.id < $1.record.id }
    var merged = SegmentWriter()
    var origins: [(key: UInt32, position: Int, segment: Int, row: Int)] = []
    for small in ordered where small.liveCount > 0 {
      let source = try Catalogue.open(small.record, in: directory)
      for row in 0..<source.count where !small.deadRows.contains(row) {
        let (key, tag) = (source.key(at: row), source.tag(at: row))
        merged.append(
          source.signature(at: row), key: key, tag: tag, filterBits: source.filterBits(at: row))
        origins.append((key, Int(tag), small.record.id, row))
      }
      try Catalogue.checkUnchanged(source, of: small.record.file, in: directory)
    }
    if merged.count > 0 {
      let file = "\(type.rawValue)-\(generation + 1)m.segment"
      let bytes = merged.encoded()
      try CatalogueFile.write(bytes, to: file, in: directory)
      let number = try database.addSegment(
        file: file, type: type, rows: merged.count, byteCount: bytes.count)
      for (row, origin) in origins.enumerated() {
        let isMoved = try database.moveImage(
          of: origin.key, position: origin.position, from: (origin.segment, origin.row),
          to: (number, row))
        guard isMoved else {
          throw CatalogueError(
            code: .corrupt,
            message: """
              a signature belongs to no image; run 'vq catalogue verify', then index the feed again
              """)
        }
      }
    }
    try database.forgetSegments(ordered.map(\.record.id))
  }
}
