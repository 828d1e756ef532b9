import AppIntents
import Foundation
import VisualIntelligence
import VisualQueryClient

/// A result of the shop in Visual Intelligence, which shows products and stores in one list.
#if !APP_INTENTS_STAND_IN
  @UnionValue
#endif
enum VisualSearchResult {
  case product(ProductEntity)
  case store(StoreEntity)

  init(_ entity: Entity) {
    switch entity.type {
    case .product: self = .product(ProductEntity(entity))
    case .store: self = .store(StoreEntity(entity))
    }
  }
}

/// Called by Visual Intelligence with what the person points at. An app has one such query.
struct ShopVisualQuery: IntentValueQuery {
  @Dependency var shop: ShopSearch

  func values(for input: SemanticContentDescriptor) async throws -> [VisualSearchResult] {
    let scene = try await shop.matches(for: input)
    // The system's sheet has one list: what is not sure is in it only if nothing is, and says so.
    let shown = scene.entities.isEmpty ? scene.possible.map(\.unsure) : scene.entities
    return shown.map(VisualSearchResult.init)
  }
}

/// "More results": the whole search in the app. The image is uploaded once; further pages continue.
#if !APP_INTENTS_STAND_IN
  @AppIntent(schema: .visualIntelligence.semanticContentSearch)
#endif
struct ShowAllResults {
  static let title: LocalizedStringResource = "Search the shop"
  static let supportedModes: IntentModes = .foreground(.immediate)

  #if APP_INTENTS_STAND_IN
    @Parameter(title: "Scene")
  #endif
  var semanticContent: SemanticContentDescriptor
  @Dependency var shop: ShopSearch
  @Dependency var navigation: Navigation

  @MainActor func perform() async throws -> some IntentResult {
    await navigation.search(semanticContent, in: shop)
    return .result()
  }
}

#if APP_INTENTS_STAND_IN
  // The conformances that Apple's macros add: Linux has no plug-in that expands them.
  extension VisualSearchResult: AppUnionValue {}
  extension ShowAllResults: AppIntent {}
#endif
