import Foundation
@testable import PixelMatch
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Segment files that other programs change while they are mapped.
@Suite struct ChangedSegmentTests {
  /// A segment file of random signatures.
  private struct Fixture {
    let folder: TemporaryDirectory
    let path: String
    let bytes: [UInt8]
    let signatures: [Signature]

    init(rows: Int = 300) throws {
      var generator = SeededGenerator(seed: 5)
      var writer = SegmentWriter()
      signatures = (0..<rows).map { _ in Signature.random(using: &generator) }
      for (row, signature) in signatures.enumerated() {
        writer.append(signature, key: UInt32(row), tag: 0, filterBits: 0)
      }
      bytes = writer.encoded()
      folder = try TemporaryDirectory()
      path = try folder.write(bytes, to: "a.segment")
    }

    /// Writes into the existing file, as `cp` and `rsync --inplace` do.
    func overwrite(_ bytes: [UInt8]) throws {
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: bytes)
      try file.close()
    }

    func truncate(to count: Int) throws {
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.truncate(atOffset: UInt64(count))
      try file.close()
    }

    /// Reads all data that a search reads.
    func scan(_ segment: SignatureSegment) {
      let live = LiveSegment(segment)
      let scan = FlatScan([live])
      _ = scan.nearest(to: .hashes([signatures[0].pdq]), limit: 5)
      for row in 0..<segment.count { _ = segment.signature(at: row) }
    }
  }

  /// A fault past the new end would end the process with SIGBUS; a result from the zeros that are
  /// read instead would be wrong.
  @Test(arguments: [0, 1, 4096, 5000, 8192, 100_000])
  func `a truncated file ends no process, and is told`(byteCount: Int) throws {
    let fixture = try Fixture()
    let segment = try SignatureSegment(path: fixture.path)
    try segment.verify()
    try segment.checkUnchanged()
    try fixture.truncate(to: byteCount)
    fixture.scan(segment)
    let error = #expect(throws: SegmentError.self) { try segment.checkUnchanged() }
    #expect(error?.code == .truncated)
    #expect(error?.path == fixture.path)
    let opened = #expect(throws: SegmentError.self) { try SignatureSegment(path: fixture.path) }
    #expect(opened?.code == .truncated || opened?.code == .notASegment)
  }

  @Test func `a file that is truncated while it is scanned ends no process`() throws {
    let fixture = try Fixture(rows: 5000)
    let segment = try SignatureSegment(path: fixture.path)
    var isTruncated = false
    let scan = FlatScan([LiveSegment(segment)])
    _ = scan.nearest(to: .hashes([fixture.signatures[0].pdq]), limit: 5) {
      // Called between two chunks of rows.
      if !isTruncated { try? fixture.truncate(to: 4096) }
      isTruncated = true
      return false
    }
    #expect(isTruncated)
    #expect(throws: SegmentError.self) { try segment.checkUnchanged() }
  }

  @Test func `two threads that read what has gone both go on`() async throws {
    let fixture = try Fixture()
    let segment = try SignatureSegment(path: fixture.path)
    try fixture.truncate(to: 4096)
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { fixture.scan(segment) } }
    }
    #expect(throws: SegmentError.self) { try segment.checkUnchanged() }
  }

  @Test func `a file that is made whole again under a mapping is still told`() throws {
    let fixture = try Fixture()
    let segment = try SignatureSegment(path: fixture.path)
    try fixture.truncate(to: 4096)
    fixture.scan(segment)
    try fixture.overwrite(fixture.bytes)
    #expect(throws: SegmentError.self) { try segment.checkUnchanged() }
    try SignatureSegment(path: fixture.path).verify()
  }

  @Test func `a file that was written to or has grown is told`() throws {
    for added in [[], [UInt8](repeating: 1, count: 10_000)] {
      let fixture = try Fixture()
      let segment = try SignatureSegment(path: fixture.path)
      try fixture.overwrite(fixture.bytes.reversed() + added)
      fixture.scan(segment)
      let error = #expect(throws: SegmentError.self) { try segment.checkUnchanged() }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func `another file of the same name leaves the mapped one as it was`() throws {
    let fixture = try Fixture()
    let segment = try SignatureSegment(path: fixture.path)
    let other = try fixture.folder.write([1, 2, 3], to: "b")
    try FileManager.default.removeItem(atPath: fixture.path)
    try FileManager.default.moveItem(atPath: other, toPath: fixture.path)
    try segment.verify()
    try segment.checkUnchanged()
    #expect(segment.signature(at: 299) == fixture.signatures[299])
  }

  /// More than one block of guarded ranges, and reused ranges.
  @Test func `each damaged file is told, and no other`() throws {
    let whole = try Fixture(rows: 10)
    for _ in 0..<3 {
      let fixtures = try (0..<70).map { _ in try Fixture(rows: 10) }
      let segments = try fixtures.map { try SignatureSegment(path: $0.path) }
      for place in stride(from: 0, to: 70, by: 2) { try fixtures[place].truncate(to: 4096) }
      for (place, segment) in segments.enumerated() {
        fixtures[place].scan(segment)
        let isWhole = (try? segment.checkUnchanged()) != nil
        #expect(isWhole == !place.isMultiple(of: 2))
      }
      try SignatureSegment(path: whole.path).verify()
    }
  }

  #if os(Linux)
    /// A handler that caught every fault would hide faults of the program that uses this library.
    @Test func `a fault outside the guarded files is the process's own`() async {
      await #expect(processExitsWith: .signal(SIGBUS)) {
        let fixture = try Fixture(rows: 10)
        let segment = try SignatureSegment(path: fixture.path)
        try fixture.truncate(to: 4096)
        fixture.scan(segment)
        let other = try fixture.folder.write([UInt8](repeating: 1, count: 8192), to: "other")
        let file = unsafe open(other, O_RDONLY)
        let mapped = unsafe mmap(nil, 8192, PROT_READ, MAP_PRIVATE, file, 0)!
        _ = unsafe truncate(other, 0)
        _ = unsafe mapped.load(fromByteOffset: 4096, as: UInt8.self)
      }
    }

    @Test func `the handler before is asked about faults outside the guarded files`() async {
      await #expect(processExitsWith: .exitCode(42)) {
        _ = signal(SIGBUS) { _ in _exit(42) }
        let fixture = try Fixture(rows: 10)
        let segment = try SignatureSegment(path: fixture.path)
        try fixture.truncate(to: 4096)
        fixture.scan(segment)
        raise(SIGBUS)
        _exit(0)
      }
    }
  #endif
}
