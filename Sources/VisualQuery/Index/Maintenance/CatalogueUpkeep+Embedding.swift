internal import PixelMatch
package import Reading

extension CatalogueUpkeep {
  /// The outcome of computing the vectors of a catalogue's images.
  package struct EmbeddingSummary: Sendable, Hashable, Encodable {
    /// The name of the model.
    package var model: String
    /// The number of images whose vectors were computed.
    package var embedded = 0
    /// The number of images that bring a vector of their own, which stays.
    package var supplied = 0
    /// The number of images that cannot be opened or decoded, or have other contents than when they were indexed.
    package var unavailable = 0
    /// The reason for the first of these.
    package var firstReason: String?
    /// True if the catalogue has enough things of known kinds to tell which are similar.
    package var knowsKinds = false
    /// The generation with the vectors.
    package var generation = 0
  }

  /// The number of entities after whose images the vectors are published, so that an interrupted run loses little.
  private static let embeddedBatch = 256

  /// Computes the vectors of the images that have none of a model, in place of those of another one.
  ///
  /// Images are read from their folders, or as they were fetched; those that came by upload are not kept and get no vector. Vectors that
  /// came with an entity stay. Other writers have their turn: the catalogue is only locked while a batch is stored.
  ///
  /// - Parameters:
  ///   - encoder: The model.
  ///   - progress: Called after each image with the number of finished images, of all, and of unavailable ones.
  /// - Throws: ``CatalogueError``, with the code `invalidLocation` for a copy of a catalogue in PostgreSQL; `ReadingError` if a run of the
  ///   model fails; `CancellationError` after the work so far was published.
  /// - Complexity: O(images).
  package func embed(
    by encoder: ImageEncoder,
    progress: @escaping @Sendable (_ done: Int, _ total: Int, _ unavailable: Int) -> Void = {
      _, _, _ in
    }
  ) async throws -> EmbeddingSummary {
    try await withTaskExecutorPreference(pool) { @concurrent in
      let database = try CatalogueDatabase(reading: directory)
      try checkIsOwn(database)
      var summary = EmbeddingSummary(model: encoder.name)
      let work = try embeddingWork(encoder, &summary)
      let images = StoredImages(
        directory: directory,
        folders: PictureFolders(ShopSettings.places(try database.tables.settings.all())),
        side: Signature.workingSide)
      let total = work.reduce(0) { $0 + $1.images.count }
      summary.generation = try remember(encoder, kinds: nil, directions: nil)
      for start in stride(from: 0, to: work.count, by: Self.embeddedBatch) {
        let part = Array(work[start..<min(start + Self.embeddedBatch, work.count)])
        var vectors: [ReadingTable.ImageContent: ImageEmbedding] = [:]
        var failure: (any Error)?
        do {
          var seen: Set<ReadingTable.ImageContent> = []
          let unique = part.flatMap(\.images).filter { seen.insert(.init($0)).inserted }
          try await forEachInOrder(unique, on: pool) { image in
            (
              ReadingTable.ImageContent(image),
              try await embedding(of: image, in: images, by: encoder)
            )
          } take: { content, outcome in
            switch outcome {
            case .success(let embedding): vectors[content] = embedding
            case .failure(let reason):
              summary.unavailable += 1
              summary.firstReason = summary.firstReason ?? reason.text
            }
            progress(
              summary.embedded + vectors.count + summary.unavailable, total, summary.unavailable)
          }
        } catch {
          failure = error
        }
        if !vectors.isEmpty {
          let stored = try store(vectors, of: part.map(\.id))
          summary.embedded += stored.count
          summary.generation = stored.generation
        }
        if let failure { throw failure }
      }
      let (kinds, directions) = try fit(encoder)
      summary.knowsKinds = kinds != nil
      summary.generation = try remember(encoder, kinds: kinds, directions: directions)
      return summary
    }
  }

  /// Computes the vectors of the images of a temporary copy of the catalogue, which stays as it is.
  ///
  /// Its database is copied, and its segments are linked. The caller removes the folder.
  ///
  /// - Throws: The errors of ``embed(by:progress:)``.
  package func copy(
    embeddedBy encoder: ImageEncoder,
    progress: @escaping @Sendable (_ done: Int, _ total: Int, _ unavailable: Int) -> Void = {
      _, _, _ in
    }
  ) async throws -> (folder: TemporaryFolder, summary: EmbeddingSummary) {
    let folder = try TemporaryFolder()
    do {
      try checkIsOwn(try CatalogueDatabase(reading: directory))
      try CatalogueDatabase.copy(
        of: directory, to: folder.path + "/" + CatalogueDatabase.fileName)
      let copied = try CatalogueDatabase(reading: folder.path)
      try link(try copied.tables.segments.all().map(\.file), in: folder)
      if FileStatus.exists(directory + "/" + FetchedPictures.fileName) {
        try link([FetchedPictures.fileName], in: folder)
      }
      let upkeep = CatalogueUpkeep(directory: folder.path, pool: pool)
      return (folder, try await upkeep.embed(by: encoder, progress: progress))
    } catch {
      folder.remove()
      throw error
    }
  }

  private func checkIsOwn(_ database: CatalogueDatabase) throws(CatalogueError) {
    if try database.tables.replica.origin() != nil {
      throw CatalogueError(
        code: .invalidLocation,
        message: """
          '\(directory)' is a copy of an index in PostgreSQL, which gets vectors only with the entities
          """)
    }
  }

  /// An entity with the images that are to get a vector.
  private struct EmbeddingWork: Sendable {
    let id: EntityID
    var images: [ImageTable.Record]
  }

  /// Returns the entities with images that have no vector of the model.
  ///
  /// - Complexity: O(images).
  private func embeddingWork(
    _ encoder: ImageEncoder, _ summary: inout EmbeddingSummary
  ) throws(CatalogueError) -> [EmbeddingWork] {
    let generation = try OpenedGeneration(directory: directory)
    let segments = try Self.segments(of: generation)
    let model = ImageEmbedding.fingerprint(of: encoder.name)
    var work: [EmbeddingWork] = []
    var others: [EmbeddingWork] = []
    try generation.database.tables.images.forEach { image throws(CatalogueError) in
      let embedding = segments[image.record.segment]?.embedding(at: image.record.row)
      if embedding?.model == model { return }
      if embedding != nil {
        others.append(EmbeddingWork(id: image.entity, images: [image.record]))
      }
      if work.last?.id == image.entity {
        work[work.count - 1].images.append(image.record)
      } else {
        work.append(EmbeddingWork(id: image.entity, images: [image.record]))
      }
    }
    // Finds the entities whose feed supplied their vectors: only those with vectors of another
    // model can be among them.
    var bringing: Set<EntityID> = []
    for id in Set(others.map(\.id)) {
      if try generation.database.tables.existing(id)?.embeddedEntity != nil { bringing.insert(id) }
    }
    summary.supplied = others.count { bringing.contains($0.id) }
    return work.filter { !bringing.contains($0.id) }
  }

  private static func segments(
    of generation: OpenedGeneration
  ) throws(CatalogueError) -> [Int: SignatureSegment] {
    var segments: [Int: SignatureSegment] = [:]
    for (record, segment) in generation.segments { segments[record.id] = try segment.get() }
    return segments
  }

  @concurrent private func embedding(
    of image: ImageTable.Record, in images: StoredImages, by encoder: ImageEncoder
  ) async throws -> Result<ImageEmbedding, StoredImages.Unavailable> {
    try Task.checkCancellation()
    let pixels: PixelBuffer
    switch try images.pixels(of: image.path, content: .init(image)) {
    case .success(let opened): pixels = opened
    case .failure(let reason): return .failure(reason)
    }
    do {
      let vector = try encoder.vector(of: pixels) { Task.isCancelled }
      return .success(try ImageEmbedding(model: encoder.name, vector: vector))
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }

  /// Publishes vectors of the images of some entities.
  ///
  /// - Returns: The number of images that got one, and the generation.
  private func store(
    _ vectors: [ReadingTable.ImageContent: ImageEmbedding], of ids: [EntityID]
  ) throws(CatalogueError) -> (count: Int, generation: Int) {
    var writer = try CatalogueWriter(directory: directory)
    var count = 0
    for id in ids {
      // Another writer may have changed or removed the entity since it was read.
      guard let existing = try writer.existing(id), existing.embeddedEntity == nil else { continue }
      let own = Dictionary(
        existing.images.compactMap { image in
          vectors[.init(image)].map { (image.position, $0) }
        }, uniquingKeysWith: { first, _ in first })
      guard !own.isEmpty else { continue }
      try writer.putEmbeddings(own, of: existing, id.type)
      count += own.count
    }
    return (count, try writer.finish())
  }

  /// Stores the model in the catalogue, unless it is stored already.
  ///
  /// - Parameters:
  ///   - kinds: The calibration, or `nil` to keep that of the same model.
  ///   - directions: The directions, or `nil` to keep those of the same model.
  /// - Returns: The generation.
  private func remember(
    _ encoder: ImageEncoder, kinds: KindCalibration?, directions: EmbeddingDirections?
  ) throws(CatalogueError) -> Int {
    var writer = try CatalogueWriter(directory: directory)
    let stored = ImageModel(settings: try writer.database.tables.settings.all())
    let model = ImageModel(
      name: encoder.name,
      files: Dictionary(encoder.files.map { ($0.name, $0.digest) }) { first, _ in first },
      kinds: kinds ?? (stored?.name == encoder.name ? stored?.kinds : nil),
      directions: directions ?? (stored?.name == encoder.name ? stored?.directions : nil))
    if model != stored {
      try writer.transaction { database throws(CatalogueError) in
        try database.tables.settings.set(ImageModel.setting, to: model.setting)
        try database.tables.settings.set(
          ImageModel.directionsSetting, to: model.storedDirections)
        return true
      }
    }
    return writer.generation
  }

  // MARK: What vectors tell

  /// The most images that others are compared with, and that are looked up among them.
  private static let (comparedImages, lookedUpImages) = (2048, 512)
  /// The share of the images from which on a kind tells nothing.
  private static let commonKind = 0.5

  /// The most images whose directions are fitted.
  private static let fittedImages = 8192

  /// Returns the calibration of the model's cosines by the kinds of the catalogue, and the directions that tell its things apart.
  ///
  /// - Complexity: O(images) to find them; no more than 2048 × 512 comparisons, and 8192 images for the directions.
  private func fit(
    _ encoder: ImageEncoder
  ) throws(CatalogueError) -> (kinds: KindCalibration?, directions: EmbeddingDirections?) {
    let generation = try OpenedGeneration(directory: directory)
    let segments = try Self.segments(of: generation)
    let model = ImageEmbedding.fingerprint(of: encoder.name)
    var places: [(key: UInt32, segment: SignatureSegment, row: Int)] = []
    try generation.database.tables.images.forEach { image throws(CatalogueError) in
      guard let segment = segments[image.record.segment],
        segment.embedding(at: image.record.row)?.model == model
      else { return }
      places.append((image.key, segment, image.record.row))
    }
    let directions = Self.directions(places)
    let sample = Self.evenly(places, Self.comparedImages)
    let values = try generation.database.tables.entities.values(
      ofKeys: Set(sample.map(\.key)).sorted())
    var counts: [String: Int] = [:]
    for place in sample {
      for kind in values[place.key]?.kinds ?? [] { counts[kind, default: 0] += 1 }
    }
    let common = Self.commonKind * Double(sample.count)
    let images = sample.compactMap { place -> KindedImage? in
      guard let value = values[place.key], let embedding = place.segment.embedding(at: place.row)
      else { return nil }
      let kinds = value.kinds.filter { Double(counts[$0] ?? 0) <= common }
      return kinds.isEmpty
        ? nil
        : KindedImage(
          key: place.key, group: value.productGroup, kinds: kinds, embedding: embedding)
    }
    return (
      KindCalibration(Self.evenly(images, Self.lookedUpImages).map { $0.neighbors(in: images) }),
      directions
    )
  }

  /// Returns the directions that tell the things of some images apart.
  private static func directions(
    _ places: [(key: UInt32, segment: SignatureSegment, row: Int)]
  ) -> EmbeddingDirections? {
    var things: [[(segment: SignatureSegment, row: Int)]] = []
    var last: UInt32?
    for place in places {
      if place.key != last { things.append([]) }
      last = place.key
      things[things.count - 1].append((place.segment, place.row))
    }
    // Whole things, since it takes several images of one to see how they differ.
    let sample = evenly(things, fittedImages * things.count / max(1, places.count))
    return EmbeddingDirections(
      sample.map { images in images.compactMap { $0.segment.embedding(at: $0.row) } })
  }

  /// Returns at most `limit` elements, evenly spaced.
  private static func evenly<Element>(_ elements: [Element], _ limit: Int) -> [Element] {
    guard elements.count > limit else { return elements }
    return (0..<limit).map { elements[$0 * elements.count / limit] }
  }
}

/// An image of a thing of known kinds.
private struct KindedImage {
  let key: UInt32
  let group: String?
  let kinds: Set<String>
  let embedding: ImageEmbedding

  /// Returns the nearest images of other things: as they are, and without those of the same kind. Of one thing, only the nearest image
  /// counts, and variants of one thing are one thing.
  func neighbors(in images: [KindedImage]) -> [KindCalibration.Neighbor] {
    var nearest: [UInt32: (cosine: Double, isSameKind: Bool)] = [:]
    var (count, sum, squares) = (0.0, 0.0, 0.0)
    for image in images
    where image.key != key && (group == nil || image.group != group) {
      guard let cosine = image.embedding.similarity(to: embedding) else { continue }
      count += 1
      sum += cosine
      squares += cosine * cosine
      guard cosine > nearest[image.key]?.cosine ?? -2 else { continue }
      nearest[image.key] = (cosine, !image.kinds.isDisjoint(with: kinds))
    }
    let mean = sum / max(1, count)
    let deviation = max(0, squares / max(1, count) - mean * mean).squareRoot()
    guard deviation > 1e-6 else { return [] }
    // Ties of the cosine are ordered by key, so that the result does not vary.
    let ranked = nearest.sorted { ($1.value.cosine, $0.key) < ($0.value.cosine, $1.key) }
      .map { image in
        let distinction = max(0, (image.value.cosine - mean) / deviation)
        return KindCalibration.Neighbor(
          likeness: KindCalibration.likeness(
            cosine: image.value.cosine, distinction: distinction),
          isSameKind: image.value.isSameKind)
      }
    let limit = KindCalibration.neighbors
    return Array(ranked.prefix(limit)) + ranked.filter { !$0.isSameKind }.prefix(limit)
  }
}
