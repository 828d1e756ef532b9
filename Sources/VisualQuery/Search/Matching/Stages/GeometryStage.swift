/// Verifies the geometry of the best candidates, and compares colors at the places that it aligns.
struct GeometryStage: SearchStage {
  static let step = QueryStep.geometry
  static let cost = QueryPlan.longCost

  @concurrent func run(on state: inout QueryState, in catalogue: Catalogue) async throws -> Double {
    var done = 0.0
    for index in state.findings.searches.indices {
      done += state.findings.searches[index].verifyGeometry(shouldStop: state.query.shouldStop)
    }
    return state.findings.searches.isEmpty ? 1 : done / Double(state.findings.searches.count)
  }
}
