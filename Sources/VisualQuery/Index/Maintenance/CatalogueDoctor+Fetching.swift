/// Images whose servers refuse them.
extension CatalogueDoctor {
  /// Returns a finding for each image of which an earlier version is kept, with the day since when and the reason.
  func staleFindings(
    _ values: [(key: UInt32, value: EntityValue)]
  ) throws(CatalogueError) -> [Finding] {
    let failures = Dictionary(
      try FetchedPictures.failures(in: catalogue.directory).map { ($0.url, $0) },
      uniquingKeysWith: { first, _ in first })
    if failures.isEmpty { return [] }
    var indexed: [UInt32: Set<Int>] = [:]
    // A separate connection, so that no reader waits for the file system.
    let database = try CatalogueDatabase(reading: catalogue.directory)
    try database.tables.images.forEach { indexed[$0.key, default: []].insert($0.record.position) }
    return values.flatMap { key, value in
      value.imagePaths.enumerated().compactMap { position, name in
        guard let failure = failures[name], indexed[key]?.contains(position) == true else {
          return nil
        }
        return Finding(
          kind: .staleImage, id: value.id.description,
          detail: "image \(position) is kept as it was before \(CalendarDay.text(failure.since)): "
            + failure.reason,
          cure: "correct its address, or let its server send it", image: position)
      }
    }
  }
}
