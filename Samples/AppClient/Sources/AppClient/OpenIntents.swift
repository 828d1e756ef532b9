import AppIntents
import Foundation
import VisualQueryClient

/// Opens a product that was tapped in the list.
@available(iOS 26, macOS 26, *)
struct OpenProduct: OpenIntent {
  static let title: LocalizedStringResource = "Open product"
  static let supportedModes: IntentModes = .foreground(.immediate)
  static var parameterSummary: some ParameterSummary { Summary("Open \(\.$target)") }

  @Parameter(title: "Product") var target: ProductEntity
  @Dependency var navigation: Navigation

  @MainActor func perform() async throws -> some IntentResult {
    navigation.open(target.entity)
    return .result()
  }
}

/// Opens a store that was tapped in the list.
@available(iOS 26, macOS 26, *)
struct OpenStore: OpenIntent {
  static let title: LocalizedStringResource = "Open store"
  static let supportedModes: IntentModes = .foreground(.immediate)
  static var parameterSummary: some ParameterSummary { Summary("Open \(\.$target)") }

  @Parameter(title: "Store") var target: StoreEntity
  @Dependency var navigation: Navigation

  @MainActor func perform() async throws -> some IntentResult {
    navigation.open(target.entity)
    return .result()
  }
}

// The system delivers the intent to the scene that shows this content, if there is one. Not on macOS. A product and a store
// may have the same id.
#if !os(macOS)
  @available(iOS 26, *)
  nonisolated extension OpenProduct: TargetContentProvidingIntent {
    var contentIdentifier: String { target.entity.entityID.description }
  }
  @available(iOS 26, *)
  nonisolated extension OpenStore: TargetContentProvidingIntent {
    var contentIdentifier: String { target.entity.entityID.description }
  }
#endif
