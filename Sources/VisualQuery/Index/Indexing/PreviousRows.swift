/// The stored rows of the catalogue before and during a run, read beside the connection that
/// publishes.
struct PreviousRows {
  private let directory: String
  private let database: CatalogueDatabase
  /// The stored thumbnails, or `nil` if the run stores none.
  private let thumbnails: KeptThumbnails?
  private let thumbnailSides: Set<Int>
  /// True if some entity had an old value when the run began.
  private let hasMarks: Bool

  /// Opens the catalogue in a directory.
  init(reading directory: String, thumbnailSides: Set<Int>) throws(CatalogueError) {
    self.directory = directory
    database = try CatalogueDatabase(reading: directory)
    thumbnails = thumbnailSides.isEmpty ? nil : try KeptThumbnails(reading: directory)
    self.thumbnailSides = thumbnailSides
    hasMarks = try database.tables.kept.hasAny()
  }

  /// Moves to the newest generation.
  func refresh() throws(CatalogueError) { try database.refresh() }

  /// Returns a function that copies the write-ahead log into the database. Nothing must write meanwhile.
  var copyingLog: @Sendable () throws(CatalogueError) -> Void {
    { [directory] () throws(CatalogueError) in _ = try CatalogueFolder.checkpoint(directory) }
  }

  /// Returns the stored entity of an id, or `nil` if there is none.
  func existing(_ id: EntityID) throws(CatalogueError) -> CatalogueTables.Existing? {
    try database.tables.existing(id)
  }

  /// Returns the number of the feed that a stored entity belongs to, or `nil` if it has none.
  func feed(ofKey key: UInt32) throws(CatalogueError) -> Int? {
    try database.tables.feeds.number(ofKey: key)
  }

  /// Returns the number of entities that belong to a feed.
  func count(ofFeed number: Int) throws(CatalogueError) -> Int {
    try database.tables.feeds.count(of: number)
  }

  /// Returns the names of the feeds by their numbers.
  func feedNames() throws(CatalogueError) -> [Int: String] {
    Dictionary(uniqueKeysWithValues: try database.tables.feeds.all().map { ($0.number, $0.name) })
  }

  /// Returns what was kept of an entity before the run.
  func mark(of key: UInt32) throws(CatalogueError) -> KeptTable.Mark? {
    hasMarks ? try newestMark(of: key) : nil
  }

  /// Returns what is kept of an entity, also since this run.
  func newestMark(of key: UInt32) throws(CatalogueError) -> KeptTable.Mark? {
    try database.tables.kept.mark(of: key)
  }

  /// Returns the sides of the stored thumbnails of an entity, by the content of the image.
  func thumbnailSides(of key: UInt32) throws(CatalogueError) -> [Int: Set<Int>] {
    try thumbnails?.sides(of: key) ?? [:]
  }

  /// Returns the number of entities.
  func entityCount() throws(CatalogueError) -> Int {
    let state = try database.tables.state.current()
    return state.productCount + state.storeCount
  }

  /// Returns the entity that was indexed from a row with this hash, if none of its images has
  /// changed since.
  ///
  /// - Parameter onlyFeed: The number of the feed that all entities belong to, or `nil` if they are of several.
  func unchanged(
    rowHash: Int, _ signer: EntitySigner, ofOnlyFeed onlyFeed: Int?
  ) throws(CatalogueError) -> UnchangedRow? {
    var (hasFile, hasAddress) = (false, false)
    let row = try database.tables.images.untouched(rowHash: rowHash, ofOnlyFeed: onlyFeed) {
      (key, image) throws(CatalogueError) in
      guard signer.isUntouched(image) else { return false }
      hasFile = hasFile || EntitySigner.isFile(image.path)
      hasAddress = hasAddress || FetchedPictures.isAddress(image.path)
      if thumbnailSides.isEmpty { return true }
      let sides = try thumbnailSides(of: UInt32(clamping: key))[image.contentHash] ?? []
      return thumbnailSides.isSubset(of: sides)
    }
    return row.map {
      UnchangedRow(
        key: $0.key, id: $0.id, feed: $0.feed, imageCount: $0.imageCount, hasFile: hasFile,
        hasAddress: hasAddress)
    }
  }
}

/// An entity whose row is the same as before.
struct UnchangedRow {
  let key: UInt32
  let id: EntityID
  /// The number of the feed that it belongs to, or `nil` if it has none.
  let feed: Int?
  let imageCount: Int
  /// True if an image is from a file, and true if one is from a server.
  let hasFile, hasAddress: Bool
}
