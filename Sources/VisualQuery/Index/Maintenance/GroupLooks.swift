internal import PixelMatch

/// Compares how the variants of groups look, to find those that are in a wrong group, and groups that are one.
///
/// Other colors, other sides and other crops of a thing are alike here; only what has nothing in common is not.
struct GroupLooks {
  /// An image, as it is stored.
  struct Picture {
    let segment: SignatureSegment
    let row: Int
    var pdq: PDQHash { segment.pdq(at: row) }
  }

  /// A variant of a group with its images.
  struct Member {
    let id: String
    var pictures: [Picture]
  }

  /// The most images of a variant, and the most variants of a group, that are compared.
  static let (pictureLimit, memberLimit) = (4, 50)
  /// The fewest other variants of a group that must look alike for one that does not to be told.
  private static let leastOthers = 3
  /// The least distance of the PDQ hashes of images that are not alike, of 256 bits, and the most keypoints that both have at one place.
  /// Of pairs of garments of one group, 5 in 100 are that different, of other pairs 67.
  private static let (unlikeDistance, unlikeKeypoints) = (90, 6)
  /// The least differences of texture and of cells of color of such images.
  private static let (unlikeTexture, unlikeCells) = (300, 0.08)
  /// The same for images that have little in common.
  private static let (farDistance, farKeypoints) = (76, 10)
  /// The largest distance of hashes, or the least number of keypoints at one place, of images that are alike.
  private static let (likeDistance, likeKeypoints) = (62, 40)
  /// The largest distance of hashes of images with the same design, and the least share of their keypoints.
  private static let (designDistance, designShare) = (31, 0.5)
  /// The most images with the same hash that are compared with others.
  private static let useLimit = 8
  /// The fewest keypoints of such images.
  private static let leastKeypoints = 24
  /// The largest differences of places and hashes of keypoints that show the same.
  private static let (nearness, hashDistance) = (8, 22)

  /// The variants of each group.
  let groups: [String: [Member]]

  /// A variant that is in a wrong group.
  struct Stranger {
    let member: Member
    /// The variant of another group with the same design, or `nil` if there is none.
    let twin: Member?
  }

  /// Two groups with the same design, each with one of its variants.
  typealias Twins = (first: Member, second: Member)

  /// Returns the variants that are in a wrong group, and the pairs of groups that show the same design but for its colors.
  ///
  /// A variant is in a wrong group if it looks like no other one of its group, and either the others look alike, or it has the design of
  /// another group. Two groups are one if each variant of the smaller one has the design of the other group.
  func findings(shouldStop: () -> Bool) -> (strangers: [Stranger], twins: [Twins]) {
    let designs = sharedDesigns(shouldStop: shouldStop)
    func areAll(_ index: Int, of members: [Member], _ differ: (Member, Member) -> Bool) -> Bool {
      members.indices.allSatisfy {
        $0 == index || members[$0].pictures.isEmpty || differ(members[index], members[$0])
      }
    }
    var strangers: [Stranger] = []
    for (name, members) in groups.sorted(by: { $0.key < $1.key }) {
      if shouldStop() { break }
      let pictured = members.indices.filter { !members[$0].pictures.isEmpty }
      guard pictured.count > 1 else { continue }
      let elsewhere = pictured.filter {
        designs.partners[Place(group: name, member: $0)] != nil
          && areAll($0, of: members, Self.isFar)
      }
      if elsewhere.count == 1, let index = elsewhere.first,
        let twin = designs.partners[Place(group: name, member: index)]
      {
        strangers.append(
          Stranger(member: members[index], twin: groups[twin.group]?[twin.member]))
        continue
      }
      let odd = pictured.filter { areAll($0, of: members, Self.isUnlike) }
      // If several differ from all others, nobody can tell which one is wrong.
      guard odd.count == 1 else { continue }
      let others = pictured.filter { $0 != odd[0] }
      let areAlike = others.allSatisfy { index in
        others.contains { $0 != index && Self.isLike(members[index], members[$0]) }
      }
      if others.count >= Self.leastOthers, areAlike {
        strangers.append(Stranger(member: members[odd[0]], twin: nil))
      }
    }
    return (strangers, designs.twins)
  }

  private struct Place: Hashable, Comparable {
    let group: String
    let member: Int

    static func < (a: Place, b: Place) -> Bool { (a.group, a.member) < (b.group, b.member) }
  }

  private struct Pair: Hashable {
    let first: String
    let second: String
  }

  /// Returns a variant of another group with the same design for each that has one, and the pairs of groups with the same design.
  private func sharedDesigns(
    shouldStop: () -> Bool
  ) -> (partners: [Place: Place], twins: [Twins]) {
    var pictures: [(place: Place, picture: Picture)] = []
    var uses: [PDQHash: Int] = [:]
    for (name, members) in groups.sorted(by: { $0.key < $1.key }) {
      for (index, member) in members.enumerated() {
        for picture in member.pictures where !picture.segment.isFlat(picture.row) {
          // An image that thousands of products share would make millions of pairs.
          uses[picture.pdq, default: 0] += 1
          if uses[picture.pdq, default: 0] <= Self.useLimit {
            pictures.append((Place(group: name, member: index), picture))
          }
        }
      }
    }
    var partners: [Place: Place] = [:]
    /// The variants of both groups that have a partner in the other.
    var found: [Pair: (first: Set<Int>, second: Set<Int>)] = [:]
    var isStopped = false
    HashNeighbors(pictures.map(\.picture.pdq)).forEachPair(maximumDistance: Self.designDistance) {
      let (a, b) = (pictures[$0], pictures[$1])
      isStopped = isStopped || shouldStop()
      guard !isStopped, a.place.group != b.place.group,
        Self.haveOneDesign(a.picture, b.picture)
      else { return }
      partners[a.place] = min(partners[a.place] ?? b.place, b.place)
      partners[b.place] = min(partners[b.place] ?? a.place, a.place)
      // The images are ordered by group, so `a` is always of the group that comes first.
      let pair = Pair(first: a.place.group, second: b.place.group)
      found[pair, default: ([], [])].first.insert(a.place.member)
      found[pair]?.second.insert(b.place.member)
    }
    let twins: [Twins] = found.sorted {
      ($0.key.first, $0.key.second) < ($1.key.first, $1.key.second)
    }
    .compactMap { pair, members in
      guard let first = groups[pair.first], let second = groups[pair.second],
        let a = members.first.min(), let b = members.second.min(),
        first.count <= second.count
          ? members.first.count == first.count : members.second.count == second.count
      else { return nil }
      return (first[a], second[b])
    }
    return (partners, twins)
  }

  /// Returns whether all images of two variants differ clearly, but not enough to say that a variant is in a wrong
  /// group unless it also looks like another group.
  private static func isFar(_ a: Member, _ b: Member) -> Bool {
    every(a, b) { one, other in
      one.pdq.hammingDistance(to: other.pdq) >= farDistance
        && sharedKeypoints(
          one.segment.signature(at: one.row), other.segment.signature(at: other.row))
          <= farKeypoints
    }
  }

  private static func isUnlike(_ a: Member, _ b: Member) -> Bool {
    every(a, b) { one, other in
      guard one.pdq.hammingDistance(to: other.pdq) >= unlikeDistance else { return false }
      let (first, second) = (
        one.segment.signature(at: one.row), other.segment.signature(at: other.row)
      )
      return first.texture.distance(to: second.texture) >= unlikeTexture
        && first.layout.difference(from: second.layout).residual >= unlikeCells
        && sharedKeypoints(first, second) <= unlikeKeypoints
    }
  }

  private static func isLike(_ a: Member, _ b: Member) -> Bool {
    !every(a, b) { one, other in
      one.pdq.hammingDistance(to: other.pdq) > likeDistance
        && sharedKeypoints(
          one.segment.signature(at: one.row), other.segment.signature(at: other.row))
          < likeKeypoints
    }
  }

  private static func every(_ a: Member, _ b: Member, _ holds: (Picture, Picture) -> Bool) -> Bool {
    a.pictures.allSatisfy { one in b.pictures.allSatisfy { holds(one, $0) } }
  }

  private static func haveOneDesign(_ a: Picture, _ b: Picture) -> Bool {
    // Two products with the same image are reported as another finding.
    if CatalogueDoctor.isAlike(a.segment.layout(at: a.row), b.segment.layout(at: b.row)) {
      return false
    }
    let (first, second) = (a.segment.signature(at: a.row), b.segment.signature(at: b.row))
    let least = min(first.keypoints.count, second.keypoints.count)
    return least >= leastKeypoints
      && Double(sharedKeypoints(first, second)) >= designShare * Double(least)
  }

  /// Returns the number of keypoints of one image for which the other image has a similar one at the same place.
  private static func sharedKeypoints(_ a: Signature, _ b: Signature) -> Int {
    let others = Array(zip(b.keypoints.keypoints, b.keypoints.hashes))
    return zip(a.keypoints.keypoints, a.keypoints.hashes).count { point, hash in
      others.contains { other, otherHash in
        abs(Int(point.x) - Int(other.x)) <= nearness && abs(Int(point.y) - Int(other.y)) <= nearness
          && hash.hammingDistance(to: otherHash) <= hashDistance
      }
    }
  }
}
