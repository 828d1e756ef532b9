/// The link of a directory with the catalogue in PostgreSQL that it is a copy of.
package struct ReplicaNotes {
  private static let originName = ShopSettings.replicaPrefix + "origin"

  let settings: SettingsTable

  /// The address of the catalogue that this directory is a copy of, or `nil` if it is not a copy.
  package func origin() throws(CatalogueError) -> String? {
    try settings.value(of: Self.originName)
  }

  /// The token of the generation in PostgreSQL that this directory has, or `nil` if it has none yet.
  package func token() throws(CatalogueError) -> String? {
    try settings.value(of: CatalogueDatabase.tokenName)
  }

  /// Notes the address that this directory is a copy of; `nil` makes it a catalogue of its own.
  func set(origin: String?) throws(CatalogueError) {
    try settings.set(Self.originName, to: origin)
    if origin == nil { try settings.set(CatalogueDatabase.tokenName, to: nil) }
  }

  /// Notes the generation in PostgreSQL that this directory has.
  func set(token: String) throws(CatalogueError) {
    try settings.set(CatalogueDatabase.tokenName, to: token)
  }

  /// Makes a copy of a database a copy of a generation in PostgreSQL, wherever that is.
  static func set(token: String, inFile path: String) throws(CatalogueError) {
    let settings = SettingsTable(connection: try CatalogueConnection(path: path, mode: .write))
    try settings.set(originName, to: nil)
    try settings.set(CatalogueDatabase.tokenName, to: token)
  }

  /// The settings that are part of the contents.
  func publishedSettings() throws(CatalogueError) -> [String: String] {
    try settings.all().filter { !$0.key.hasPrefix(ShopSettings.replicaPrefix) }
  }
}

extension CatalogueDatabase {
  /// The link with a catalogue in PostgreSQL.
  package var replica: ReplicaNotes { ReplicaNotes(settings: settings) }

  /// Removes all contents, but neither the list of generations of the origin nor the origin.
  func removeContents() throws(CatalogueError) {
    forgetWritten()
    try connection.execute(
      """
      DELETE FROM images; DELETE FROM deadRows; DELETE FROM labels; DELETE FROM labelFrequencies;
      DELETE FROM stock; DELETE FROM places; DELETE FROM segments; DELETE FROM properties;
      DELETE FROM propertyNames; DELETE FROM entities; DELETE FROM changes; DELETE FROM entityText;
      DELETE FROM wordParts; DELETE FROM labelBridge;
      DELETE FROM settings WHERE name NOT GLOB '\(ShopSettings.replicaPrefix)*';
      """)
  }
}
