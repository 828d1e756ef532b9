/// The mapping from outside words to a shop's own labels.
///
/// It is a CSV file that the shop edits, with the columns `label`, `labels` and, optionally,
/// `synonyms`; lists are separated by `|`:
///
/// ```text
/// label,labels,synonyms
/// footwear,sneaker|boot,shoes|kicks
/// ```
///
/// A query with `footwear`, `shoes` or `kicks` then also matches `sneaker` and `boot`.
public struct LabelBridge: Sendable, Hashable {
  /// The shop's labels by outside word, all normalized.
  package let targets: [String: Set<String>]

  package init(targets: [String: Set<String>]) { self.targets = targets }
}
