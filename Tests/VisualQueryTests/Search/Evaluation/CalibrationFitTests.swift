import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct CalibrationFitTests {
  /// Would break if a fit ranked candidates otherwise than the search: without what other images of an entity show, or with a
  /// lead over another entity that has the same image.
  @Test(arguments: [0, 6, 100] as [UInt64])
  func `with the coefficients of the code, a fit answers as the search does`(
    seed: UInt64
  ) async throws {
    let shop = try DrawnShop()
    for number in 0..<8 { try shop.draw("p\(number).jpg", seed: UInt64(number)) }
    try await shop.run(
      (0..<6).map { DrawnShop.row("p\($0)") } + [
        #"{"type":"product","id":"other-size","images":["p0.jpg"],"title":"T"}"#,
        #"{"type":"product","id":"two-images","images":["p6.jpg","p7.jpg"],"title":"T"}"#,
      ])
    let matcher = Matcher(unhurried: try Catalogue(directory: shop.index))
    let query = try EvaluationQuery.read(#"{"image":"q","truth":["p0"]}"#)[0]
    let found = try await matcher.evaluate(
      query, picture: SyntheticPicture.scene(width: 90, height: 96, seed: seed),
      withLabels: false)
    let applied = CalibrationFit(Calibration.coefficients).applied(to: [found])[0]
    let confidences = Dictionary(
      uniqueKeysWithValues: found.answers.map { ($0.id, $0.confidence) })
    #expect(applied.answers.count == 8 && found.answers.count == 8)
    for answer in applied.answers {
      let confidence = try #require(confidences[answer.id])
      #expect(abs(answer.confidence - confidence) < 1e-9)
    }
  }
}
