public import Foundation

/// Loads the images of cards side by side, and keeps them: the system shows bytes, and knows no key of the service.
public actor ThumbnailLoader {
  /// The most images that are loaded at once.
  private static let width = 8
  /// The most bytes of one image. Larger ones are left out of cards.
  private static let imageLimit = 2 << 20

  private let client: ShopClient
  private let byteLimit: Int
  private var images: [URL: Data] = [:]
  /// The addresses of ``images``, the oldest first.
  private var order: [URL] = []
  private var byteCount = 0

  /// Makes a loader.
  ///
  /// - Parameter byteLimit: The most bytes of images that are kept in memory.
  public init(client: ShopClient, byteLimit: Int = 8 << 20) {
    self.client = client
    self.byteLimit = byteLimit
  }

  /// Returns the image files of the cards of some entities, as far as they can be loaded within a time.
  ///
  /// An entity without an image, and one whose image is late, too large, or lost, is not among them.
  public func images(
    of entities: [Entity], size: ShopClient.ThumbnailSize = .large,
    background: ShopClient.ThumbnailBackground? = nil, within time: Duration
  ) async -> [EntityID: Data] {
    var addresses: [EntityID: URL] = [:]
    for entity in entities {
      if let url = client.imageURL(of: entity, size: size, background: background) {
        addresses[entity.entityID] = url
      }
    }
    var loaded: [URL: Data] = [:]
    for url in addresses.values { loaded[url] = images[url] }
    // In the order of the entities: the first ones are seen first.
    var seen: Set<URL> = []
    let missing = entities.compactMap { addresses[$0.entityID] }
      .filter { loaded[$0] == nil && seen.insert($0).inserted }
    for (url, image) in await load(missing, within: time) {
      loaded[url] = image
      keep(image, of: url)
    }
    return addresses.compactMapValues { loaded[$0] }
  }

  private enum Event: Sendable {
    case image(URL, Data?)
    case timePassed
  }

  private nonisolated func load(
    _ urls: [URL], within time: Duration
  ) async -> [(URL, Data)] {
    guard !urls.isEmpty else { return [] }
    let client = client
    return await withTaskGroup(of: Event.self) { group in
      var loaded: [(URL, Data)] = []
      var waiting = urls.makeIterator()
      var count = urls.count
      func start() {
        guard let url = waiting.next() else { return }
        group.addTask { .image(url, try? await client.thumbnail(url)) }
      }
      group.addTask {
        try? await Task.sleep(for: time)
        return .timePassed
      }
      for _ in 0..<Self.width { start() }
      defer { group.cancelAll() }
      while count > 0, let event = await group.next() {
        guard case .image(let url, let image) = event else { break }
        if let image, image.count <= Self.imageLimit { loaded.append((url, image)) }
        count -= 1
        start()
      }
      return loaded
    }
  }

  private func keep(_ image: Data, of url: URL) {
    guard images.updateValue(image, forKey: url) == nil else { return }
    order.append(url)
    byteCount += image.count
    while byteCount > byteLimit, let oldest = order.first {
      order.removeFirst()
      byteCount -= images.removeValue(forKey: oldest)?.count ?? 0
    }
  }
}
