internal import PixelMatch

/// Holds segments against what is said of them.
struct SegmentVerifier {
  private var segments: [Int: (file: String, segment: SignatureSegment, isUsed: [Bool])] = [:]
  private var findings: [String] = []
  private let deadRows: [Int: [Int]]

  init(deadRows: [Int: [Int]]) { self.deadRows = deadRows }

  mutating func add(_ record: CatalogueDatabase.SegmentRecord, in directory: String) {
    do {
      let segment = try Catalogue.open(record, in: directory)
      try segment.verify()
      var isUsed = [Bool](repeating: false, count: segment.count)
      for row in deadRows[record.id] ?? [] {
        if row < segment.count {
          isUsed[row] = true
        } else {
          findings.append("'\(record.file)' has no row \(row), which is said to be replaced")
        }
      }
      segments[record.id] = (record.file, segment, isUsed)
    } catch let error as SegmentError {
      findings.append("'\(record.file)': \(error.message)")
    } catch {
      findings.append("'\(record.file)': \((error as? CatalogueError)?.message ?? "\(error)")")
    }
  }

  mutating func check(_ image: CatalogueDatabase.OwnedImage) {
    let (number, row) = (image.record.segment, image.record.row)
    let name = "picture \(image.record.position) of \(image.entity)"
    // A segment that cannot be read was named already.
    guard let known = segments[number] else { return }
    guard row < known.segment.count else {
      return findings.append("\(name) refers to row \(row) of '\(known.file)', which has none")
    }
    if known.isUsed[row] {
      findings.append("\(name) refers to a row of '\(known.file)' that is replaced or another's")
    }
    if known.segment.key(at: row) != image.key
      || known.segment.tag(at: row) != UInt32(clamping: image.record.position)
    {
      findings.append("\(name) refers to a row of '\(known.file)' that says it is another's")
    }
    segments[number]?.isUsed[row] = true
  }

  func finished() -> [String] {
    findings
      + segments.sorted { $0.key < $1.key }.compactMap { _, known in
        if (try? known.segment.checkUnchanged()) == nil {
          return "'\(known.file)' was changed while it was read"
        }
        let unused = known.isUsed.count { !$0 }
        return unused == 0
          ? nil : "'\(known.file)' has \(unused) rows that no picture refers to"
      }
  }
}
