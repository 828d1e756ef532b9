import AppIntents

/// The phrases by which people reach the shop without setting anything up. `AppShortcuts.xcstrings` translates them.
struct ShopShortcuts: AppShortcutsProvider {
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
  }
}
