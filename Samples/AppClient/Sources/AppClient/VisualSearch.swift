// The simulator has no such module.
#if canImport(VisualIntelligence)
  import AppIntents
  import CoreVideo
  import Foundation
  import VisualIntelligence
  import VisualQueryClient

  /// A result of the shop in Visual Intelligence, which shows products and stores in one list.
  #if !APP_INTENTS_STAND_IN
    @UnionValue
  #endif
  @available(iOS 26, macCatalyst 27, macOS 27, *)
  nonisolated enum VisualSearchResult {
    case product(ProductEntity)
    case store(StoreEntity)

    /// Returns `nil` for a type of a newer service, which the app cannot open.
    init?(_ entity: Entity, image: Data?) {
      switch entity.type {
      case .product: self = .product(ProductEntity(entity, image: image))
      case .store: self = .store(StoreEntity(entity, image: image))
      default: return nil
      }
    }
  }

  /// Called by Visual Intelligence with what the person points at. An app has one such query.
  @available(iOS 26, macCatalyst 27, macOS 27, *)
  nonisolated struct ShopVisualQuery: IntentValueQuery {
    @Dependency var shop: ShopSearch

    func values(for input: SemanticContentDescriptor) async throws -> [VisualSearchResult] {
      let scene = try await shop.matches(for: input)
      // The system's sheet has one list: what is not sure is in it only if nothing is, and says so.
      let unsure = scene.possible.map(\.unsure) + scene.siblings.map(\.otherColor)
      let shown = scene.entities.isEmpty ? unsure : scene.entities
      return await shop.illustrated(shown) { VisualSearchResult($0, image: $1) }.compactMap { $0 }
    }
  }

  /// "More results": the whole search in the app. It goes on from the answer that the query had: the image is uploaded once.
  #if !APP_INTENTS_STAND_IN
    @AppIntent(schema: .visualIntelligence.semanticContentSearch)
  #endif
  @available(iOS 26, macCatalyst 27, macOS 27, *)
  struct ShowAllResults: AppIntent {
    static let title: LocalizedStringResource = "Search the shop"
    static let supportedModes: IntentModes = .foreground(.immediate)

    #if APP_INTENTS_STAND_IN
      @Parameter(title: "Scene")
    #endif
    var semanticContent: SemanticContentDescriptor
    @Dependency var shop: ShopSearch
    @Dependency var navigation: Navigation

    @MainActor func perform() async throws -> some IntentResult {
      await navigation.search { try await shop.matches(for: semanticContent) }
      return .result()
    }
  }

  @available(iOS 26, macCatalyst 27, macOS 27, *)
  nonisolated extension ShopSearch {
    /// Returns what the shop has of a scene, best first.
    func matches(for content: SemanticContentDescriptor) async throws -> MatchedScene {
      // The closure is needed: a function's result is not declared as sent.
      let sent = try content.pixelBuffer.map { buffer in
        try buffer.withUnsafeBuffer { try image(ofPixels: $0) }
      }
      return try await matches(image: sent, labels: content.labels)
    }
  }

  #if APP_INTENTS_STAND_IN
    // The conformance that Apple's macro adds: Linux has no plug-in that expands it.
    @available(iOS 26, macCatalyst 27, macOS 27, *)
    nonisolated extension VisualSearchResult: AppUnionValue {}
  #endif
#endif
