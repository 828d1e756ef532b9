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
    try settings.value(of: StateTable.tokenName)
  }

  /// Stores the address that this directory is a copy of. `nil` makes the directory a catalogue of its own.
  func set(origin: String?) throws(CatalogueError) {
    try settings.set(Self.originName, to: origin)
    if origin == nil { try settings.set(StateTable.tokenName, to: nil) }
  }

  /// Stores the address that a copy comes from, unless it is stored already.
  func note(
    origin location: PostgresLocation, of directory: String, isEmpty: Bool
  ) throws(CatalogueError) {
    let known = try origin()
    if known == location.text { return }
    guard known != nil || isEmpty else {
      throw CatalogueError(
        code: .notACatalogue,
        message: """
          '\(directory)' is an index of its own, not a cache of PostgreSQL; name another \
          directory with --cache, or copy it with: vq copy \(directory) postgres://…
          """)
    }
    try set(origin: location.text)
  }

  /// Notes the generation in PostgreSQL that this directory has.
  func set(token: String) throws(CatalogueError) {
    try settings.set(StateTable.tokenName, to: token)
  }

  /// Makes a copy of a database a copy of a generation in PostgreSQL, wherever that is.
  static func set(token: String, inFile path: String) throws(CatalogueError) {
    let settings = try SettingsTable(file: path)
    try settings.set(originName, to: nil)
    try settings.set(StateTable.tokenName, to: token)
  }

  /// The settings that are part of the contents.
  func publishedSettings() throws(CatalogueError) -> [String: String] {
    try settings.all().filter { !$0.key.hasPrefix(ShopSettings.replicaPrefix) }
  }
}

extension CatalogueTables {
  /// The link with a catalogue in PostgreSQL.
  package var replica: ReplicaNotes { ReplicaNotes(settings: settings) }
}
