internal import PixelMatch

/// The parts of a query that the images of many groups share: a size chart beneath every product, a placeholder, one studio for
/// all photos, the shop's logo.
///
/// Such things propose candidates and prove none of them, as frequent words do in a search of texts (Sivic and Zisserman, "Video Google: a
/// text retrieval approach to object matching in videos", 2003, <https://doi.org/10.1109/ICCV.2003.1238663>, which leaves them out). The
/// groups are counted among the candidates of the query, so that no index of them is kept: what a change of the catalogue adds counts
/// from then on.
struct Commonness: Sendable {
  /// The number of groups from which on what they share proves none of them. Variants of one product are one group.
  static let groups = Product.manyGroups
  /// The evidence of the hash from which on an image has a part in the count; if many groups have that much, it begins to say nothing, and wholly
  /// does at the upper bound.
  static let sharedHash = 0.45...0.6
  /// The share of the shared keypoints that others may lack by chance.
  private static let chance = 0.05
  /// The most bits by which the hashes of two files of one image differ, and those of one thing in two colors.
  private static let (sameBits, recoloredBits) = (12, 16)
  /// The largest difference of the colors of two files of one image, in Oklab, where they differ most.
  private static let sameColors = 0.04

  /// The part of the evidence for an image that few groups share.
  struct Own: Sendable, Hashable {
    /// The share of the keypoints that agree.
    var share = 1.0
    /// The shared parts of the query.
    var claim = ImageClaim()
    /// The evidence of the hash that many groups have.
    var hash = 0.0

    /// The part of an image that many groups have.
    static let nothing = Own(share: 0, hash: 1)
  }

  private let size: SIMD2<Int>
  /// The rows of each search whose image many groups have.
  private var pictures: [Set<SegmentRow>] = []
  /// The parts of the query in which keypoints of many groups agree, and those in which keypoints of one group less do.
  private var (many, several) = (ImageClaim(), ImageClaim())
  /// The evidence of the hash that many groups have, at the most.
  private var hash = 0.0

  /// Counts the groups that share something.
  ///
  /// - Parameters:
  ///   - size: The size of the query's working image.
  ///   - groups: The groups of the entities with an image that may be shared; `nil` for those without a group. An entity that is missing
  ///     counts as one without.
  /// - Complexity: O(*n*²) for *n* different images that clearly agree with the query; O(candidates) if fewer than ``groups`` entities have
  ///   such an image.
  init(_ searches: [TypeSearch], of size: SIMD2<Int>, groups: [UInt32: String?]) {
    self.size = size
    let found = searches.map(\.witnesses)
    let all = found.joined()
    guard Set(all.lazy.map(\.key)).count >= Self.groups else { return }
    let witnesses = Array(all)
    let images = Self.images(of: found)
    let looks = witnesses.indices.filter { images[$0] == $0 }.map {
      Look(index: $0, witnesses[$0].stored)
    }
    var owners = Owners(witnesses.map(\.key), groups)
    var alike: [Int: Set<Int>] = [:]
    for (place, look) in looks.enumerated() {
      for other in looks.dropFirst(place + 1) {
        switch look.likeness(to: other) {
        case .same:
          alike[look.index, default: []].insert(other.index)
          alike[other.index, default: []].insert(look.index)
        case .recolored: owners.join(look.index, other.index)
        case .other: continue
        }
      }
    }
    var owning: [Int: Set<Int>] = [:]
    for index in witnesses.indices { owning[images[index], default: []].insert(owners[index]) }
    let shared = Set(
      looks.map(\.index).filter { look in
        (alike[look] ?? []).reduce(owning[look] ?? []) { $0.union(owning[$1] ?? []) }.count
          >= Self.groups
      })
    var index = 0
    pictures = found.map { search in
      var rows: Set<SegmentRow> = []
      for witness in search {
        if shared.contains(images[index]) { rows.insert(witness.row) }
        index += 1
      }
      return rows
    }
    count(witnesses, owners) { shared.contains(images[$0]) }
  }

  /// Returns for each witness the index of the first one with the same image.
  private static func images(of found: [[TypeSearch.Witness]]) -> [Int] {
    var images: [Int] = []
    for witnesses in found {
      var known: [SegmentRow: Int] = [:]
      for witness in witnesses {
        let first = known[witness.picture] ?? images.count
        known[witness.picture] = first
        images.append(first)
      }
    }
    return images
  }

  /// Counts the groups whose keypoints agree in each part of the query, and those whose hashes are near.
  private mutating func count(
    _ witnesses: [TypeSearch.Witness], _ owners: Owners, isShared: (Int) -> Bool
  ) {
    var claims: [Int: ImageClaim] = [:]
    var hashes: [Int: Double] = [:]
    for (index, witness) in witnesses.enumerated() {
      let owner = owners[index]
      if let claim = witness.claim { claims[owner] = claim.union(claims[owner] ?? claim) }
      if !isShared(index) { hashes[owner] = max(hashes[owner] ?? 0, witness.hash) }
    }
    let parts = Array(claims.values)
    many = .shared(by: Self.groups, of: parts)
    several = .shared(by: Self.groups - 1, of: parts)
    let nearest = hashes.values.sorted(by: >)
    if nearest.count >= Self.groups { hash = nearest[Self.groups - 1] }
  }

  /// Returns whether many groups have the image of a row.
  ///
  /// - Parameter search: The index of the search that found it.
  func isCommon(_ row: SegmentRow, in search: Int) -> Bool {
    !pictures.isEmpty && pictures[search].contains(row)
  }

  /// Returns what is shared of the evidence for a candidate, or `nil` if nothing is.
  ///
  /// - Parameter search: The index of the search that found it.
  func own(of candidate: Candidate, in search: Int) -> Own? {
    if pictures.isEmpty { return nil }
    if isCommon(candidate.row, in: search) { return .nothing }
    var own = Own(claim: many)
    if hash > Self.sharedHash.lowerBound, candidate.measured.hash > 0 { own.hash = hash }
    if let alignment = candidate.measured.alignment, many.count > 0 || several.count > 0 {
      own.share = alignment.share(of: size) { place in
        many.contains(x: place.x, y: place.y)
          ? 0 : several.contains(x: place.x, y: place.y) ? 0.5 : 1
      }
    }
    return own.share < 1 || own.hash > 0 ? own : nil
  }

  /// Returns the evidence of a hash without what many groups have of it.
  fileprivate static func own(_ hash: Double, without shared: Double) -> Double {
    let rest = shared < 1 ? max(0, (hash - shared) / (1 - shared)) : 0
    return hash - sharedHash.share(at: shared) * (hash - rest)
  }

  /// Returns the inliers that count if only a share of the keypoints does.
  fileprivate static func own(_ inliers: Int, share: Double) -> Int {
    let own = Double(inliers) * (share - chance * (1 - share))
    return max(0, Int(own.rounded()))
  }

  /// A different image among the witnesses.
  private struct Look {
    enum Likeness { case same, recolored, other }

    let index: Int
    private let hash: PDQHash
    private let layout: ColorLayout

    init(index: Int, _ stored: StoredImage) {
      self.index = index
      hash = stored.segment.pdq(at: stored.row)
      layout = stored.segment.layout(at: stored.row)
    }

    /// Compares two images, whatever the query shows.
    func likeness(to other: Look) -> Likeness {
      let bits = hash.hammingDistance(to: other.hash)
      guard bits <= Commonness.recoloredBits else { return .other }
      guard layout.difference(from: other.layout).largest < Commonness.sameColors else {
        return .recolored
      }
      return bits <= Commonness.sameBits ? .same : .other
    }
  }
}

/// The numbers of the groups that own some images. Those of one thing in several colors are one, also if the shop does not group them.
private struct Owners {
  private var numbers: [Int]

  init(_ keys: [UInt32], _ groups: [UInt32: String?]) {
    var known: [String: Int] = [:]
    numbers = keys.enumerated().map { index, key in
      let name = (groups[key] ?? nil).map { "group \($0)" } ?? "entity \(key)"
      let number = known[name] ?? index
      known[name] = number
      return number
    }
  }

  /// Makes one group of those of two images.
  mutating func join(_ a: Int, _ b: Int) {
    let (kept, gone) = (min(numbers[a], numbers[b]), max(numbers[a], numbers[b]))
    guard kept != gone else { return }
    for index in numbers.indices where numbers[index] == gone { numbers[index] = kept }
  }

  subscript(index: Int) -> Int { numbers[index] }
}

extension MeasuredEvidence {
  /// Leaves only what few groups share.
  mutating func keep(_ own: Commonness.Own) {
    hash = Commonness.own(hash, without: own.hash)
    guard own.share < 1 else { return }
    let all = inliers
    inliers = Commonness.own(all, share: own.share)
    let share = Double(inliers) / Double(max(1, all))
    votes = Int((share * Double(votes)).rounded())
    agreement *= share
    patches = patches?.trusted(share * MeasuredEvidence.trustedPatches)
    claim = claim.subtracting(own.claim)
  }
}
