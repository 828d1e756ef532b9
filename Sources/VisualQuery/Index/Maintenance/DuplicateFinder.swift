internal import PixelMatch

/// Finds the entities whose images are the same, or nearly.
package struct DuplicateFinder: Sendable {
  /// The likeness of the images of a cluster.
  package enum Likeness: String, Sendable, Hashable, Encodable, CaseIterable {
    /// The images differ by no more than compression.
    case same
    /// Some images differ by more, such as a retouched one or one with a small mark.
    case near
  }

  /// An entity with the image that is like another one's.
  package struct Member: Sendable, Hashable, Encodable {
    /// The id of the entity with its type, such as `product:mug-red`.
    package let id: String
    /// The title of the entity.
    package let title: String
    /// The path of the image, as the feed gives it.
    package let image: String?
    /// The position of the image among those of the entity.
    let position: Int

    private enum CodingKeys: CodingKey { case id, title, image }
  }

  /// Entities of one type, each of which has an image like that of another one of the cluster.
  package struct Cluster: Sendable, Hashable, Encodable {
    /// The likeness of the images.
    package let likeness: Likeness
    /// The entities, by id.
    package let entities: [Member]
  }

  /// The largest mean difference of cells, of 255 levels, up to which images are nearly the same. A test holds that it keeps the
  /// colors of the products in the sample shop apart.
  static let nearDifference = 4

  private let catalogue: Catalogue
  private let pool: WorkerPool

  /// Makes a finder for a catalogue.
  package init(catalogue: Catalogue, pool: WorkerPool = WorkerPool()) {
    self.catalogue = catalogue
    self.pool = pool
  }

  /// Returns the clusters, the largest first, then by id.
  ///
  /// Images that lack detail are left out, since they are like many others.
  ///
  /// - Parameter likeness: `same` leaves out images that are nearly the same.
  /// - Throws: ``CatalogueError``; `CancellationError`.
  /// - Complexity: The complexity of `HashNeighbors`; not quadratic.
  package func clusters(_ likeness: Likeness) async throws -> [Cluster] {
    try await withTaskExecutorPreference(pool) { @concurrent in
      var clusters: [Cluster] = []
      for type in EntityType.allCases { clusters += try self.clusters(of: type, likeness) }
      try catalogue.checkUnchanged()
      return clusters.sorted {
        ($1.entities.count, $0.entities[0].id) < ($0.entities.count, $1.entities[0].id)
      }
    }
  }

  /// An image with everything by which it is compared.
  private struct Image: Hashable {
    let hash: PDQHash
    let layout: ColorLayout
  }

  /// An image of an entity.
  private struct Use: Hashable {
    let key: UInt32
    let position: Int
  }

  private func clusters(of type: EntityType, _ likeness: Likeness) throws -> [Cluster] {
    var uses: [Image: [Use]] = [:]
    for live in catalogue.segments(of: type) {
      for row in 0..<live.segment.count where live.isLive(row) && !live.segment.isFlat(row) {
        if row % 4096 == 0 { try Task.checkCancellation() }
        // Squares of long images, such as those of text, may be alike.
        if live.segment.tag(at: row) >= EntityValue.imageLimit { continue }
        let image = Image(hash: live.segment.pdq(at: row), layout: live.segment.layout(at: row))
        uses[image, default: []].append(
          Use(key: live.segment.key(at: row), position: Int(live.segment.tag(at: row))))
      }
    }
    // Sorted, because the order of a dictionary changes from run to run.
    let images = uses.keys.sorted { Self.first(of: uses[$0]) < Self.first(of: uses[$1]) }
    var same = DisjointSets(count: images.count)
    var near = DisjointSets(count: images.count)
    try HashNeighbors(images.map(\.hash)).forEachPair(
      maximumDistance: likeness == .same ? 8 : HashNeighbors.largestDistance
    ) { first, second in
      try Task.checkCancellation()
      let (a, b) = (images[first].layout, images[second].layout)
      if CatalogueDoctor.isAlike(a, b) { same.join(first, second) }
      if likeness == .near, Self.isNear(a, b) { near.join(first, second) }
    }
    for index in images.indices { near.join(index, same.root(of: index)) }
    return try clusters(images.map { uses[$0] ?? [] }, same: &same, near: &near)
  }

  private static func first(of uses: [Use]?) -> (UInt32, Int) {
    uses?.map { ($0.key, $0.position) }.min { $0 < $1 } ?? (0, 0)
  }

  private static func isNear(_ a: ColorLayout, _ b: ColorLayout) -> Bool {
    let sum = zip(a.bytes, b.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return sum <= nearDifference * ColorLayout.byteCount
  }

  /// Makes clusters of the sets that have images of several entities.
  private func clusters(
    _ uses: [[Use]], same: inout DisjointSets, near: inout DisjointSets
  ) throws(CatalogueError) -> [Cluster] {
    var members: [Int: [Use]] = [:]
    var parts: [Int: Set<Int>] = [:]
    for index in uses.indices {
      let root = near.root(of: index)
      members[root, default: []] += uses[index]
      parts[root, default: []].insert(same.root(of: index))
    }
    let shared = members.filter { Set($0.value.map(\.key)).count > 1 }
    let values = try catalogue.entities(keys: shared.values.flatMap { $0.map(\.key) })
    return shared.compactMap { root, uses in
      var positions: [UInt32: Int] = [:]
      for use in uses { positions[use.key] = min(use.position, positions[use.key] ?? .max) }
      let entities = positions.compactMap { key, position -> Member? in
        guard let value = values[key] else { return nil }
        let paths = value.imagePaths
        return Member(
          id: value.id.description, title: value.displayRepresentation.title,
          image: paths.indices.contains(position) ? paths[position] : nil, position: position)
      }.sorted { $0.id < $1.id }
      guard entities.count > 1 else { return nil }
      return Cluster(likeness: parts[root]?.count == 1 ? .same : .near, entities: entities)
    }
  }
}

/// Sets of the numbers below a count, which can be joined.
private struct DisjointSets {
  private var parents: [Int]

  init(count: Int) { parents = Array(0..<count) }

  /// Returns the number that stands for the set of `element`.
  mutating func root(of element: Int) -> Int {
    var element = element
    while parents[element] != element {
      parents[element] = parents[parents[element]]
      element = parents[element]
    }
    return element
  }

  /// Joins the sets of two numbers.
  mutating func join(_ a: Int, _ b: Int) {
    let (a, b) = (root(of: a), root(of: b))
    parents[max(a, b)] = min(a, b)
  }
}
