/// The settings of a shop that differ from the stored ones.
struct ChangedSettings {
  /// The values of settings, by their names; `nil` removes one.
  private(set) var values: [(name: String, value: String?)] = []
  private var bridge: LabelBridge?

  /// No settings.
  init() {}

  /// Makes those of `settings` that a database does not have.
  init(_ settings: ShopSettings, in tables: CatalogueTables) throws(CatalogueError) {
    let stored = try tables.settings.all()
    values = settings.values.filter { stored[$0.name] != $0.value }
    if let bridge = settings.bridge, try tables.labelBridge.bridge() != bridge {
      self.bridge = bridge
    }
  }

  var isEmpty: Bool { values.isEmpty && bridge == nil }

  /// True if a rollback would restore any of them. It does not touch the settings of images.
  var isUndoable: Bool {
    bridge != nil || values.contains { !$0.name.hasPrefix(ShopSettings.picturePrefix) }
  }

  /// Adds further settings, which must have other names.
  mutating func add(_ others: ChangedSettings) {
    values += others.values
    bridge = others.bridge ?? bridge
  }

  /// Writes them in the transaction that is open.
  func write(to tables: CatalogueTables) throws(CatalogueError) {
    for (name, value) in values { try tables.settings.set(name, to: value) }
    if let bridge { try tables.labelBridge.replace(with: bridge) }
  }
}
