/// A row that may be an answer.
public struct Candidate: Sendable, Hashable, Comparable {
  /// Distance to the query, smaller is nearer.
  public var distance: Int
  /// Number of the segment in the list that was scanned.
  public var segment: Int
  /// Row in that segment.
  public var row: Int

  /// Makes a candidate.
  public init(distance: Int, segment: Int, row: Int) {
    self.distance = distance
    self.segment = segment
    self.row = row
  }

  /// Nearer first, ties by place: a total order, so that no split of the work changes the result.
  public static func < (a: Candidate, b: Candidate) -> Bool {
    (a.distance, a.segment, a.row) < (b.distance, b.segment, b.row)
  }
}

/// The best *k* candidates of any number that are offered.
public struct TopCandidates: Sendable {
  /// The most that are kept.
  public let limit: Int
  /// A heap with the worst kept candidate at the root.
  private var heap: [Candidate] = []

  /// Keeps at most `limit` candidates, at least 1.
  public init(limit: Int) {
    precondition(limit >= 1, "at least one candidate must be kept")
    self.limit = limit
    heap.reserveCapacity(min(limit, 4096))
  }

  /// The largest distance that can still be accepted, or `nil` while there is room.
  public var worstDistance: Int? { heap.count < limit ? nil : heap[0].distance }

  /// Keeps `candidate` if it is among the best so far.
  ///
  /// - Complexity: O(log `limit`).
  public mutating func offer(_ candidate: Candidate) {
    if heap.count < limit {
      heap.append(candidate)
      var child = heap.count - 1
      while child > 0, heap[(child - 1) / 2] < heap[child] {
        heap.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
    } else if candidate < heap[0] {
      heap[0] = candidate
      var parent = 0
      while true {
        var largest = parent
        for child in 2 * parent + 1...2 * parent + 2
        where child < heap.count && heap[largest] < heap[child] {
          largest = child
        }
        if largest == parent { break }
        heap.swapAt(parent, largest)
        parent = largest
      }
    }
  }

  /// Offers all that another one has kept.
  public mutating func merge(_ other: TopCandidates) {
    for candidate in other.heap { offer(candidate) }
  }

  /// The kept candidates, best first.
  public var sorted: [Candidate] { heap.sorted() }
}
