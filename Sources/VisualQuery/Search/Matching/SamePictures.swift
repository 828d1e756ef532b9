internal import PixelMatch

/// The groups of candidates that have the same image.
///
/// A shop often lists one image under several products, for example for each size of a shirt. No search can tell these
/// products apart, and a lead over one of them says nothing, so they are not rivals.
struct SamePictures: Sendable {
  /// The index of the first copy of each image.
  private let first: [Int]

  /// Compares images by all that is stored of them, whatever type of entity they belong to.
  ///
  /// - Complexity: O(images).
  init(_ images: [StoredImage]) {
    var first = Array(images.indices)
    // The last of the different images with a hash; `before` has the one before each of them.
    var last: [Int: Int] = [:]
    last.reserveCapacity(images.count)
    var before = [Int?](repeating: nil, count: images.count)
    for (index, image) in images.enumerated() {
      let hash = image.segment.pictureHash(at: image.row)
      var other = last[hash]
      while let known = other, first[index] == index {
        if images[known].isSamePicture(as: image) { first[index] = known }
        other = before[known]
      }
      if first[index] == index { before[index] = last.updateValue(index, forKey: hash) }
    }
    self.first = first
  }

  /// Makes images of which none is the same as another.
  init(differing count: Int) { first = Array(0..<count) }

  /// Makes images of which those with equal numbers are the same.
  init(numbered numbers: [Int]) {
    var known: [Int: Int] = [:]
    first = numbers.enumerated().map { index, number in
      known[number] = known[number] ?? index
      return known[number]!
    }
  }

  /// Returns the index of the first image that is the same as one.
  func firstIndex(of index: Int) -> Int { first[index] }

  /// Returns for each image the highest score of those that are the same.
  func highest(of scores: [Double]) -> [Double] {
    var highest = scores
    for (index, score) in scores.enumerated() {
      highest[first[index]] = max(highest[first[index]], score)
    }
    return first.map { highest[$0] }
  }

  /// Returns whether two images are the same.
  func areSame(_ a: Int, _ b: Int) -> Bool { first[a] == first[b] }
}

extension StoredImage {
  /// Returns whether the signatures are equal. Embeddings are left out: those of one image may come from different rows of a feed.
  func isSamePicture(as other: StoredImage) -> Bool {
    segment.hasSamePicture(at: row, as: other.segment, at: other.row)
  }
}
