/// The stages of a query, the cheapest first.
enum SearchStage: Int, Sendable, CaseIterable, Comparable {
  /// Entities that share a label.
  case words
  /// The scan of hashes.
  case hashes
  /// The votes of corners.
  case votes
  /// The scan of colors and textures.
  case appearance
  /// The check of the best candidates' corners.
  case geometry

  static func < (a: SearchStage, b: SearchStage) -> Bool { a.rawValue < b.rawValue }

  /// About how long it takes among a few thousand pictures, in the same unit for all: what coverage
  /// is counted in.
  var cost: Double {
    switch self {
    case .words, .hashes, .appearance: 1
    case .votes, .geometry: 4
    }
  }
}
