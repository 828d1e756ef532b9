import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// Asks for things whose color the shop does not have.
@Suite struct MissingColorTests {
  /// Would break if a sibling were sure once the right color is gone: each thing of a group is asked for by its own image,
  /// without and with its label, in the catalogue without it.
  ///
  /// Two are asked for without their labels only. A black lamp has no color: it may be a gray image of the teal one. Of the
  /// cream mug, the print alone aligns with that of another mug, and on it no color differs.
  @Test func `no sibling is sure of a thing that the catalogue lacks`() async throws {
    let rows = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let things = try rows.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    var asked = 0
    for (index, thing) in things.enumerated() {
      guard let group = thing["group"] as? String, let id = thing["id"] as? String,
        let name = (thing["images"] as? [String])?.first, let labels = thing["labels"] as? [String]
      else { continue }
      let siblings = Set(
        things.filter { $0["group"] as? String == group }.compactMap { $0["id"] as? String })
      guard siblings.count > 1 else { continue }
      asked += 1
      var others = rows
      others.remove(at: index)
      let folder = try TemporaryDirectory()
      let feed = try folder.write(others.joined(separator: "\n") + "\n", to: "catalogue.jsonl")
      _ = try await Indexer(directory: folder.path + "/shop.vq").run(
        path: feed, imagesRoot: SampleShop.folder.path + "/shop")
      let matcher = Matcher(catalogue: try Catalogue(directory: folder.path + "/shop.vq"))
      let image = try ImageDecoder().contents(ofFile: SampleShop.folder.path + "/shop/" + name)
      for labels in ["lamp-black", "mug-cream"].contains(id) ? [[]] : [[], [labels[0]]] {
        let answer = try await matcher.values(
          for: SemanticContent(decoding: image, labels: labels),
          options: MatchOptions(types: [.product], timeout: nil))
        let sure = answer.matches.map(\.value.id.value).filter(siblings.contains)
        #expect(sure.isEmpty, "\(id) \(labels)")
      }
    }
    #expect(asked == 20)
  }
}
