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

  /// Returns the groups of entities that share an image, the largest first.
  private static func twins(_ findings: [Finding]) -> [String] {
    var groupOf: [String: Int] = [:]
    var groups: [[String]] = []
    for finding in findings {
      guard let twin = finding.twin else { continue }
      switch (groupOf[finding.id], groupOf[twin]) {
      case (nil, nil):
        (groupOf[finding.id], groupOf[twin]) = (groups.count, groups.count)
        groups.append([finding.id, twin])
      case (let group?, nil):
        groupOf[twin] = group
        groups[group].append(twin)
      case (nil, let group?):
        groupOf[finding.id] = group
        groups[group].append(finding.id)
      case (let first?, let second?) where first != second:
        for id in groups[second] { groupOf[id] = first }
        groups[first] += groups[second]
        groups[second] = []
      default: continue
      }
    }
    let large = groups.filter { !$0.isEmpty }.map { $0.sorted() }.sorted {
      ($1.count, $0[0]) < ($0.count, $1[0])
    }
    var lines = large.prefix(worstLimit).map { group in
      let more = group.count > 5 ? " and \(group.count - 5) more" : ""
      return "\(group.prefix(5).joined(separator: ", "))\(more) have the same image"
    }
    if large.count > worstLimit { lines.append("… and \(large.count - worstLimit) more groups") }
    return lines + ["    \(findings[0].cure)"]
  }
}
