/// The share of the images nearest to the query that belong to one entity, apart from its best image.
///
/// If an entity has many images, one of them is easily near by chance, several are not: the vote of the k nearest
/// neighbors (Cover and Hart, "Nearest neighbor pattern classification", 1967,
/// <https://doi.org/10.1109/TIT.1967.1053964>).
struct ImageSupport: Sendable, Hashable {
  /// See ``Evidence/Kind/support``.
  let share: Double
  /// The highest possible ``share``, `0...1`. An entity with few images cannot fill the nearest ones.
  let limit: Double
}

/// The candidate images that look most like a query, and the number of those of each entity.
struct NearestImages: Sendable {
  /// The number of images that count as the nearest.
  private static let count = 20
  /// An image counts in full if its score is this far above that of the first image that does not count, else in part, so that
  /// the confidence does not jump when two images swap places.
  private static let margin = 0.2

  /// The nearest images and the first that does not count, the highest score first.
  private var nearest: [(score: Double, key: UInt32)] = []
  private var imagesByKey: [UInt32: Int] = [:]
  private var images = 0

  /// Adds an image of an entity. Another copy of the same image, which has the same score, does not count again.
  ///
  /// - Parameter score: See ``MeasuredEvidence/scoreOfContent``.
  /// - Complexity: O(1) for all but the nearest images.
  mutating func add(_ key: UInt32, score: Double) {
    images += 1
    imagesByKey[key, default: 0] += 1
    guard nearest.count <= Self.count || score > nearest[Self.count].score,
      !nearest.contains(where: { $0 == (score, key) })
    else { return }
    let index = nearest.firstIndex { $0.score < score } ?? nearest.endIndex
    nearest.insert((score, key), at: index)
    if nearest.count > Self.count + 1 { nearest.removeLast() }
  }

  /// Returns the support of every entity with several images; of none if all images are among the nearest, which says nothing.
  func support() -> [UInt32: ImageSupport] {
    guard nearest.count > Self.count, imagesByKey.count < images else { return [:] }
    let edge = nearest[Self.count].score
    // The nearest image of each entity is its own evidence already, so only its further images
    // count as support.
    var (others, seen): ([UInt32: Double], Set<UInt32>) = ([:], [])
    for image in nearest.prefix(Self.count) where !seen.insert(image.key).inserted {
      others[image.key, default: 0] += min(1, (image.score - edge) / Self.margin)
    }
    let most = Double(Self.count - 1)
    var support: [UInt32: ImageSupport] = [:]
    for (key, count) in imagesByKey where count > 1 {
      // The share of nearest images that the entity would have by chance. In a small
      // catalogue that consists mostly of its images, it is large for every query.
      let chance = Double(count - 1) / Double(images - 1)
      let share = chance < 1 ? ((others[key] ?? 0) / most - chance) / (1 - chance) : 0
      support[key] = ImageSupport(
        share: max(0, share), limit: min(1, Double(count - 1) / most) * (1 - chance))
    }
    return support
  }
}
