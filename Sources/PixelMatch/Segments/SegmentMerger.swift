/// Merges segments into one, without their dead rows: the bytes are those of a ``SegmentWriter``
/// that was given the live rows in their order.
///
/// Columns are copied, and the postings of a word are those of the sources, so that no hash is read
/// and no index is built anew. It takes 4 bytes of memory for each row and each word, about 80 MB for
/// postings, and about 20 MB at a time of what is read.
package struct SegmentMerger: Sendable {
  /// The number of rows whose bytes are copied at a time.
  private static let rowBatch = 4096
  /// The number of batches of rows after which the memory of what was read is given back.
  private static let releasedRowBatches = 1
  /// The number of words after whose postings the memory of what was read is given back.
  private static let releasedWords = 1 << 18

  /// The number of live rows.
  package let rowCount: Int

  private let sources: [LiveSegment]
  private let size: SegmentLayout.Size
  /// The new number of each row of each source; `UInt32.max` for dead rows.
  private let newRows: [[UInt32]]
  /// The index of the first posting of each word, and the end of the last one's.
  private let starts: [UInt32]

  /// Prepares to merge segments in their order.
  ///
  /// - Throws: ``SegmentError`` if a source is damaged: a copy of damaged columns would have valid
  ///   checksums.
  /// - Complexity: O(bytes).
  package init(_ sources: [LiveSegment]) throws(SegmentError) {
    var rows: UInt32 = 0
    var newRows: [[UInt32]] = []
    var (blocks, keypoints, embeddingByteCount) = (0, 0, 0)
    for live in sources {
      try live.segment.verify()
      var numbers = [UInt32](repeating: .max, count: live.segment.count)
      var end = 0
      for row in 0..<live.segment.count {
        let own = live.segment.keypointBlocks(at: row)
        guard own.blocks == end..<end + (own.count + 7) / 8 else { throw Self.corrupt }
        end = own.blocks.upperBound
        guard live.isLive(row) else { continue }
        numbers[row] = rows
        rows += 1
        blocks += own.blocks.count
        keypoints += own.count
        let embedding = live.segment.embedding(at: row)
        embeddingByteCount = max(embeddingByteCount, embedding?.storedByteCount ?? 0)
      }
      newRows.append(numbers)
      live.segment.releaseMemory()
    }
    self.sources = sources
    self.newRows = newRows
    rowCount = Int(rows)
    size = SegmentLayout.Size(
      rows: rowCount, blocks: blocks, keypoints: keypoints,
      embeddingByteCount: embeddingByteCount)
    starts = Self.starts(zip(sources, newRows), bits: size.wordBits)
    guard Int(starts[1 << size.wordBits]) == keypoints else { throw Self.corrupt }
  }

  /// The error of a segment whose checksums are right and whose columns contradict each other.
  private static var corrupt: SegmentError {
    SegmentError(
      code: .corrupt, path: nil, message: "the keypoints of a segment contradict its index")
  }

  /// A Boolean value that indicates whether the live rows fit a segment.
  package var fitsSegment: Bool { rowCount <= SegmentLayout.rowLimit }

  /// The length of the merged segment in bytes.
  package var byteCount: Int { SegmentSeals(after: SegmentLayout.offsets(size).end).end }

  /// Writes the merged segment. The postings take as long as all other columns, and two threads write both at once.
  ///
  /// - Parameters:
  ///   - write: A function that stores bytes at an offset of the file, whatever was stored before.
  ///   - read: A function that returns bytes that were stored. Postings are not stored in their order, so
  ///     their checksum is that of what is read.
  ///   - threads: The largest number of threads. Two call `write` and `read` at the same time.
  /// - Complexity: O(bytes of the sources).
  package func write<Failure: Error>(
    _ write: @escaping @Sendable (_ bytes: Span<UInt8>, _ offset: Int) throws(Failure) -> Void,
    reading read: @escaping @Sendable (_ range: Range<Int>) throws(Failure) -> [UInt8],
    threads: Int = 2
  ) throws(Failure) {
    precondition(fitsSegment, "a segment has at most 2^24 rows")
    let (offsets, end) = SegmentLayout.offsets(size)
    let columns = size.columns
    @Sendable func written(
      _ column: SegmentLayout.Column
    ) throws(Failure) -> (checksum: UInt64, seals: [UInt32]) {
      let start = offsets[column]!
      var sink = ColumnSink(start..<start + column.byteCount(size), write: write)
      try self.write(column, to: &sink, reading: read)
      return try sink.finish()
    }
    let (others, postings) = SideBySide.results(threads: threads) {
      Result { () throws(Failure) in
        var all: [SegmentLayout.Column: (checksum: UInt64, seals: [UInt32])] = [:]
        for column in columns where column != .posting { all[column] = try written(column) }
        return all
      }
    } _: {
      Result { () throws(Failure) in try written(.posting) }
    }
    var all = try others.get()
    all[.posting] = try postings.get()
    let seals = SegmentSeals(after: end).encoded(columns.flatMap { all[$0]!.seals })
    try write(seals.bytes.span, end)
    let header = SegmentLayout.header(
      size, checksums: columns.map { all[$0]!.checksum }, seals: seals.checksum)
    try write(header.span, 0)
  }

  private func write<Failure>(
    _ column: SegmentLayout.Column, to sink: inout ColumnSink<Failure>,
    reading read: (_ range: Range<Int>) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    switch column {
    case .pdq: try writeHashes(to: &sink)
    case .appearance, .key, .tag, .filterBits, .shape, .layout, .levelCount:
      try forEachLiveRun { live, rows throws(Failure) in
        try live.segment.withColumn(column, rows: rows, as: UInt8.self) { bytes throws(Failure) in
          try sink.append(copying: bytes)
        }
      }
    case .keypointStart: try writeKeypointStarts(to: &sink)
    case .keypointHash, .keypointPlace:
      try forEachLiveRun { live, rows throws(Failure) in
        try live.segment.withKeypoints(column, rows: rows) { bytes throws(Failure) in
          try sink.append(copying: bytes)
        }
      }
    case .wordStart: for start in starts { try sink.append(littleEndian: start) }
    case .posting:
      try writePostings(to: &sink)
      try sink.readBack(read)
    case .binSum: for sum in binSums() { try sink.append(littleEndian: sum) }
    case .embedding: try writeEmbeddings(to: &sink)
    case .appearanceSum: try writeSums(to: &sink)
    }
  }

  /// Calls `body` with ranges of neighboring live rows.
  private func forEachLiveRun<Failure: Error>(
    _ body: (LiveSegment, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    for live in sources {
      var (start, batches) = (0, 0)
      defer { live.segment.releaseMemory() }
      while start < live.segment.count {
        guard live.isLive(start) else {
          start += 1
          continue
        }
        var end = start + 1
        while end < min(live.segment.count, start + Self.rowBatch), live.isLive(end) { end += 1 }
        try body(live, start..<end)
        start = end
        batches += 1
        if batches % Self.releasedRowBatches == 0 { live.segment.releaseMemory() }
      }
    }
  }

  private func writeHashes<Failure>(to sink: inout ColumnSink<Failure>) throws(Failure) {
    var block: [PDQHash] = []
    for live in sources {
      for row in 0..<live.segment.count where live.isLive(row) {
        block.append(live.segment.pdq(at: row))
        if block.count == 8 {
          try sink.append(SegmentWriter.blocks(of: block.map(\.words)))
          block.removeAll(keepingCapacity: true)
        }
      }
      live.segment.releaseMemory()
    }
    try sink.append(SegmentWriter.blocks(of: block.map(\.words)))
  }

  private func writeEmbeddings<Failure>(to sink: inout ColumnSink<Failure>) throws(Failure) {
    try forEachLiveRun { live, rows throws(Failure) in
      let own = live.segment.embeddingByteCount
      if own == size.embeddingByteCount {
        return try live.segment.withColumn(
          .embedding, rows: rows, as: UInt8.self
        ) { bytes throws(Failure) in try sink.append(copying: bytes) }
      }
      for row in rows {
        var stored = live.segment.embedding(at: row)?.stored ?? []
        // If another program changes the file while it is read, an embedding may be too
        // long for its column. It is dropped here; the change is noticed at the end.
        if stored.count > size.embeddingByteCount { stored = [] }
        try sink.append(stored)
        try sink.append([UInt8](repeating: 0, count: size.embeddingByteCount - stored.count))
      }
    }
  }

  /// Computes the sums of sources of older versions, which have none.
  private func writeSums<Failure>(to sink: inout ColumnSink<Failure>) throws(Failure) {
    try forEachLiveRun { live, rows throws(Failure) in
      if live.segment.hasSums {
        return try live.segment.withColumn(
          .appearanceSum, rows: rows, as: UInt8.self
        ) { bytes throws(Failure) in try sink.append(copying: bytes) }
      }
      let bins = live.segment.withColumn(.appearance, rows: rows, as: UInt8.self) { packed in
        HistogramGrade.unpacked(packed.indices.map { packed[$0] })
      }
      for row in 0..<rows.count {
        let start = row * SegmentLayout.binCount
        try sink.append(
          AppearanceSums.row(of: Array(bins[start..<start + SegmentLayout.binCount])))
      }
    }
  }

  private func writeKeypointStarts<Failure>(
    to sink: inout ColumnSink<Failure>
  ) throws(Failure) {
    var block: UInt32 = 0
    for live in sources {
      for row in 0..<live.segment.count where live.isLive(row) {
        try sink.append(littleEndian: block)
        block += UInt32(live.segment.keypointBlocks(at: row).blocks.count)
      }
      live.segment.releaseMemory()
    }
    try sink.append(littleEndian: block)
  }

  /// The sums of the histogram bins of the live rows.
  private func binSums() -> [UInt64] {
    var sums = [UInt64](repeating: 0, count: SegmentLayout.binCount)
    for live in sources {
      for (bin, sum) in live.segment.binSums.enumerated() { sums[bin] &+= sum }
      for row in 0..<live.segment.count where !live.isLive(row) {
        let dead = live.segment.appearance(at: row)
        for (bin, value) in (dead.color.bins + dead.texture.bins).enumerated() {
          sums[bin] &-= UInt64(value)
        }
      }
    }
    return sums
  }

  /// Returns the index of the first posting of each word, and the end of the last one's.
  private static func starts(
    _ sources: some Sequence<(LiveSegment, [UInt32])>, bits: Int
  ) -> [UInt32] {
    var starts = [UInt32](repeating: 0, count: 1 << bits + 1)
    for (live, numbers) in sources {
      let own = live.segment.wordBits
      live.segment.withWordIndex { ownStarts, postings in
        for word in 0..<1 << own {
          forEachPosting(of: word, ownStarts, postings, bits: own) { posting in
            guard posting.row < numbers.count, numbers[posting.row] != .max else { return }
            starts[posting.word(bits: bits) + 1] += 1
          }
          if word % releasedWords == 0 { live.segment.releaseMemory() }
        }
      }
      live.segment.releaseMemory()
    }
    for word in 0..<1 << bits { starts[word + 1] += starts[word] }
    return starts
  }

  /// Calls `body` with the postings of a word of a source.
  private static func forEachPosting(
    of word: Int, _ starts: Span<UInt32>, _ postings: Span<UInt64>, bits: Int,
    _ body: (VisualWord.Posting) -> Void
  ) {
    let (start, end) = (Int(starts[word]), min(Int(starts[word + 1]), postings.count))
    guard start < end else { return }
    for index in start..<end { body(VisualWord.Posting(postings[index], word: word, bits: bits)) }
  }

  private func writePostings<Failure>(to sink: inout ColumnSink<Failure>) throws(Failure) {
    let merger = PostingMerger(sources, newRows: newRows, starts: starts, bits: size.wordBits)
    for batch in merger.batches {
      let postings = merger.postings(of: batch)
      for run in postings.runs {
        try postings.withBytes(of: run) { bytes throws(Failure) in
          try sink.put(bytes, at: 8 * run.start)
        }
      }
    }
  }
}
