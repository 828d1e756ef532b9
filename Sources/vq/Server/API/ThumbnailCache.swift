import Synchronization
import VisualQuery

/// The thumbnails that were asked for lately.
final class ThumbnailCache: Sendable {
  struct Key: Sendable, Hashable {
    private let type: EntityType
    /// The id in UTF-8: texts compare by canonical equivalence, ids by their bytes.
    private let id: [UInt8]
    private let image: Int
    private let size: EntityThumbnails.Size
    private let catalogue: String
    private let generation: Int

    init(
      id: EntityID, image: Int, size: EntityThumbnails.Size, catalogue: String, generation: Int
    ) {
      (type, self.id) = (id.type, Array(id.value.utf8))
      (self.image, self.size) = (image, size)
      (self.catalogue, self.generation) = (catalogue, generation)
    }
  }

  /// Bytes of all thumbnails together; 32 MB.
  private static let limit = 32_000_000

  private struct State {
    var entries: [Key: EntityThumbnails.Thumbnail] = [:]
    /// The keys in the order in which they came.
    var order: [Key] = []
    var byteCount = 0
  }

  private let state = Mutex(State())

  /// The file of a key, if it is kept. New files drive out the oldest ones.
  subscript(key: Key) -> EntityThumbnails.Thumbnail? {
    get { state.withLock { $0.entries[key] } }
    set {
      guard let newValue else { return }
      state.withLock { state in
        guard state.entries.updateValue(newValue, forKey: key) == nil else { return }
        state.order.append(key)
        state.byteCount += newValue.jpeg.count
        var gone = 0
        while state.byteCount > Self.limit && gone < state.order.count - 1 {
          state.byteCount -= state.entries.removeValue(forKey: state.order[gone])?.jpeg.count ?? 0
          gone += 1
        }
        state.order.removeFirst(gone)
      }
    }
  }
}
