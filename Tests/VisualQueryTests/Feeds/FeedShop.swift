import Testing

@testable import ShopFeeds
import VisualQuery

/// A feed, and what its entities are: id, title, price, availability, color, brand and the number of images.
struct FeedShop: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let text: String
  let entities: [String]

  init(_ description: String, _ text: String, _ entities: [String]) {
    (testDescription, self.text, self.entities) = (description, text, entities)
  }

  /// Expects that the feed gives these entities, and warns of nothing.
  func check() throws {
    let export = try ReadExport(text)
    #expect(export.products.map(Self.seen).sorted() == entities)
    #expect(export.warnings.isEmpty, "\(export.warnings)")
  }

  private static func seen(_ product: Product) -> String {
    [
      product.id, product.title, product.price?.amount ?? "-",
      product.availability?.rawValue ?? "-", product.attributes["color"] ?? "-",
      product.brand ?? "-", "\(product.images.count)",
    ].joined(separator: " | ")
  }
}
