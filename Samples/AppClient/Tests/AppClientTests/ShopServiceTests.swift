import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@testable import AppClient

/// The sample client against `vq serve`: all calls that an app makes.
@Suite struct ShopServiceTests {
  @Test func `an app's questions are answered`() async throws {
    let server = try RunningServer()
    let service = server.service
    let photo = try Data(
      contentsOf: repository.appendingPathComponent("Samples/shop/images/oats.jpg"))
    let answer = try await service.match(jpeg: photo, labels: ["box", "a, b"])
    #expect(answer.values.first?.id == "oats")
    let image = try #require(answer.values.first?.display.image)
    #expect(image.host == service.base.host && image.port == service.base.port)
    let (thumbnail, _) = try await URLSession.shared.data(from: image)
    #expect(thumbnail.starts(with: [0xFF, 0xD8]))
    let words = try await service.match(jpeg: nil, labels: ["drinkware"])
    let rest = try await service.match(jpeg: nil, labels: [], continuation: words.continuation)
    let ids = (words.values + rest.values).map { "\($0.type):\($0.id)" }
    #expect(words.values.filter { $0.type == "product" }.count == 5)
    #expect(rest.values.contains { $0.type == "product" } && Set(ids).count == ids.count)

    let named = try await service.entities("product", ids: ["oats", "none", "mug, red", "mug-red"])
    #expect(named.map(\.id) == ["oats", "mug-red"])
    #expect(named.first?.product?.price?.amount == "3.60")
    #expect(try await service.entities("product", ids: []).isEmpty)
    #expect(try await service.entities("store", matching: "mark").first?.id == "market")
    #expect(!(try await service.suggestedEntities("product")).isEmpty)
    let cheap = PropertyQuestion(
      type: "product",
      comparators: [.init(property: "price", comparison: "lessThanOrEqualTo", value: "5")],
      mode: "and", sortedBy: [.init(property: "price", order: "ascending")], limit: 100)
    let found = try await service.entities(cheap)
    #expect(found.contains { $0.id == "oats" })
    #expect(found.allSatisfy { Double($0.product?.price?.amount ?? "") ?? 99 <= 5 })
  }
}
