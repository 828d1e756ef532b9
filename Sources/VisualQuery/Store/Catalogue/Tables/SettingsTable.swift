/// The table `settings`: the shop's settings, and what the catalogue notes about itself, by name.
package struct SettingsTable {
  let connection: CatalogueConnection

  init(connection: CatalogueConnection) { self.connection = connection }

  /// Opens the settings in the file of a catalogue that nothing else has open.
  package init(file path: String) throws(CatalogueError) {
    connection = try CatalogueConnection(path: path, mode: .write)
  }

  private enum Column: Int, SQLiteColumns { case name, value }

  /// Returns all settings.
  package func all() throws(CatalogueError) -> [String: String] {
    var settings: [String: String] = [:]
    try connection.forEachRow("SELECT \(Column.list) FROM settings") { row in
      settings[row.text(Column.name)] = row.text(Column.value)
    }
    return settings
  }

  /// Returns a setting, or `nil` if there is none.
  package func value(of name: String) throws(CatalogueError) -> String? {
    try connection.first("SELECT value FROM settings WHERE name = ?", [.text(name)]) { $0.onlyText }
  }

  /// Removes all settings except those about the catalogue in PostgreSQL that this one is a copy of.
  package func removeContents() throws(CatalogueError) {
    try connection.execute(
      "DELETE FROM settings WHERE name NOT GLOB '\(ShopSettings.replicaPrefix)*'")
  }

  /// Stores a setting, or removes it if `value` is `nil`.
  package func set(_ name: String, to value: String?) throws(CatalogueError) {
    guard let value else {
      try connection.statement("DELETE FROM settings WHERE name = ?").bind(.text(name)).run()
      return
    }
    try connection.statement("INSERT OR REPLACE INTO settings VALUES(?, ?)")
      .bind(.text(name), .text(value)).run()
  }
}
