import VisualQuery

/// The findings of `vq doctor` for people: a summary, the entities with the most findings, and each
/// kind with examples.
struct DoctorReport {
  private typealias Finding = CatalogueDoctor.Finding

  /// The most entities in the summary.
  private static let worstLimit = 10
  /// The most examples of a kind.
  private static let exampleLimit = 3

  /// The lines of the report.
  let lines: [String]

  /// Makes a report; it has no lines if there are no findings.
  init(_ findings: [CatalogueDoctor.Finding], entityCount: Int) {
    if findings.isEmpty {
      lines = []
      return
    }
    let kinds = Dictionary(grouping: findings, by: \.kind).sorted {
      ($1.value.count, $0.key.rawValue) < ($0.value.count, $1.key.rawValue)
    }
    let counts = kinds.map { "\($0.key.rawValue) \($0.value.count)" }.joined(separator: ", ")
    var lines = [
      "\(DisplayText.count(findings.count, "finding", "findings")) in "
        + "\(DisplayText.count(entityCount, "entity", "entities")): \(counts)"
    ]
    let byEntity = Dictionary(grouping: findings, by: \.id).filter { $0.value.count > 1 }.sorted {
      ($1.value.count, $0.key) < ($0.value.count, $1.key)
    }
    if !byEntity.isEmpty {
      let worst = byEntity.prefix(Self.worstLimit).map { "\($0.key) (\($0.value.count))" }
      lines.append("most findings: \(worst.joined(separator: ", "))")
    }
    for (kind, findings) in kinds {
      lines.append("")
      lines += kind == .indistinguishable ? Self.twins(findings) : Self.examples(findings)
    }
    self.lines = lines
  }

  private static func examples(_ findings: [Finding]) -> [String] {
    var lines = findings.prefix(exampleLimit).map { "\($0.id) \($0.detail)" }
    if findings.count > exampleLimit {
      lines.append("… and \(findings.count - exampleLimit) more of '\(findings[0].kind.rawValue)'")
    }
    return lines + ["    \(findings[0].cure)"]
  }

  /// An image of an entity.
  private struct Use: Hashable {
    let id: String
    let image: Int?
  }

  /// Returns the groups of entities that share an image, the largest first. An entity with several
  /// images can be in several groups, whose other entities have nothing in common.
  private static func twins(_ findings: [Finding]) -> [String] {
    var groupOf: [Use: Int] = [:]
    var groups: [[Use]] = []
    for finding in findings {
      guard let twin = finding.twin.map({ Use(id: $0, image: finding.twinImage) }) else { continue }
      let use = Use(id: finding.id, image: finding.sharedImage)
      switch (groupOf[use], groupOf[twin]) {
      case (nil, nil):
        (groupOf[use], groupOf[twin]) = (groups.count, groups.count)
        groups.append([use, twin])
      case (let group?, nil):
        groupOf[twin] = group
        groups[group].append(twin)
      case (nil, let group?):
        groupOf[use] = group
        groups[group].append(use)
      case (let first?, let second?) where first != second:
        for use in groups[second] { groupOf[use] = first }
        groups[first] += groups[second]
        groups[second] = []
      default: continue
      }
    }
    // Entities that share several images are one line.
    let large = Set(groups.filter { !$0.isEmpty }.map { Set($0.map(\.id)).sorted() }).sorted {
      ($1.count, $0[0], $0.joined(separator: "\n")) < ($0.count, $1[0], $1.joined(separator: "\n"))
    }
    var lines = large.prefix(worstLimit).map { group in
      let more = group.count > 5 ? " and \(group.count - 5) more" : ""
      return "\(group.prefix(5).joined(separator: ", "))\(more) have the same image"
    }
    if large.count > worstLimit { lines.append("… and \(large.count - worstLimit) more groups") }
    return lines + ["    \(findings[0].cure)"]
  }
}
