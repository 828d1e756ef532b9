import Foundation
import PixelMatch

/// The time of whole searches in several segments, as an index has before it is compacted.
///
/// A search signs a decoded image, compares its hashes and histograms with those of all rows, lets its
/// keypoints vote in each segment, and verifies the 144 rows with the most votes of all segments. As in a
/// match, segments vote side by side and scans are divided, on all processors; geometry is verified on one.
/// All images are searched for once before they are measured, so that what they read is in memory.
enum SegmentsBench {
  private static let (kept, verified) = (256, 144)
  /// The number of searches for an image, of which the shortest counts: other programs run beside them.
  private static let rounds = 3

  private struct Vote: Sendable {
    let segment: Int
    let row: KeypointVotes.Row
  }

  static func run(segments paths: [String], pictures images: [String]) async throws {
    let pictures = try GrowthBench.decoded(images)
    let segments = try paths.map { LiveSegment(try SignatureSegment(path: $0)) }
    var line = GrowthBench.Line()
    line.add("pictures", Double(segments.reduce(0) { $0 + $1.segment.count }))
    line.add("segments", Double(segments.count))
    line.add("gigabytes", Double(segments.reduce(0) { $0 + $1.segment.byteCount }) / 1e9)
    for picture in pictures { try await search(picture, segments) }
    for threads in [ProcessInfo.processInfo.activeProcessorCount, 1] {
      var (times, processor): ([Double], [Double]) = ([], [])
      for picture in pictures {
        var shortest = Double.infinity
        for _ in 0..<rounds {
          let (start, used) = (ContinuousClock.now, GrowthBench.processorMilliseconds())
          try await search(picture, segments, threads: threads)
          shortest = min(shortest, (ContinuousClock.now - start) / .milliseconds(1))
          processor.append(GrowthBench.processorMilliseconds() - used)
        }
        times.append(shortest)
      }
      let name = threads == 1 ? "One" : "All"
      line.add("search\(name)Ms", median(times))
      line.add("search\(name)LongestMs", times.max() ?? 0)
      line.add("search\(name)ProcessorMs", median(processor))
    }
    // Segments that are not used any more would be unmapped.
    let resident = try withExtendedLifetime(segments) { try residentGigabytes(of: paths) }
    line.add("residentGigabytes", resident.all)
    line.add("residentOfSegmentsGigabytes", resident.segments)
    print("{\(line.fields.joined(separator: ","))}")
  }

  private static func search(
    _ picture: PixelBuffer, _ segments: [LiveSegment],
    threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) async throws {
    let query = QuerySignature(picture)
    let parts = await withTaskGroup(of: (votes: [Vote], rows: Int).self) { group in
      for part in 0..<threads {
        group.addTask { stages(query, segments, part: (part, threads)) }
      }
      var all: (votes: [Vote], rows: Int) = ([], 0)
      for await part in group { all = (all.votes + part.votes, all.rows + part.rows) }
      return all
    }
    let check = GeometricCheck(query)
    let best = parts.votes.sorted {
      ($1.row.weight, $0.segment, $0.row.row) < ($0.row.weight, $1.segment, $1.row.row)
    }.prefix(verified)
    for (segment, votes) in Dictionary(grouping: best, by: \.segment) {
      segments[segment].segment.beginReading(.alignment, of: votes.map(\.row.row))
    }
    var inliers = 0
    for vote in best {
      inliers +=
        check.alignment(
          of: vote.row.row, in: segments[vote.segment].segment, isMirrored: vote.row.isMirrored)?
        .inliers ?? 0
    }
    guard parts.rows > 0, inliers > 0 else { throw CocoaError(.fileReadCorruptFile) }
  }

  /// Scans a part of the rows and lets keypoints vote in a part of the segments.
  private static func stages(
    _ query: QuerySignature, _ segments: [LiveSegment], part: (index: Int, count: Int)
  ) -> (votes: [Vote], rows: Int) {
    let scan = FlatScan(segments)
    var rows = scan.nearest(
      to: .hashes(query.views.flatMap(\.variants)), limit: kept, part: part
    ).top.sorted.count
    let passes = query.views.map { FlatScan.Pass(.appearance($0.color, $0.texture)) }
    for found in scan.nearest(of: passes, limit: kept, part: part) {
      rows += found.top.sorted.count
    }
    let votes = stride(from: part.index, to: segments.count, by: part.count).flatMap { segment in
      KeypointVotes(query.keypoints).rows(in: segments[segment], limit: kept)
        .map { Vote(segment: segment, row: $0) }
    }
    return (votes, rows)
  }

  /// The memory that this process holds, mapped pages of files included, and that of the segments.
  private static func residentGigabytes(
    of paths: [String]
  ) throws -> (all: Double, segments: Double) {
    let names = Set(paths.map { URL(fileURLWithPath: $0).lastPathComponent })
    var (all, own) = (0.0, 0.0)
    var isOwn = false
    // A file of /proc tells no size, so a `String` of its path would be its first part.
    guard let file = FileHandle(forReadingAtPath: "/proc/self/smaps") else {
      throw CocoaError(.fileReadNoSuchFile)
    }
    var maps = Data()
    while let part = try file.read(upToCount: 1 << 16), !part.isEmpty { maps += part }
    for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0] == "Rss:" {
        let gigabytes = (Double(words[1]) ?? 0) * 1024 / 1e9
        all += gigabytes
        if isOwn { own += gigabytes }
      } else if !words[0].hasSuffix(":") {
        isOwn = names.contains(URL(fileURLWithPath: String(words.last ?? "")).lastPathComponent)
      }
    }
    return (all, own)
  }
}
