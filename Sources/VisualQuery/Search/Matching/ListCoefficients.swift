/// The coefficients of ``PossibleEntities``, by name, and its trees.
struct ListCoefficients: Sendable {
  /// The factor of the log-odds of a confidence, if more than the image speaks.
  let oddsFactor: Double
  /// The addition for an entity with several images, one of which is often alike by chance.
  let several: Double
  /// The factor of the agreement of text: a brand has the same words on all of its things, also on those that the catalogue lacks.
  let textFactor: Double
  /// The factor of the lead of an embedding beside the trees; and in directions that are fitted to the catalogue, in which it says more of the thing.
  let embeddingFactor, directedFactor: Double
  /// The utility of none of the candidates: by the trees, with words, with text, and with an embedding.
  let none, noneWords, noneText, noneEmbedding, noneDirected: Double
  /// The utility of a candidate before any question.
  let base: Double
  /// The trees: each adds the value of the leaf to which its questions lead, from the first on.
  let trees: [[PossibleEntities.Question]]

  init(_ file: CoefficientFile) {
    let numbers = file.column("value", of: "list")
    (oddsFactor, several) = (numbers["oddsFactor"]!, numbers["several"]!)
    textFactor = numbers["textFactor"]!
    embeddingFactor = numbers["embeddingFactor"]!
    directedFactor = numbers["directedFactor"]!
    (none, base) = (numbers["none"]!, numbers["base"]!)
    (noneWords, noneText) = (numbers["noneWords"]!, numbers["noneText"]!)
    (noneEmbedding, noneDirected) = (numbers["noneEmbedding"]!, numbers["noneDirected"]!)
    trees = file.lines(of: "trees").map { line in
      line.split(separator: "; ").map { PossibleEntities.Question($0)! }
    }
  }
}

extension PossibleEntities {
  /// A number that the trees ask for: the value of a kind of evidence, or a comparison of the candidate with its rivals.
  enum Feature: Int, Sendable, CaseIterable {
    case hash, color, texture, votes, inliers, agreement, inlierLead, lead, alignedColor, offColor,
      patches, contradiction, support
    /// The log-odds of its confidence.
    case odds
    /// Its log-odds minus those of the best other candidate, and of the third best.
    case oddsLead, thirdLead
    /// The logarithm of its inliers divided by the most inliers of another candidate, and the same for votes.
    case inlierRatio, voteRatio
  }

  /// One question of a tree, whether a feature is at most `limit`, and where its answers lead.
  struct Question: Sendable {
    /// The next step after an answer: a leaf, or another question.
    enum Step: Sendable {
      /// To the value of the tree.
      case leaf(Double)
      /// To another question of the tree.
      case question(Int)

      fileprivate init?(_ text: some StringProtocol) {
        if text.hasPrefix("="), let value = Double(text.dropFirst()) {
          self = .leaf(value)
        } else if text.hasPrefix("?"), let index = Int(text.dropFirst()) {
          self = .question(index)
        } else {
          return nil
        }
      }
    }

    let feature: Feature
    let limit: Double
    let low: Step
    let high: Step
    /// A Boolean value that indicates whether what was not measured counts as low.
    let isMissingLow: Bool

    /// Reads a question as the file of coefficients has it: `votes~ 396 =0.2356 ?2`.
    init?(_ text: some StringProtocol) {
      let words = text.split(separator: " ")
      guard words.count == 4, let limit = Double(words[1]),
        let feature = Feature.allCases.first(where: { "\($0)" == words[0].prefix { $0 != "~" } }),
        let low = Step(words[2]), let high = Step(words[3])
      else { return nil }
      (self.feature, self.limit, self.low, self.high) = (feature, limit, low, high)
      isMissingLow = words[0].hasSuffix("~")
    }

    /// Returns where a value leads, which is not a number if it was not measured.
    func step(for value: Double) -> Step {
      (value.isNaN ? isMissingLow : value <= limit) ? low : high
    }
  }
}
