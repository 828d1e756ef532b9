internal import PixelMatch

/// Compares segments with their records in the database.
struct SegmentVerifier {
  private var segments: [Int: (file: String, segment: SignatureSegment, isUsed: [Bool])] = [:]
  private var findings: [String] = []
  private let deadRows: [Int: [Int]]

  init(deadRows: [Int: [Int]]) { self.deadRows = deadRows }

  mutating func add(_ record: SegmentList.Record, _ opened: OpenedGeneration.Segment) {
    do {
      let segment = try opened.get()
      try segment.verify()
      var isUsed = [Bool](repeating: false, count: segment.count)
      for row in deadRows[record.id] ?? [] {
        if row < segment.count {
          isUsed[row] = true
        } else {
          findings.append("'\(record.file)' has no row \(row), which is listed as replaced")
        }
      }
      segments[record.id] = (record.file, segment, isUsed)
    } catch let error as SegmentError {
      findings.append("'\(record.file)': \(error.message)")
    } catch {
      findings.append("'\(record.file)': \((error as? CatalogueError)?.message ?? "\(error)")")
    }
  }

  mutating func check(_ image: ImageTable.OwnedImage) {
    let (number, row) = (image.record.segment, image.record.row)
    let name = "image \(image.record.position) of \(image.entity)"
    // A segment that cannot be read has been reported already.
    guard let record = segments[number] else { return }
    guard row < record.segment.count else {
      return findings.append(
        "\(name) refers to row \(row) of '\(record.file)', which does not exist")
    }
    if record.isUsed[row] {
      findings.append(
        "\(name) refers to a row of '\(record.file)' that is replaced or used by another image")
    }
    if record.segment.key(at: row) != image.key
      || record.segment.tag(at: row) != UInt32(clamping: image.record.position)
    {
      findings.append("\(name) refers to a row of '\(record.file)' that belongs to another image")
    }
    segments[number]?.isUsed[row] = true
  }

  func finished() -> [String] {
    findings
      + segments.sorted { $0.key < $1.key }.compactMap { _, record in
        if (try? record.segment.checkUnchanged()) == nil {
          return "'\(record.file)' was changed while it was read"
        }
        let unused = record.isUsed.count { !$0 }
        return unused == 0
          ? nil : "'\(record.file)' has \(unused) rows that no image refers to"
      }
  }
}
