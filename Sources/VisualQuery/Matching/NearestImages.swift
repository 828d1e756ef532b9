/// What the other images of an entity say for it: how many of the images that look most like the query are its own.
///
/// Of many images of a thing, one is near the query by chance more easily than several are: the vote of the k nearest
/// neighbors (Cover and Hart, "Nearest neighbor pattern classification", 1967,
/// <https://doi.org/10.1109/TIT.1967.1053964>), beside the nearest one, by which alone entities of one image can be compared.
struct ImageSupport: Sendable, Hashable {
  /// See ``Evidence/Kind/support``.
  let share: Double
  /// The most that ``share`` could be, `0...1`: an entity with few images has little to show.
  let limit: Double
}

/// The candidate images that look most like a query, and the number of those of each entity.
struct NearestImages: Sendable {
  /// The number of images that count as the nearest.
  private static let count = 20
  /// The lead of a score over that of the first image that does not count, from which on an image counts in full. Below it,
  /// two images that change places would change a confidence by a step.
  private static let margin = 0.2

  /// The nearest images and the first that does not count, the highest score first.
  private var nearest: [(score: Double, key: UInt32)] = []
  private var imagesByKey: [UInt32: Int] = [:]
  private var images = 0

  /// Adds an image of an entity.
  ///
  /// - Parameter score: See ``MeasuredEvidence/scoreOfContent``.
  /// - Complexity: O(1) for all but the nearest images.
  mutating func add(_ key: UInt32, score: Double) {
    images += 1
    imagesByKey[key, default: 0] += 1
    guard nearest.count <= Self.count || score > nearest[Self.count].score else { return }
    let index = nearest.firstIndex { $0.score < score } ?? nearest.endIndex
    nearest.insert((score, key), at: index)
    if nearest.count > Self.count + 1 { nearest.removeLast() }
  }

  /// Returns the support of every entity with several images; of none if all images are among the nearest, which says nothing.
  func support() -> [UInt32: ImageSupport] {
    guard images > Self.count, imagesByKey.count < images else { return [:] }
    let edge = nearest[Self.count].score
    // The nearest image of each entity is what its own evidence is of; only the others are its support.
    var (others, seen): ([UInt32: Double], Set<UInt32>) = ([:], [])
    for image in nearest.prefix(Self.count) where !seen.insert(image.key).inserted {
      others[image.key, default: 0] += min(1, (image.score - edge) / Self.margin)
    }
    let most = Double(Self.count - 1)
    var support: [UInt32: ImageSupport] = [:]
    for (key, count) in imagesByKey where count > 1 {
      // Of a catalogue that has hardly anything else, the nearest images are its own in any case.
      let chance = Double(count - 1) / Double(images - 1)
      let share = chance < 1 ? ((others[key] ?? 0) / most - chance) / (1 - chance) : 0
      support[key] = ImageSupport(
        share: max(0, share), limit: min(1, Double(count - 1) / most) * (1 - chance))
    }
    return support
  }
}
