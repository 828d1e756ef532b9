internal import PixelMatch

/// A generation of a catalogue with all of its segments open, so that a writer that merges and removes them disturbs nobody
/// who reads it for long.
struct OpenedGeneration {
  typealias Segment = Result<SignatureSegment, CatalogueError>

  let database: CatalogueDatabase
  let segments: [(record: SegmentList.Record, segment: Segment)]

  /// Opens the newest generation. If a segment cannot be opened because there is a newer generation, which does not need
  /// it, that one is opened.
  ///
  /// - Throws: ``CatalogueError`` if the database cannot be read. A segment has an error of its own.
  init(directory: String) throws(CatalogueError) {
    var failed: Int?
    while true {
      let database = try CatalogueDatabase(reading: directory)
      let generation = try database.tables.state.current().generation
      let segments = try database.tables.segments.all().map { record in
        (
          record: record,
          segment: Segment { () throws(CatalogueError) in
            try Catalogue.open(record, in: directory)
          }
        )
      }
      let isWhole = segments.allSatisfy { (try? $0.segment.get()) != nil }
      if isWhole || failed == generation {
        (self.database, self.segments) = (database, segments)
        return
      }
      failed = generation
    }
  }
}
