/// One step of a query, which adds to what is known of the candidates.
///
/// A stage neither ranks nor answers. It stops between blocks of work as soon as the query is to stop,
/// and says how far it came.
protocol SearchStage: Sendable {
  /// The step of a query that the stage is.
  static var step: QueryStep { get }

  /// The relative time that the stage takes among a few thousand images: the unit of coverage.
  static var cost: Double { get }

  /// True if the stage runs even if the deadline has passed.
  static var runsPastDeadline: Bool { get }

  /// True if the stage compares the query with all images, so that its share is that of the images.
  static var isScan: Bool { get }

  /// Runs the stage.
  ///
  /// - Returns: The share of the stage's work that was done, `0...1`.
  /// - Throws: ``CatalogueError``.
  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double
}

extension SearchStage {
  static var runsPastDeadline: Bool { false }
  static var isScan: Bool { false }
  /// A scan of all images, which is the unit.
  static var cost: Double { 1 }
}

/// The stages of a query and the share of each that is done.
struct QueryPlan: Sendable {
  private let stages: [any SearchStage]
  /// The cost of stages that should run and cannot.
  private let omittedCost: Double
  private var shares: [Double]
  private var nextIndex = 0
  private var isStopped = false

  /// Plans to run stages in their order, the cheapest first.
  ///
  /// - Parameter omitted: The stages that should run and cannot; they count as not done.
  init(_ stages: [any SearchStage], omitted: [any SearchStage.Type] = []) {
    self.stages = stages
    omittedCost = omitted.reduce(0) { $0 + $1.cost }
    shares = [Double](repeating: 0, count: stages.count)
  }

  /// The stage to run next, or `nil` if none is left.
  var next: (any SearchStage)? { isStopped || nextIndex == stages.count ? nil : stages[nextIndex] }

  /// Records how much of the next stage was done, and goes on to the one behind it.
  mutating func finishNext(share: Double) {
    shares[nextIndex] = share
    nextIndex += 1
  }

  /// Counts the stages that have not run as done, since they could not change the answer.
  mutating func settle() {
    for index in nextIndex..<stages.count { shares[index] = 1 }
    isStopped = true
  }

  /// True if all stages so far ran to their end.
  var isWholeSoFar: Bool { omittedCost == 0 && shares[..<nextIndex].allSatisfy { $0 == 1 } }

  /// Drops the stages that have not run.
  mutating func stop() { isStopped = true }

  /// The share of the images that every scan has reached, `0...1`.
  var scannedShare: Double {
    if omittedCost > 0 { return 0 }
    return zip(stages, shares).filter { type(of: $0.0).isScan }.map(\.1).min() ?? 0
  }

  /// True if all stages ran to their end.
  var isComplete: Bool { omittedCost == 0 && shares.allSatisfy { $0 == 1 } }

  /// The share of the planned work that was done, `0...1`.
  var coverage: Double { isComplete ? 1 : partialCoverage }

  /// The cost of a stage that compares keypoints; that of a scan is the unit.
  static let longCost = 4.0

  /// The largest share of work of which something is left, however little.
  static let nearlyAll = 0.9999

  /// The share of the planned work that was done, below 1 since something else is known to be left.
  var partialCoverage: Double {
    let total = stages.reduce(omittedCost) { $0 + type(of: $1).cost }
    let done = zip(stages, shares).reduce(0) { $0 + type(of: $1.0).cost * $1.1 }
    return min(done / total, Self.nearlyAll)
  }
}
