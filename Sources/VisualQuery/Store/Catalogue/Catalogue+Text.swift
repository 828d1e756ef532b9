internal import PixelMatch
package import Reading
internal import Synchronization

/// The text of a generation, made of its entities when it is first asked for.
struct PieceIndexCache: Sendable {
  enum State: Sendable {
    case absent
    case inProgress
    case ready(PieceIndex)
  }

  /// The indexes, by the models whose readings they have.
  private var states: [[ModelFile]?: State] = [:]

  /// Returns the index of some models, and notes that it is to be made if it is absent.
  mutating func take(_ models: [ModelFile]?) -> State {
    let state = states[models] ?? .absent
    if case .absent = state { states[models] = .inProgress }
    return state
  }

  mutating func put(_ index: PieceIndex?, of models: [ModelFile]?) {
    states[models] = index.map(State.ready)
  }
}

extension Catalogue {
  /// Returns the words of all entities, or `nil` while another thread reads them for the first time.
  ///
  /// - Parameter models: The models whose readings count, or `nil` for those of any.
  /// - Complexity: O(entities and lines of text) for the first question of a generation, which is not cut short; O(1) afterwards.
  package func textIndex(readBy models: [ModelFile]?) throws(CatalogueError) -> PieceIndex? {
    switch textIndexes.withLock({ $0.take(models) }) {
    case .ready(let index): return index
    case .inProgress: return nil
    case .absent: break
    }
    do throws(CatalogueError) {
      let index = PieceIndex(
        try read(stoppingWhen: { false }) { database throws(CatalogueError) in
          try database.pieceWords(readBy: models)
        })
      textIndexes.withLock { $0.put(index, of: models) }
      return index
    } catch {
      textIndexes.withLock { $0.put(nil, of: models) }
      throw error
    }
  }

  /// Returns the rows of the images of an entity in the segments of its type.
  package func rows(of key: UInt32, _ type: EntityType) throws(CatalogueError) -> [(
    segment: Int, row: Int
  )] {
    let indices = segmentIndices[type] ?? [:]
    return try read { database throws(CatalogueError) in
      try database.images.rows(ofKey: key)
    }.compactMap { image in indices[image.segment].map { ($0, image.row) } }
  }

  /// Returns whether there may be more text than titles and brands: that of images that were read, or of a feed.
  package func hasText() throws(CatalogueError) -> Bool {
    try read { database throws(CatalogueError) in
      if try database.readings.hasAny() { return true }
      return try database.printedText() != nil
    }
  }

  /// Returns whether images were read, and by other models only: then their text is left out.
  ///
  /// - Throws: ``CatalogueError``.
  package func isReadOnlyByOthers(than models: ReadingModels) throws(CatalogueError) -> Bool {
    try read { database throws(CatalogueError) in
      try database.readings.isReadOnlyByOthers(than: models.files)
    }
  }
}
