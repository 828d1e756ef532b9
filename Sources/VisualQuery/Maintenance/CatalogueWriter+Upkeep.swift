internal import PixelMatch

/// Compaction and rollback.
extension CatalogueWriter {
  /// The rows of a segment that is made from others.
  private static let compactRowLimit = 131_072

  /// Rewrites the live signatures if that saves space, and removes unused files.
  mutating func compact() throws(CatalogueError) -> Int {
    let records = try database.segments()
    let dead = try database.deadRows()
    let isWorthIt = EntityType.allCases.contains { type in
      let own = records.filter { $0.type == type }
      let rows = own.reduce(0) { $0 + $1.rows }
      let fewest = (rows + Self.compactRowLimit - 1) / Self.compactRowLimit
      return own.count > max(1, fewest) || own.contains { dead[$0.id] != nil }
    }
    if isWorthIt {
      let (directory, next) = (directory, generation + 1)
      try transaction { database throws(CatalogueError) in
        for type in EntityType.allCases {
          try Self.rewrite(type, of: records, in: database, directory, generation: next)
        }
        try database.forgetSegments(records.map(\.id))
        return true
      }
      try removeOrphans()
    }
    try database.vacuum()
    try forgetUnusedPictures()
    return generation
  }

  /// Removes fetched images and thumbnails that neither this generation nor the saved one uses.
  private func forgetUnusedPictures() throws(CatalogueError) {
    var paths: Set<String> = []
    var pictures: Set<KeptThumbnails.Picture> = []
    try database.forEachImage { image throws(CatalogueError) in
      paths.insert(image.record.path)
      pictures.insert(
        KeptThumbnails.Picture(entity: Int(image.key), contentHash: image.record.contentHash))
    }
    try PreviousCatalogue(directory: directory)?.forEachImage { path, picture in
      paths.insert(path)
      pictures.insert(picture)
    }
    try FetchedPictures.removeAll(except: paths, in: directory)
    let sides = ShopSettings.thumbnailSides(try database.settings())
    try KeptThumbnails.keep(pictures, sides: Set(sides), in: directory)
  }

  /// Writes the live signatures of one type to new segments.
  private static func rewrite(
    _ type: EntityType, of records: [CatalogueDatabase.SegmentRecord],
    in database: CatalogueDatabase, _ directory: String, generation: Int
  ) throws(CatalogueError) {
    var opened: [Int: SignatureSegment] = [:]
    for record in records where record.type == type {
      opened[record.id] = try Catalogue.open(record, in: directory)
    }
    var images: [CatalogueDatabase.OwnedImage] = []
    var number = 0
    func write() throws(CatalogueError) {
      var segment = SegmentWriter()
      for image in images {
        guard let source = opened[image.record.segment], image.record.row < source.count else {
          throw CatalogueError(
            code: .corrupt,
            message: "\(image.entity) refers to a missing signature; index it again")
        }
        segment.append(
          source.signature(at: image.record.row), key: image.key,
          tag: UInt32(clamping: image.record.position),
          filterBits: source.filterBits(at: image.record.row))
      }
      number += 1
      let file = "\(type.rawValue)-\(generation)c\(number).segment"
      let bytes = segment.encoded()
      for record in records {
        if let source = opened[record.id] {
          try Catalogue.checkUnchanged(source, of: record.file, in: directory)
        }
      }
      try CatalogueFile.write(bytes, to: file, in: directory)
      let id = try database.addSegment(
        file: file, type: type, rows: segment.count, byteCount: bytes.count)
      for (row, image) in images.enumerated() {
        _ = try database.moveImage(
          of: image.key, position: image.record.position,
          from: (image.record.segment, image.record.row), to: (id, row))
      }
      images = []
    }
    var all: [CatalogueDatabase.OwnedImage] = []
    try database.forEachImage { image throws(CatalogueError) in
      if image.entity.type == type { all.append(image) }
    }
    for image in all {
      images.append(image)
      if images.count == compactRowLimit { try write() }
    }
    if !images.isEmpty { try write() }
  }

  /// Saves the published generation for a rollback.
  func savePrevious(as name: String = PreviousCatalogue.fileName) throws(CatalogueError) {
    let temporary = name + ".tmp"
    Folder.remove(temporary, in: directory)
    try database.copy(to: directory + "/" + temporary)
    try CatalogueFile.commit(temporary, as: name, in: directory)
  }

  /// Publishes the saved generation again and saves the current one.
  mutating func rollBackRun() throws(CatalogueError) -> Int {
    guard let previous = try PreviousCatalogue(directory: directory) else {
      throw CatalogueError(
        code: .missing, message: "'\(directory)' has no saved generation to roll back to")
    }
    let present = Set(Folder.names(in: directory))
    if let lost = previous.segmentFiles.first(where: { !present.contains($0) }) {
      throw CatalogueError(
        code: .corrupt, message: "'\(directory)' lacks '\(lost)', which the saved generation needs")
    }
    try savePrevious(as: "undone.sqlite")
    let (database, path) = (database, previous.path)
    var next = generation
    try database.attaching(path, as: "previous") { () throws(CatalogueError) in
      try database.begin()
      do throws(CatalogueError) {
        try database.takeContents(of: "previous")
        next = try database.commit(recounts: true)
      } catch {
        try? database.rollBack()
        throw error
      }
    }
    generation = next
    try CatalogueFile.commit("undone.sqlite", as: PreviousCatalogue.fileName, in: directory)
    try removeOrphans()
    return generation
  }
}
