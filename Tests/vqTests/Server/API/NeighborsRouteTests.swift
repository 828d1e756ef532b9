import Foundation
import TestSupport
import Testing

@testable import vq

/// Neighbors of an entity over HTTP.
@Suite struct NeighborsRouteTests {
  /// Would break if an entity whose image file is gone, damaged or elsewhere had no neighbors, though the index has the signature of the image,
  /// or if the answer did not say what was searched with.
  @Test(arguments: ["gone", "damaged", "a folder"])
  func `neighbors are found without the image file`(file: String) async throws {
    let shop = try await ServedShop(
      feed: { folder in
        for image in ["mug-red", "mug-blue", "oats", "lamp-teal"] {
          _ = try folder.copy(SampleShop.image("\(image).jpg"), to: "\(image).jpg")
        }
        let rows = ["mug-red", "mug-blue", "oats", "lamp-teal"].map {
          #"{"type":"product","id":"\#($0)","title":"T","images":["\#($0).jpg"]}"#
        }
        return try folder.write(
          (rows + [#"{"type":"product","id":"bare","title":"T"}"#]).joined(separator: "\n"),
          to: "feed.jsonl")
      }, imagesRoot: ".")
    func first(_ answer: [String: Any]) throws -> [String: Any] {
      try #require((answer["neighbors"] as? [[String: Any]])?.first)
    }
    let path = "GET /v1/entities/product/mug-red/neighbors"
    let before = try await shop.json(path)
    #expect(before["signatureSearched"] == nil)
    let image = shop.folder.path + "/mug-red.jpg"
    try FileManager.default.removeItem(atPath: image)
    if file == "damaged" { _ = try shop.folder.write("not an image", to: "mug-red.jpg") }
    if file == "a folder" {
      try FileManager.default.createDirectory(atPath: image, withIntermediateDirectories: false)
    }
    shop.restart { _ in }
    let after = try await shop.json(path)
    #expect(after["signatureSearched"] as? Bool == true)
    for answer in [before, after] {
      let neighbor = try first(answer)
      #expect((neighbor["entity"] as? [String: Any])?["id"] as? String == "mug-blue")
      #expect(neighbor["sharesDetails"] as? Bool == true)
    }
    let limited = try await shop.json(path + "?where=id%3Doats")
    #expect((limited["neighbors"] as? [[String: Any]])?.count == 1)
    let bare = try await shop.json("GET /v1/entities/product/bare/neighbors")
    #expect(bare["code"] as? String == "noPicture" && bare["status"] as? Int == 404)
  }
}
