/// The table `fileReadings`: when the run began that last read the image files of a feed. It is not part of a generation.
///
/// A file may be written twice within one tick of the clock, or get back the time that it had. So a file whose status changed after
/// the last reading, or a little before, is read again even if its size and time are the same.
package struct FileReadingTable {
  let connection: CatalogueConnection

  /// The ticks of file systems last up to two seconds.
  private static let resolution = 2_000_000_000

  /// Returns the time before which files of a feed have not changed since they were read, in nanoseconds since 1970, or `nil` if no
  /// run has noted it. A feed with a new name counts as the last one.
  package func safeTime(of feed: String) throws(CatalogueError) -> Int? {
    let isKnown = try connection.first(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'fileReadings'"
    ) { _ in true }
    guard isKnown == true else { return nil }
    let start = try connection.first(
      "SELECT start FROM fileReadings ORDER BY feed = ? DESC, start DESC LIMIT 1", [.text(feed)]
    ) { $0.onlyInteger }
    return start.map { $0 - Self.resolution }
  }

  /// Notes that a run read all files of a feed. The last hundred feeds are remembered.
  package func note(_ feed: String, start: Int) throws(CatalogueError) {
    try connection.statement("INSERT OR REPLACE INTO fileReadings VALUES(?, ?)")
      .bind(.text(feed), .integer(start)).run()
    try connection.execute(
      """
      DELETE FROM fileReadings WHERE feed NOT IN
        (SELECT feed FROM fileReadings ORDER BY start DESC LIMIT 100)
      """)
  }
}
