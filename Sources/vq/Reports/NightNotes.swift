#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// The findings of the last report of a run, by which the next report tells which of its own are new. They are stored
/// as `report.json` in the index.
struct NightNotes: Codable, Sendable, Hashable {
  /// The most findings and images that are remembered; those beyond are not called new.
  static let limit = 50_000
  /// The most bytes of the file that are read.
  private static let byteLimit = 64_000_000

  private var schema = "vq.report/1"
  /// The findings of the doctor, as ``key(of:)`` gives them.
  private(set) var findings: Set<String> = []
  /// The days since which images cannot be used, by the entity and the address or path.
  private(set) var images: [String: String] = [:]
  /// True if there are more findings than are remembered.
  private(set) var isCut = false

  init() {}

  /// Reads the notes of an index; `nil` if it has none that can be read.
  init?(index: String) {
    guard
      let bytes = try? ImageDecoder(limits: DecodeLimits(byteLimit: Self.byteLimit))
        .contents(ofFile: Self.path(index)),
      let notes = try? JSONDecoder().decode(NightNotes.self, from: Data(bytes))
    else { return nil }
    self = notes
  }

  private static func path(_ index: String) -> String { index + "/report.json" }

  /// Returns a text that tells a finding from others on later days.
  static func key(of finding: CatalogueDoctor.Finding) -> String {
    "\(finding.kind.rawValue) \(finding.id)" + (finding.twin.map { " \($0)" } ?? "")
  }

  /// Returns the findings that are new, and remembers all in place of those before.
  mutating func take(_ all: [CatalogueDoctor.Finding]) -> [CatalogueDoctor.Finding] {
    let (known, wasCut) = (findings, isCut)
    let keys = all.map(Self.key)
    findings = Set(keys.prefix(Self.limit))
    isCut = keys.count > Self.limit
    // The remembered list was cut, so a finding that is not in it may still be an old one. None
    // is reported as new.
    if wasCut { return [] }
    return zip(all, keys).filter { !known.contains($0.1) }.map(\.0)
  }

  /// Remembers the images that cannot be used, in place of those before, and returns the day since which each cannot.
  ///
  /// - Parameter day: Today.
  mutating func take(images failing: [String], on day: String) -> [String] {
    let known = images
    images = [:]
    return failing.map { image in
      let since = known[image] ?? day
      if images.count < Self.limit { images[image] = since }
      return since
    }
  }

  /// Writes the notes into an index.
  ///
  /// - Throws: The error of the system.
  func write(index: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let name = Self.path(index) + ".tmp"
    // The file is not readable by others, because addresses of images may have secrets.
    let file = try FileDescriptor.creating(name, for: Self.path(index), mode: 0o640)
    defer { file.close() }
    try file.write(Array(try encoder.encode(self)))
    try FileDescriptor.rename(name, to: Self.path(index))
  }
}
