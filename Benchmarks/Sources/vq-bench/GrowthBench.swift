import Foundation
import PixelMatch

/// The time of a query's stages in catalogues of growing size.
///
/// A row is a real image's signature in which an eighth of all keypoint bits are flipped. Words are
/// then used as unevenly as in real photos: the sum of the squared lengths of the lists, over what
/// even lists would give, is 7, 11, 16 and 22 for words of 14, 16, 18 and 20 bits; it is 8, 13, 19
/// and 34 in 3 356 photos of groceries and garments. A quarter of the bits would give 2, 3, 3 and
/// 5. Every other given image is a query, the rest are rows.
///
/// Segments are written to a temporary folder and merged into one, as a run of `vq index` does. A whole
/// search signs a decoded image, scans, votes and checks 144 candidates on one thread. It is cold if the
/// segment's pages were dropped from memory before (`posix_fadvise`); what it then reads is counted too.
///
/// Times are processor times of this process, which other programs change little, apart from those of whole
/// searches, which are measured both ways: a cold one waits for storage.
enum GrowthBench {
  private static let segmentRows = 16_384

  static func run(counts: [Int], pictures paths: [String]) throws {
    let pictures = try decoded(paths)
    let signatures = pictures.indices.filter { $0 % 2 == 1 }.map { Signature(pictures[$0]) }
    let asked = pictures.indices.filter { $0 % 2 == 0 }.map { pictures[$0] }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("vq-growth-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for count in counts {
      let file = folder.appendingPathComponent("merged-\(count).segment").path
      var line = try written(count, signatures, seed: 7, to: file, in: folder)
      try measure(file, asked, &line)
      print("{\(line.fields.joined(separator: ","))}")
      try FileManager.default.removeItem(atPath: file)
    }
  }

  /// Writes a segment and keeps it. Other seeds give other rows of the same images.
  static func draw(_ count: Int, seed: UInt64, to path: String, pictures paths: [String]) throws {
    let file = URL(fileURLWithPath: path)
    let line = try written(
      count, decoded(paths).map { Signature($0) }, seed: seed, to: path,
      in: file.deletingLastPathComponent())
    print("{\(line.fields.joined(separator: ","))}")
  }

  /// Writes a segment and returns what that cost.
  private static func written(
    _ count: Int, _ signatures: [Signature], seed: UInt64, to path: String, in folder: URL
  ) throws -> Line {
    let (writeMs, mergeMs) = try write(count, signatures, seed: seed, to: path, in: folder)
    var line = Line()
    line.add("pictures", Double(count))
    line.add("writeMsPerPicture", writeMs / Double(count))
    line.add("mergeMsPerPicture", mergeMs / Double(count))
    line.add("peakMegabytes", peakMegabytes())
    return line
  }

  /// Measures searches in a segment of an index.
  static func run(segment path: String, pictures paths: [String]) throws {
    var line = Line()
    try measure(path, decoded(paths), &line)
    print("{\(line.fields.joined(separator: ","))}")
  }

  static func decoded(_ paths: [String]) throws -> [PixelBuffer] {
    let decoder = ImageDecoder()
    return try paths.map { path in
      try decoder.decode(
        decoder.contents(ofFile: path), longerSide: QuerySignature.workingSide)
    }
  }

  /// Measures searches in a segment, cold, by stage, and warm.
  private static func measure(
    _ path: String, _ pictures: [PixelBuffer], _ line: inout Line
  ) throws {
    let signing = pictures.map { picture in
      processorMilliseconds { precondition(QuerySignature(picture).views.count > 0) }
    }
    line.add("querySignatureMs", median(signing))
    try measureCold(path, pictures, &line)
    let segment = try SignatureSegment(path: path)
    line.add("bytesPerPicture", Double(segment.byteCount) / Double(segment.count))
    measureStages(LiveSegment(segment), pictures.map { QuerySignature($0) }, &line)
    let searches = pictures.map { picture in
      both { search(picture, LiveSegment(segment)) }
    }
    line.add("searchWarmMs", median(searches.map(\.took)))
    line.add("searchWarmProcessorMs", median(searches.map(\.used)))
  }

  /// The processor time of this process.
  static func processorMilliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  /// The processor time of one call.
  private static func processorMilliseconds(_ body: () throws -> Void) rethrows -> Double {
    try both(body).used
  }

  /// The time of one call and the processor time in it.
  private static func both(
    _ body: () throws -> Void
  ) rethrows -> (took: Double, used: Double) {
    let used = processorMilliseconds()
    let took = try milliseconds(body)
    return (took, processorMilliseconds() - used)
  }

  /// The fields of a line of JSON.
  struct Line {
    private(set) var fields: [String] = []

    mutating func add(_ name: String, _ value: Double) {
      fields.append("\"\(name)\":\((value * 10_000).rounded() / 10_000)")
    }
  }

  /// Searches once for each picture, after the pages of the segment were dropped.
  private static func measureCold(
    _ path: String, _ pictures: [PixelBuffer], _ line: inout Line
  ) throws {
    var times: [(took: Double, used: Double)] = []
    var megabytes: [Double] = []
    for picture in pictures.prefix(9) {
      let file = open(path, O_RDONLY)
      guard file >= 0, fsync(file) == 0, posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
        throw CocoaError(.fileReadUnknown)
      }
      close(file)
      let before = try readBytes()
      times.append(
        try both { search(picture, LiveSegment(try SignatureSegment(path: path))) })
      megabytes.append(Double(try readBytes() - before) / 1e6)
    }
    line.add("searchColdMs", median(times.map(\.took)))
    line.add("searchColdProcessorMs", median(times.map(\.used)))
    line.add("coldReadMegabytes", median(megabytes))
  }

  /// The most memory that this process had so far.
  private static func peakMegabytes() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_maxrss) / 1024
  }

  /// The bytes that this process has read from storage.
  private static func readBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("read_bytes:") }
    return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
  }

  /// The stages of a match, from the decoded image to aligned candidates, on this thread.
  private static func search(_ picture: PixelBuffer, _ live: LiveSegment) {
    let query = QuerySignature(picture)
    let scan = FlatScan([live])
    var rows = scan.nearest(to: .hashes(query.views.flatMap(\.variants)), limit: 256).top.sorted
      .count
    let passes = query.views.map { FlatScan.Pass(.appearance($0.color, $0.texture)) }
    for found in scan.nearest(of: passes, limit: 256) { rows += found.top.sorted.count }
    let check = GeometricCheck(query)
    let voted = KeypointVotes(query.keypoints).rows(in: live, limit: 512).prefix(144)
    live.segment.beginReading(.alignment, of: voted.map(\.row))
    for row in voted {
      rows +=
        check.alignment(of: row.row, in: live.segment, isMirrored: row.isMirrored)?.inliers ?? 0
    }
    precondition(rows > 0)
  }

  /// Writes a segment of `count` rows that is merged from small ones, and returns the milliseconds of
  /// writing those and of merging them.
  private static func write(
    _ count: Int, _ signatures: [Signature], seed: UInt64, to path: String, in folder: URL
  ) throws -> (write: Double, merge: Double) {
    var generator = SplitMix(state: seed)
    var parts: [LiveSegment] = []
    var writing = 0.0
    for start in stride(from: 0, to: count, by: segmentRows) {
      let drawn = (start..<min(start + segmentRows, count)).map { row in
        (UInt32(row), redrawn(signatures[row % signatures.count], &generator))
      }
      let file = folder.appendingPathComponent("part-\(seed)-\(start).segment")
      writing += try processorMilliseconds {
        var writer = SegmentWriter()
        for (key, signature) in drawn { writer.append(signature, key: key) }
        try Data(writer.encoded()).write(to: file)
      }
      parts.append(LiveSegment(try SignatureSegment(path: file.path)))
      try FileManager.default.removeItem(at: file)
    }
    let output = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    guard output >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(output) }
    let merging = try processorMilliseconds {
      try SegmentMerger(parts).write(
        { bytes, offset throws(any Error) in
          let count = bytes.withUnsafeBytes {
            pwrite(output, $0.baseAddress, $0.count, off_t(offset))
          }
          guard count == bytes.count else { throw CocoaError(.fileWriteUnknown) }
        },
        reading: { range throws(any Error) in
          var bytes = [UInt8](repeating: 0, count: range.count)
          let count = bytes.withUnsafeMutableBytes {
            pread(output, $0.baseAddress, $0.count, off_t(range.lowerBound))
          }
          guard count == range.count else { throw CocoaError(.fileReadUnknown) }
          return bytes
        })
    }
    return (writing, merging)
  }

  /// Measures each stage of a match, warm.
  private static func measureStages(
    _ live: LiveSegment, _ queries: [QuerySignature], _ line: inout Line
  ) {
    var (votes, checks, hashes, appearances): ([Double], [Double], [Double], [Double]) =
      ([], [], [], [])
    var sink = 0
    let scan = FlatScan([live])
    for query in queries + queries {
      let view = query.views[0]
      var found: [KeypointVotes.Row] = []
      votes.append(
        processorMilliseconds { found = KeypointVotes(query.keypoints).rows(in: live, limit: 512) })
      checks.append(
        processorMilliseconds {
          let check = GeometricCheck(query)
          // As many as a match checks.
          for row in found.prefix(144) {
            let agreed = check.alignment(
              of: row.row, in: live.segment, isMirrored: row.isMirrored)
            sink &+= agreed?.inliers ?? 1
          }
        })
      hashes.append(
        processorMilliseconds {
          let found = scan.nearest(to: .hashes(query.views.flatMap(\.variants)), limit: 256)
          sink &+= found.top.sorted.count
        })
      appearances.append(
        processorMilliseconds {
          let found = scan.nearest(to: .appearance(view.color, view.texture), limit: 256)
          sink &+= found.top.sorted.count
        })
    }
    precondition(sink != 0)
    // The first round has read all data once.
    func warm(_ times: [Double]) -> Double { median(Array(times.suffix(queries.count))) }
    line.add("votesMs", warm(votes))
    line.add("checkMs", warm(checks))
    line.add("hashScanMs", warm(hashes))
    line.add("appearanceScanMs", warm(appearances))
  }

  private static func redrawn(_ signature: Signature, _ generator: inout SplitMix) -> Signature {
    let hashes = signature.keypoints.hashes.map { hash in
      var words = hash.words
      for word in 0..<3 {
        words[word] ^= UInt32(
          truncatingIfNeeded: generator.next() & generator.next() & generator.next())
      }
      return KeypointHash(words: words)
    }
    var pdq = signature.pdq.words
    for word in 0..<4 { pdq[word] = generator.next() }
    return Signature(
      width: signature.width, height: signature.height, pdq: PDQHash(words: pdq),
      pdqQuality: signature.pdqQuality, color: signature.color, layout: signature.layout,
      texture: signature.texture,
      keypoints: KeypointSet(keypoints: signature.keypoints.keypoints, hashes: hashes))
  }
}
