import AppIntents

/// The phrases by which people reach the shop without setting anything up. `AppShortcuts.xcstrings` translates them.
@available(iOS 26, macOS 26, *)
nonisolated struct ShopShortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: OpenProduct(),
      phrases: [
        "Show \(\.$target) in \(.applicationName)", "Open a product in \(.applicationName)",
      ], shortTitle: "Open product", systemImageName: "bag")
    AppShortcut(
      intent: OpenStore(),
      phrases: [
        "Show the store \(\.$target) in \(.applicationName)",
        "Open a store in \(.applicationName)",
      ], shortTitle: "Open store", systemImageName: "storefront")
    AppShortcut(
      intent: FindInImage(), phrases: ["Find an image in \(.applicationName)"],
      shortTitle: "Find in an image", systemImageName: "photo")
    AppShortcut(
      intent: SearchShop(), phrases: ["Search in \(.applicationName)"],
      shortTitle: "Search products", systemImageName: "magnifyingglass")
  }

  /// Phrases that sound alike and are not for the shop.
  static var negativePhrases: NegativeAppShortcutPhrases {
    NegativeAppShortcutPhrases(phrases: [
      "Close \(.applicationName)", "Delete \(.applicationName)", "Update \(.applicationName)",
    ])
  }
}
