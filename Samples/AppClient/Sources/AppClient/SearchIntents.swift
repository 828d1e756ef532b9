import AppIntents
import Foundation
import UniformTypeIdentifiers
import VisualQueryClient

/// Finds the products in an image: in Shortcuts, by which it is also in the share sheet and on the Action button.
@available(iOS 26, macOS 26, *)
struct FindInImage: AppIntent {
  static let title: LocalizedStringResource = "Find in an image"
  static let supportedModes: IntentModes = .background
  static var parameterSummary: some ParameterSummary { Summary("Find products in \(\.$image)") }

  @Parameter(
    title: "Image", supportedContentTypes: [.image],
    inputConnectionBehavior: .connectToPreviousIntentResult)
  var image: IntentFile
  @Dependency var shop: ShopSearch

  func perform() async throws -> some IntentResult & ReturnsValue<[ProductEntity]> {
    let scene = try await shop.matches(image: shop.image(ofFile: image.data), type: .product)
    let products = await shop.illustrated(scene.entities) { ProductEntity($0, image: $1) }
    return .result(value: products)
  }
}

/// Finds products by words.
@available(iOS 26, macOS 26, *)
struct SearchShop: AppIntent {
  static let title: LocalizedStringResource = "Search products"
  static let supportedModes: IntentModes = .background
  static var parameterSummary: some ParameterSummary {
    Summary("Search for \(\.$words)") { \.$brand }
  }

  @Parameter(title: "Words") var words: String
  @Parameter(title: "Brand", optionsProvider: BrandOptions()) var brand: String?
  @Dependency var shop: ShopSearch

  func perform() async throws -> some IntentResult & ReturnsValue<[ProductEntity]> {
    // The brand is looked for in all that the words find.
    let all = try await shop.entities(matching: words, .product, limit: brand == nil ? 20 : 1000)
    let found = all.filter { brand == nil || $0.product?.brand == brand }.prefix(20)
    let products = await shop.illustrated(Array(found)) { ProductEntity($0, image: $1) }
    return .result(value: products)
  }
}

/// The brands of the shop, the most frequent first.
@available(iOS 26, macOS 26, *)
nonisolated struct BrandOptions: DynamicOptionsProvider {
  @Dependency var shop: ShopSearch

  func results() async throws -> [String] {
    let facets = try await shop.client.facets(["brand"], type: .product, limit: 50)
    return facets.facets.first?.values.compactMap(\.value.text) ?? []
  }
}
