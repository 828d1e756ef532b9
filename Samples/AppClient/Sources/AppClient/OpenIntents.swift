import AppIntents
import Foundation

/// Opens a product that was tapped in the list.
struct OpenProduct: OpenIntent {
  static let title: LocalizedStringResource = "Open product"
  static let supportedModes: IntentModes = .foreground(.immediate)

  @Parameter(title: "Product") var target: ProductEntity
  @Dependency var navigation: Navigation

  @MainActor func perform() async throws -> some IntentResult {
    navigation.open(target.entity)
    return .result()
  }
}

/// Opens a store that was tapped in the list.
struct OpenStore: OpenIntent {
  static let title: LocalizedStringResource = "Open store"
  static let supportedModes: IntentModes = .foreground(.immediate)

  @Parameter(title: "Store") var target: StoreEntity
  @Dependency var navigation: Navigation

  @MainActor func perform() async throws -> some IntentResult {
    navigation.open(target.entity)
    return .result()
  }
}

// The system delivers the intent to the scene that shows this content, if there is one. Not on macOS.
#if !os(macOS)
  extension OpenProduct: TargetContentProvidingIntent {
    var contentIdentifier: String { target.id }
  }
  extension OpenStore: TargetContentProvidingIntent {
    var contentIdentifier: String { target.id }
  }
#endif
