/// Requests that are expected to take equally long: one route, and bodies of similar size.
struct RequestKind: Sendable, Hashable {
  let route: String
  /// Grows by one for each fourfold size; 0 without a body.
  let sizeClass: Int

  init(route: String, bodyBytes: Int) {
    self.route = route
    sizeClass = (Int.bitWidth - max(0, bodyBytes).leadingZeroBitCount + 1) / 2
  }
}

/// The durations of the latest requests of a kind.
struct RequestHistory: Sendable {
  private static let limit = 15
  /// Oldest first.
  private var durations: [Duration] = []

  /// The median; of an even number, the lower of the middle two.
  ///
  /// A mean would follow a single request that takes a hundred times as long as the others, and have
  /// the ordinary ones rejected until enough of them had finished. The median changes when the slow
  /// ones are the majority.
  var median: Duration? {
    durations.isEmpty ? nil : durations.sorted()[(durations.count - 1) / 2]
  }

  /// The duration that four of five requests did not exceed.
  var upperFifth: Duration? {
    durations.isEmpty ? nil : durations.sorted()[(durations.count - 1) * 4 / 5]
  }

  mutating func append(_ duration: Duration) {
    if durations.count == Self.limit { durations.removeFirst() }
    durations.append(duration)
  }
}
