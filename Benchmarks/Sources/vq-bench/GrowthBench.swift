import Foundation
import PixelMatch

/// The time of a query's stages in catalogues of growing size.
///
/// A row is a real image's signature in which a quarter of all keypoint bits are flipped, so that
/// no two are equal while words stay unevenly used. Every other given image is a query, the rest
/// are rows.
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
    var generator = SplitMix(state: 7)
    for count in counts {
      var segments: [LiveSegment] = []
      for start in stride(from: 0, to: count, by: segmentRows) {
        var writer = SegmentWriter()
        for row in start..<min(start + segmentRows, count) {
          writer.append(
            redrawn(signatures[row % signatures.count], &generator), key: UInt32(row))
        }
        segments.append(LiveSegment(try SignatureSegment(bytes: writer.encoded())))
      }
      let bytes = segments.reduce(0) { $0 + $1.segment.byteCount }
      report(count, bytes, segments, queries, signingMs: median(signing))
    }
  }

  private static func report(
    _ count: Int, _ bytes: Int, _ segments: [LiveSegment], _ queries: [QuerySignature],
    signingMs: Double
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
      {"pictures":\(count),"segments":\(segments.count),"bytesPerPicture":\(bytes / count),\
      "querySignatureMs":\(signingMs),\
      "votesMs":\(warm(votes)),"checkMs":\(warm(checks)),"hashScanMs":\(warm(hashes)),"appearanceScanMs":\(warm(appearances))}
      """)
  }

  private static func redrawn(_ signature: Signature, _ generator: inout SplitMix) -> Signature {
    let hashes = signature.keypoints.hashes.map { hash in
      var words = hash.words
      for word in 0..<3 {
        words[word] ^= UInt32(truncatingIfNeeded: generator.next() & generator.next())
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
