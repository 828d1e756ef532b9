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
/// Segments are written to a temporary folder and merged into one, as a run of `vq index` does.
enum GrowthBench {
  private static let segmentRows = 16_384

  static func run(counts: [Int], pictures paths: [String]) throws {
    let decoder = ImageDecoder()
    let pictures = try paths.map { path in
      try decoder.decode(
        decoder.contents(ofFile: path), longerSide: QuerySignature.workingSide)
    }
    let signatures = pictures.indices.filter { $0 % 2 == 1 }.map { Signature(pictures[$0]) }
    let asked = pictures.indices.filter { $0 % 2 == 0 }.map { pictures[$0] }
    let queries = asked.map { QuerySignature($0) }
    let signing = asked.map { picture in
      milliseconds { precondition(QuerySignature(picture).views.count > 0) }
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("vq-growth-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for count in counts {
      let (segment, mergeMs) = try merged(count, signatures, in: folder)
      report(
        count, segment.byteCount, [LiveSegment(segment)], queries, mergeMs: mergeMs,
        signingMs: median(signing))
    }
  }

  /// Returns a segment of `count` rows that was merged from small ones, and the time of the merge.
  private static func merged(
    _ count: Int, _ signatures: [Signature], in folder: URL
  ) throws -> (segment: SignatureSegment, milliseconds: Double) {
    var generator = SplitMix(state: 7)
    var parts: [LiveSegment] = []
    for start in stride(from: 0, to: count, by: segmentRows) {
      var writer = SegmentWriter()
      for row in start..<min(start + segmentRows, count) {
        writer.append(redrawn(signatures[row % signatures.count], &generator), key: UInt32(row))
      }
      let file = folder.appendingPathComponent("part-\(start).segment")
      try Data(writer.encoded()).write(to: file)
      parts.append(LiveSegment(try SignatureSegment(path: file.path)))
      try FileManager.default.removeItem(at: file)
    }
    let file = folder.appendingPathComponent("merged-\(count).segment")
    guard FileManager.default.createFile(atPath: file.path, contents: nil),
      let output = FileHandle(forWritingAtPath: file.path)
    else { throw CocoaError(.fileWriteUnknown) }
    let start = ContinuousClock.now
    _ = try SegmentMerger(parts).write { bytes, offset throws(any Error) in
      try output.seek(toOffset: UInt64(offset))
      try output.write(contentsOf: bytes)
    }
    let taken = (ContinuousClock.now - start) / .milliseconds(1)
    try output.close()
    return (try SignatureSegment(path: file.path), taken)
  }

  private static func report(
    _ count: Int, _ bytes: Int, _ segments: [LiveSegment], _ queries: [QuerySignature],
    mergeMs: Double, signingMs: Double
  ) {
    var votes: [Double] = []
    var checks: [Double] = []
    var hashes: [Double] = []
    var appearances: [Double] = []
    var sink = 0
    let scan = FlatScan(segments)
    for query in queries + queries {
      let view = query.views[0]
      var found: [KeypointVotes.Row] = []
      votes.append(
        milliseconds {
          let counter = KeypointVotes(query.keypoints)
          for live in segments { found = counter.rows(in: live, limit: 512) }
        })
      // As many as a match checks.
      let last = segments[segments.count - 1].segment
      checks.append(
        milliseconds {
          let check = GeometricCheck(query)
          for row in found.prefix(144) {
            let agreed = check.alignment(of: row.row, in: last, isMirrored: row.isMirrored)
            sink &+= agreed?.inliers ?? 1
          }
        })
      hashes.append(
        milliseconds {
          let found = scan.nearest(to: .hashes(query.views.flatMap(\.variants)), limit: 256)
          sink &+= found.top.sorted.count
        })
      appearances.append(
        milliseconds {
          let found = scan.nearest(to: .appearance(view.color, view.texture), limit: 256)
          sink &+= found.top.sorted.count
        })
    }
    precondition(sink != 0)
    // The first round has read all data once.
    func warm(_ times: [Double]) -> Double { median(Array(times.suffix(queries.count))) }
    print(
      """
      {"pictures":\(count),"segments":\(segments.count),"bytesPerPicture":\(bytes / count),"mergeMs":\(mergeMs),\
      "querySignatureMs":\(signingMs),\
      "votesMs":\(warm(votes)),"checkMs":\(warm(checks)),"hashScanMs":\(warm(hashes)),"appearanceScanMs":\(warm(appearances))}
      """)
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
