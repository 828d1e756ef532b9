import AppIntents
import Foundation
import VisualQueryClient

/// The setup of the app at launch, before any intent runs: in the initializer of its `App`.
@available(iOS 26, macOS 26, *)
nonisolated enum AppSetup {
  /// Adds what the intents and queries of the app depend on, and tells the system the values of phrases.
  ///
  /// - Parameters:
  ///   - copy: The file for the copy of the shop, for answers without a connection; `nil` keeps none.
  ///   - upload: The form in which images are sent.
  ///   - signing: Computes signatures on the device, so that no image leaves it: `PhoneSignature.text` if the app has the
  ///     product PixelMatch. `nil` sends images.
  ///   - background: The background of cards in place of the plain, light one of packshots: `.transparent` suits dark mode, too.
  ///   - location: The place of the person, for the distances of stores; `nil` if it is not known. The app asks for it.
  static func addDependencies(
    _ configuration: ServiceConfiguration, copy: URL?,
    upload: ImageEncoder.Form = .jpeg(quality: 0.8), signing: ShopSearch.Signing? = nil,
    background: ShopClient.ThumbnailBackground? = nil,
    location: @escaping @Sendable () -> GeoPoint? = { nil }
  ) {
    let shop = ShopSearch(
      configuration, copy: copy, upload: upload, signing: signing, background: background,
      location: location)
    let navigation = Navigation()
    AppDependencyManager.shared.add(dependency: shop)
    AppDependencyManager.shared.add(dependency: navigation)
    ShopShortcuts.updateAppShortcutParameters()
  }

  /// Brings Spotlight's index and the copy of the shop up to date. The app calls it after its launch, and in a background
  /// task.
  static func refresh() async throws {
    let shop: ShopSearch = AppDependency<ShopSearch>().wrappedValue
    try await SpotlightIndex(client: shop.client).update()
    try await shop.updateCopy()
    // The phrases name products, which may have changed.
    ShopShortcuts.updateAppShortcutParameters()
  }
}
