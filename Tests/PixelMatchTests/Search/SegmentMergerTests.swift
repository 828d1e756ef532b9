import Foundation
import Synchronization
import TestSupport
import Testing
@testable import PixelMatch

@Suite struct SegmentMergerTests {
  /// Would break if a merged segment found other images than a segment that is written at once.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `merging gives the bytes of writing the live rows at once`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (sources, whole): ([LiveSegment], SegmentWriter) = ([], SegmentWriter())
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      var own = SegmentWriter()
      var dead: [Int] = []
      // Sizes far apart have words of different lengths, and a source may lose nearly all rows.
      let share = Int.random(in: 0...9, using: &generator)
      for row in 0..<[0, 1, 9, 70, 300].randomElement(using: &generator)! {
        var signature = Signature.random(using: &generator)
        if seed % 2 == 0, share < 6 { signature.embedding = .random(using: &generator) }
        let (key, tag) = (UInt32(row), UInt32.random(in: 0...9, using: &generator))
        own.append(signature, key: key, tag: tag, filterBits: 1 << UInt64(row % 64))
        if Int.random(in: 0...9, using: &generator) < share {
          dead.append(row)
        } else {
          whole.append(signature, key: key, tag: tag, filterBits: 1 << UInt64(row % 64))
        }
      }
      sources.append(LiveSegment(try SignatureSegment(bytes: own.encoded()), deadRows: dead))
    }
    #expect(try SegmentMerger(sources).rowCount == whole.count)
    for threads in 1...2 {
      #expect(try Self.merged(sources, threads: threads) == whole.encoded())
    }
  }

  /// Would break if segments of an older version were merged without the sums of their bins.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `segments without sums are given them when they are merged`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var whole = SegmentWriter()
    let sources = try (0..<3).map { number in
      var own = SegmentWriter()
      for row in 0..<20 {
        var signature = Signature.random(using: &generator)
        if seed % 2 == 0 { signature.embedding = .random(using: &generator) }
        own.append(signature, key: UInt32(row))
        whole.append(signature, key: UInt32(row))
      }
      let bytes = number == 1 ? own.encoded() : try SegmentLayout.withoutSums(own.encoded())
      return LiveSegment(try SignatureSegment(bytes: bytes))
    }
    #expect(try Self.merged(sources) == whole.encoded())
  }

  /// Words of a merged segment are up to 16 bits longer than those of its sources, and some of these have
  /// longer words than others. Would break if a list were read for the wrong words, or twice, or if merging
  /// in steps gave another order of the postings than merging at once.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func `merging in steps gives the bytes of merging at once`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var whole = SegmentWriter()
    let sources = try [1, 2, 200, 3, 60, 1, 500, 30].shuffled(using: &generator).map { count in
      var own = SegmentWriter()
      // Every third row has this signature, so that rows share visual words.
      let common = Signature.random(using: &generator)
      for row in 0..<count {
        let signature = row % 3 == 0 ? common : Signature.random(using: &generator)
        own.append(signature, key: UInt32(row))
        whole.append(signature, key: UInt32(row))
      }
      return LiveSegment(try SignatureSegment(bytes: own.encoded()))
    }
    let bytes = whole.encoded()
    let own = Set(sources.map(\.segment.wordBits))
    let merged = try SignatureSegment(bytes: bytes).wordBits
    #expect(own.count >= 3 && own.allSatisfy { $0 < merged })
    #expect(try Self.merged(sources) == bytes)
    let halves = try [Array(sources[..<4]), Array(sources[4...])].map { half in
      LiveSegment(try SignatureSegment(bytes: try Self.merged(half)))
    }
    #expect(try Self.merged(halves) == bytes)
  }

  /// Returns the bytes of merged segments.
  private static func merged(_ sources: [LiveSegment], threads: Int = 2) throws -> [UInt8] {
    let stored = Mutex<[UInt8]>([])
    let merger = try SegmentMerger(sources)
    try merger.write(
      { part, offset throws(SegmentError) in
        let part = part.indices.map { part[$0] }
        stored.withLock { bytes in
          let missing = offset + part.count - bytes.count
          if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
          bytes.replaceSubrange(offset..<offset + part.count, with: part)
        }
      },
      reading: { range throws(SegmentError) in stored.withLock { Array($0[range]) } },
      threads: threads)
    let bytes = stored.withLock { $0 }
    #expect(merger.byteCount == bytes.count)
    return bytes
  }

  /// Would break if the lists of all sources stayed in memory until a batch is done: the system maps 64 KB around each
  /// of its 256 lists, 16 MB of each source.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/smaps")))
  func `the lists of a source do not stay in memory`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "merged-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    var generator = SeededGenerator(seed: 3)
    let sources = try (0..<3).map { number in
      var writer = SegmentWriter()
      for row in 0..<200 { writer.append(.random(using: &generator), key: UInt32(row)) }
      let file = folder.appending(path: "\(number).segment")
      try Data(writer.encoded()).write(to: file)
      return LiveSegment(try SignatureSegment(path: file.path))
    }
    let merged = try SignatureSegment(bytes: try Self.merged(sources))
    let merger = PostingMerger(
      sources, newRows: (0..<3).map { source in (0..<200).map { UInt32(200 * source + $0) } },
      starts: merged.withWordIndex { starts, _ in starts.indices.map { starts[$0] } },
      bits: merged.wordBits)
    for live in sources { _ = live.segment.binSums }
    #expect(try Self.residentBytes(of: folder.path) > 0)
    for live in sources { live.segment.releaseMemory() }
    let batch = try #require(merger.batches.first)
    #expect(merger.postings(of: batch).runs.contains { !$0.range.isEmpty })
    #expect(try Self.residentBytes(of: folder.path) == 0)
  }

  /// Returns how many bytes of the files below a folder this process has mapped and in memory.
  private static func residentBytes(of folder: String) throws -> Int {
    var (bytes, isWithin) = (0, false)
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let maps = try #require(try file.readToEnd())
    for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first?.contains("-") == true { isWithin = line.contains(folder) }
      if isWithin, words.first == "Rss:" { bytes += 1024 * (Int(words[1]) ?? 0) }
    }
    return bytes
  }

  /// Would break if a failure on either thread were lost, or if one of them ended the process.
  @Test(arguments: [0.0, 0.1, 0.5, 0.9])
  func `a file that cannot be written is an error`(share: Double) throws {
    var generator = SeededGenerator(seed: 4)
    var writer = SegmentWriter()
    for row in 0..<40 { writer.append(.random(using: &generator), key: UInt32(row)) }
    let source = LiveSegment(try SignatureSegment(bytes: writer.encoded()))
    let limit = Int(share * Double(writer.encoded().count))
    let merger = try SegmentMerger([source])
    for isReading in [false, true] {
      #expect(throws: SegmentError.self) {
        try merger.write(
          { _, offset throws(SegmentError) in
            if !isReading && offset >= limit {
              throw SegmentError(code: .unreadable, path: nil, message: "full")
            }
          },
          reading: { range throws(SegmentError) in
            throw SegmentError(code: .unreadable, path: nil, message: "gone")
          })
      }
    }
  }

  /// Damage must not be copied under checksums that are right.
  @Test func `a damaged source is refused`() throws {
    var generator = SeededGenerator(seed: 1)
    var writer = SegmentWriter()
    for row in 0..<20 { writer.append(.random(using: &generator), key: UInt32(row)) }
    var bytes = writer.encoded()
    bytes[bytes.count / 2] ^= 1
    let damaged = LiveSegment(try SignatureSegment(bytes: bytes))
    let error = #expect(throws: SegmentError.self) { try SegmentMerger([damaged]) }
    #expect(error?.code == .corrupt)
  }
}
