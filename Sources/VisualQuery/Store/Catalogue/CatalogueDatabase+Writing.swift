extension CatalogueDatabase {
  /// An entity that is already indexed.
  package struct Existing {
    package let key: UInt32
    package let json: String
    package let images: [ImageRecord]
  }

  /// Starts the next generation, which is invisible to others until ``commit()``.
  package func begin() throws(CatalogueError) {
    countChanges = CountChanges()
    try connection.execute("BEGIN IMMEDIATE")
  }

  /// Discards everything written since ``begin()``.
  package func rollBack() throws(CatalogueError) {
    forgetWritten()
    try connection.execute("ROLLBACK")
  }

  /// Forgets what is remembered of the contents, which have changed.
  package func forgetWritten() {
    properties.forget()
    text.forget()
  }

  /// Publishes everything written since ``begin()``, in one step.
  ///
  /// - Parameter recounts: True if the entities and images are counted again, because the contents
  ///   were replaced as a whole.
  /// - Returns: The number of the new generation.
  /// - Complexity: O(changes); O(catalogue) if it recounts.
  package func commit(recounts: Bool = false) throws(CatalogueError) -> Int {
    if recounts {
      try connection.execute(
        """
        UPDATE state SET
          productCount = (SELECT count(*) FROM entities WHERE type = 'product'),
          storeCount = (SELECT count(*) FROM entities WHERE type = 'store'),
          imageCount = (SELECT count(*) FROM images)
        """)
      countChanges = CountChanges()
    }
    try connection.statement(
      """
      UPDATE state SET generation = generation + 1, productCount = productCount + ?,
        storeCount = storeCount + ?, imageCount = imageCount + ?
      """
    ).bind(
      .integer(countChanges.entities[.product] ?? 0), .integer(countChanges.entities[.store] ?? 0),
      .integer(countChanges.images)
    ).run()
    try noteGeneration()
    try beforeCommit?()
    try connection.execute("COMMIT")
    countChanges = CountChanges()
    return try state().generation
  }

  /// Returns an entity with its images, or `nil` if there is none.
  package func existing(_ id: EntityID) throws(CatalogueError) -> Existing? {
    guard let (key, json) = try entities.stored(id) else { return nil }
    return Existing(
      key: UInt32(clamping: key), json: json, images: try images.records(ofKey: key))
  }

  /// The numbers of an entity that another catalogue has given to it.
  package struct Place {
    let key: Int
    /// The place in the list of changes.
    let sequence: Int

    package init(key: Int, sequence: Int) {
      self.key = key
      self.sequence = sequence
    }
  }

  /// Adds an entity, or replaces the one with the same type and id, which keeps its key.
  ///
  /// - Parameter place: The numbers of the entity; `nil` for the next ones.
  package func upsert(
    _ value: EntityValue, rowHash: Int?, at place: Place? = nil
  ) throws(CatalogueError) -> UInt32 {
    let key: Int
    if let existing = try entities.stored(value.id) {
      key = existing.key
      try entities.update(value, rowHash: rowHash, key: key)
      try removeDetails(of: key, existing.json)
    } else {
      key = try entities.insert(value, rowHash: rowHash, key: place?.key)
      countChanges.entities[value.id.type, default: 0] += 1
    }
    try changeLog.note(value.id, key: key, sequence: place?.sequence)
    try insertDetails(of: key, value)
    return UInt32(clamping: key)
  }

  /// Adds the rows of an entity in all tables that are derived from its JSON form.
  package func insertDetails(of key: Int, _ value: EntityValue) throws(CatalogueError) {
    try labels.insert(value, key: key)
    try text.insert(value, key: key)
    try stores.insert(value, key: key)
    try properties.insert(value, key: key)
  }

  /// Removes the rows of an entity in all tables except `entities` and `images`.
  private func removeDetails(of key: Int, _ json: String) throws(CatalogueError) {
    try labels.remove(key: key)
    try text.remove(key: key)
    try stores.remove(key: key)
    try properties.remove(key: key, json: json)
  }

  /// Removes an entity and marks the segment rows of its images as dead.
  ///
  /// - Returns: True if the entity existed.
  package func remove(_ id: EntityID) throws(CatalogueError) -> Bool {
    guard let existing = try existing(id) else { return false }
    try replaceImages(of: existing.key, with: [], previous: existing.images)
    try removeDetails(of: Int(existing.key), existing.json)
    try entities.remove(key: Int(existing.key))
    countChanges.entities[id.type, default: 0] -= 1
    try changeLog.note(id, key: nil)
    return true
  }

  /// Replaces the images of an entity and marks the segment rows of the previous ones as dead.
  package func replaceImages(
    of key: UInt32, with images: [ImageRecord], previous: [ImageRecord]
  ) throws(CatalogueError) {
    countChanges.images += images.count - (try self.images.remove(ofKey: key))
    for image in images { try self.images.insert(image, of: Int(key)) }
    for image in previous { try segments.addDeadRow(image.row, of: image.segment) }
  }

  /// Removes segment files that no generation names: those of merged segments, and what a killed run left. A
  /// reader that has them open keeps them, and one that does not find them opens the newer generation.
  ///
  /// The caller must hold the writer's lock, and have no transaction open.
  package func removeOrphans(in directory: String) throws(CatalogueError) {
    var live = Set(try segments.all().map(\.file))
    // A saved generation that cannot be read cannot be restored either.
    if let saved = try? PreviousCatalogue(directory: directory) {
      live.formUnion(saved.segmentFiles)
    }
    // Other temporary files may be in use, such as the list of rejected rows.
    let endings = [".segment", ".segment.tmp", PreviousCatalogue.fileName + ".tmp"]
    for name in Folder.names(in: directory)
    where endings.contains(where: name.hasSuffix) && !live.contains(name) {
      Folder.remove(name, in: directory)
    }
  }
}
