/// A row that may match.
package struct Candidate: Sendable, Hashable, Comparable {
  /// The distance to the query.
  package var distance: Int
  /// The index of the segment in the list that was scanned.
  package var segment: Int
  /// The row in that segment.
  package var row: Int

  /// Makes a candidate.
  package init(distance: Int, segment: Int, row: Int) {
    self.distance = distance
    self.segment = segment
    self.row = row
  }

  /// Orders by distance, then by segment and row: a total order, so that the result does not depend
  /// on how the work is split.
  package static func < (a: Candidate, b: Candidate) -> Bool {
    (a.distance, a.segment, a.row) < (b.distance, b.segment, b.row)
  }
}

/// The best *k* of any number of candidates.
package struct TopCandidates: Sendable {
  /// The largest number of candidates that are kept.
  package let limit: Int
  /// A heap with the worst kept candidate at the root.
  private var heap: [Candidate] = []

  /// Makes an empty list of at most `limit` candidates; `limit` is at least 1.
  package init(limit: Int) {
    precondition(limit >= 1, "at least one candidate must be kept")
    self.limit = limit
    heap.reserveCapacity(min(limit, 4096))
  }

  /// The largest kept distance, or `nil` while there is room.
  package var worstDistance: Int? { heap.count < limit ? nil : heap[0].distance }

  /// Keeps `candidate` if it is among the best so far.
  ///
  /// - Complexity: O(log `limit`).
  package mutating func offer(_ candidate: Candidate) {
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

  /// Offers all candidates of another list.
  package mutating func merge(_ other: TopCandidates) {
    for candidate in other.heap { offer(candidate) }
  }

  /// The kept candidates, best first.
  package var sorted: [Candidate] { heap.sorted() }
}
