import Testing
import VisualQuery

@testable import vq

@Suite struct ThumbnailCacheTests {
  /// `String` takes both spellings of `café` for equal; the catalogue and its links do not.
  @Test func `ids are told apart by their bytes`() {
    let cache = ThumbnailCache()
    func key(_ id: String) -> ThumbnailCache.Key {
      ThumbnailCache.Key(
        id: EntityID(type: .product, value: id), image: 0, size: .small, catalogue: "a",
        generation: 1)
    }
    let thumbnail = EntityThumbnails.Thumbnail(jpeg: [1], contentTag: "a")
    cache[key("caf\u{E9}")] = thumbnail
    #expect(cache[key("caf\u{E9}")] == thumbnail)
    #expect(cache[key("cafe\u{301}")] == nil)
  }
}
