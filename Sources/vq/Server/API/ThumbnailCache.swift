import Synchronization
import VisualQuery

/// The thumbnails that were asked for lately.
final class ThumbnailCache: Sendable {
  struct Key: Sendable, Hashable {
    let id: EntityID
    let image: Int
    let size: EntityThumbnails.Size
    let catalogue: String
    let generation: Int
  }

  /// Bytes of all thumbnails together; 32 MB.
  private static let limit = 32_000_000

  private struct State {
    var entries: [Key: [UInt8]] = [:]
    /// The keys in the order in which they came.
    var order: [Key] = []
    var byteCount = 0
  }

  private let state = Mutex(State())

  /// The file of a key, if it is kept. What is put in drives out what came first.
  subscript(key: Key) -> [UInt8]? {
    get { state.withLock { $0.entries[key] } }
    set {
      guard let newValue else { return }
      state.withLock { state in
        guard state.entries.updateValue(newValue, forKey: key) == nil else { return }
        state.order.append(key)
        state.byteCount += newValue.count
        var gone = 0
        while state.byteCount > Self.limit && gone < state.order.count - 1 {
          state.byteCount -= state.entries.removeValue(forKey: state.order[gone])?.count ?? 0
          gone += 1
        }
        state.order.removeFirst(gone)
      }
    }
  }
}
