import Foundation
import PixelMatch
import TestSupport
import Testing

@testable import ShopSearch
import VisualQuery

/// Asks for things whose color the shop does not have, and for other colors of one that it has.
@Suite struct MissingColorTests {
  /// The lines of the sample catalogue, and what they say.
  private func sampleRows() throws -> (rows: [String], things: [[String: Any]]) {
    let rows = try String(contentsOfFile: SampleShop.catalogue, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    return (
      rows,
      try rows.map {
        try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
    )
  }

  /// Would break if anything were sure once the right color is gone: each thing of a group is asked for by its own image,
  /// without and with its label, in the catalogue without it. It would also break if a label made a sibling sure, or if a tote were
  /// sure of a mug that has the same print.
  @Test func `nothing is sure of a thing that the catalogue lacks`() async throws {
    let (rows, things) = try sampleRows()
    var (asked, told) = (0, 0)
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
      let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
      let image = try ImageDecoder().contents(ofFile: SampleShop.folder.path + "/shop/" + name)
      for labels in [[], [labels[0]]] {
        let answer = try await matcher.values(
          for: SemanticContent(decoding: image, labels: labels),
          options: MatchOptions(types: [.product], timeout: nil))
        #expect(answer.matches.map(\.value.id.value) == [], "\(id) \(labels)")
        // What is told instead is the thing itself, in the other colors.
        let found = answer.siblings.map(\.value.id.value)
        #expect(siblings.isSuperset(of: found), "\(id) \(labels) \(found)")
        if labels.isEmpty, !found.isEmpty { told += 1 }
      }
    }
    #expect(asked == 20)
    // Of the others, some are listed as possible, and plain things say little but their color.
    #expect(told >= 8)
  }

  /// Would break if colors that contradict put the other colors of what the image shows behind things that have nothing in common with
  /// it. The colors of a print change which keypoints it has: of light and dark mugs and totes, others may come between.
  @Test func `behind a sure thing come its other colors`() async throws {
    let things = try sampleRows().things
    let folder = try await CatalogueTests.sampleCatalogue()
    let matcher = Matcher(unhurried: try Catalogue(directory: folder.path + "/shop.vq"))
    for (id, siblings) in [
      ("mug-red", ["mug-blue", "mug-green"]), ("lamp-teal", ["lamp-black", "lamp-mustard"]),
      ("bottle-sage", ["bottle-blue", "bottle-orange"]),
      ("sneaker-red", ["sneaker-navy", "sneaker-sage"]), ("tea-mint", ["tea-rooibos"]),
      ("blanket-red", ["blanket-blue"]),
    ] {
      let thing = try #require(things.first { $0["id"] as? String == id })
      let name = try #require((thing["images"] as? [String])?.first)
      let image = try ImageDecoder().contents(ofFile: SampleShop.folder.path + "/shop/" + name)
      let answer = try await matcher.values(
        for: SemanticContent(decoding: image),
        options: MatchOptions(types: [.product], minimumConfidence: 0, timeout: nil))
      let ids = answer.matches.map(\.value.id.value)
      #expect(ids.first == id)
      #expect(ids.dropFirst().prefix(siblings.count).sorted() == siblings)
    }
  }
}
