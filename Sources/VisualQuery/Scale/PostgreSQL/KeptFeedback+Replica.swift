extension KeptFeedback {
  /// Opens or creates the file of the catalogue in a directory. If that is a copy of a catalogue in
  /// PostgreSQL, changes are made there first, and calls wait for it as they wait for the disk.
  ///
  /// - Throws: ``CatalogueError``.
  package convenience init(
    directory: String, limits: Limits = Limits()
  ) throws(CatalogueError) {
    try self.init(
      directory: directory, limits: limits, origin: try ReplicaFeedbackOrigin(of: directory))
  }

  /// Opens the file of the catalogue in a directory, or returns `nil` if nobody has said anything.
  ///
  /// - Throws: ``CatalogueError``.
  package convenience init?(existingIn directory: String) throws(CatalogueError) {
    let origin = try ReplicaFeedbackOrigin(of: directory)
    // In a copy, opens the feedback even without a file: another server may have taken a statement
    // that the copy still lacks.
    guard origin != nil || FileStatus.exists(directory + "/" + Self.fileName) else { return nil }
    try self.init(directory: directory, limits: Limits(), origin: origin, isListed: true)
  }
}

/// PostgreSQL as the place where the statements of a copy are kept.
struct ReplicaFeedbackOrigin: FeedbackOrigin {
  private let location: PostgresLocation

  /// Returns `nil` if a directory is not a copy.
  init?(of directory: String) throws(CatalogueError) {
    guard FileStatus.exists(directory + "/" + CatalogueDatabase.fileName),
      let origin = try CatalogueDatabase(readingBeside: directory).tables.replica.origin()
    else { return nil }
    location = try PostgresLocation(origin)
  }

  func publish<Value>(
    _ copy: CatalogueConnection,
    _ change: () throws(CatalogueError) -> (result: Value, numbers: [Int])
  ) throws(CatalogueError) -> Value {
    let connection = try PostgresConnection(location, for: .writing)
    let feedback = try PostgresFeedback(connection)
    let copy = try FeedbackCopy(copy)
    return try connection.transaction { () throws(CatalogueError) in
      try feedback.lock()
      try feedback.take(into: copy)
      let (result, numbers) = try change()
      if !numbers.isEmpty { try feedback.put(numbers, from: copy) }
      return result
    }
  }
}
