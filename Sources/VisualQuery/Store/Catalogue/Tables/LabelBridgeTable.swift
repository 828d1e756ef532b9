/// The table `labelBridge`: the labels of the shop that outside words stand for.
package struct LabelBridgeTable {
  let connection: CatalogueConnection

  private enum Column: Int, SQLiteColumns { case label, target }

  /// Returns the targets of each word, in their order.
  package func targets() throws(CatalogueError) -> [String: [String]] {
    var targets: [String: [String]] = [:]
    try connection.forEachRow(
      "SELECT \(Column.list) FROM labelBridge ORDER BY label, target"
    ) { row in targets[row.text(Column.label), default: []].append(row.text(Column.target)) }
    return targets
  }

  /// Returns the label bridge.
  package func bridge() throws(CatalogueError) -> LabelBridge {
    LabelBridge(targets: try targets().mapValues(Set.init))
  }

  /// Returns the targets of a normalized label.
  func targets(of label: String) throws(CatalogueError) -> [String] {
    try connection.rows(
      "SELECT target FROM labelBridge WHERE label = ? ORDER BY target", [.text(label)]
    ) { $0.onlyText }
  }

  /// Replaces the label bridge.
  package func replace(with bridge: LabelBridge) throws(CatalogueError) {
    try connection.execute("DELETE FROM labelBridge")
    for (label, targets) in bridge.targets.sorted(by: { $0.key < $1.key }) {
      for target in targets.sorted() {
        try connection.statement("INSERT INTO labelBridge VALUES(?, ?)")
          .bind(.text(label), .text(target)).run()
      }
    }
  }
}
