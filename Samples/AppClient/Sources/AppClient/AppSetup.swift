import AppIntents
import Foundation
import VisualQueryClient

/// The setup of the app at launch, before any intent runs: in the initializer of its `App`.
enum AppSetup {
  /// Adds what the intents and queries of the app depend on.
  ///
  /// - Parameter copy: The file for the copy of the shop, for answers without a connection; `nil` keeps none.
  static func addDependencies(_ configuration: ServiceConfiguration, copy: URL?) {
    let shop = ShopSearch(configuration, copy: copy)
    let navigation = Navigation()
    AppDependencyManager.shared.add(dependency: shop)
    AppDependencyManager.shared.add(dependency: navigation)
  }
}
