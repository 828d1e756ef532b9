/// Numbers that look random, and are the same on every machine (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
/// <https://doi.org/10.1145/2660193.2660195>).
package struct SplitMix: Sendable {
  private var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 on and below a count.
  package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  /// Returns some elements in another order.
  package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    for index in result.indices.reversed() where index > 0 {
      result.swapAt(index, below(index + 1))
    }
    return result
  }
}
