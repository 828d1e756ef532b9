/// What outside words mean in a shop's own labels.
///
/// A CSV file that a shop edits, with the columns `label`, `labels` and, if wanted, `synonyms`; lists
/// are divided by `|`:
///
/// ```text
/// label,labels,synonyms
/// footwear,sneaker|boot,shoes|kicks
/// ```
///
/// A query's `footwear`, `shoes` or `kicks` is then taken for `sneaker` and `boot`, too.
public struct LabelBridge: Sendable, Hashable {
  /// The shop's labels by the outside word, all normalised.
  let targets: [String: Set<String>]

  init(targets: [String: Set<String>]) { self.targets = targets }
}
