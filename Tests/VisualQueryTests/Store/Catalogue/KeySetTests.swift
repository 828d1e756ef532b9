@testable import ShopSearch
import TestSupport
import Testing

@testable import ShopStore
import VisualQuery

@Suite struct KeySetTests {
  /// Would break if the join of a set with one that is all keys but some lost or gained a key.
  @Test func `sets of keys behave as sets of numbers do`() {
    var random = SeededGenerator(seed: 14)
    let range: Range<UInt32> = 0..<400
    func drawn() -> (KeySet, Set<UInt32>) {
      let limit = UInt32.random(in: 1..<400, using: &random)
      let members = Set(
        (0..<Int.random(in: 0..<80, using: &random)).map { _ in
          UInt32.random(in: 0..<limit, using: &random)
        })
      var keys = KeySet()
      for key in members { keys.insert(key) }
      return Bool.random(using: &random)
        ? (keys, members) : (keys.inverted, Set(range).subtracting(members))
    }
    for _ in 0..<500 {
      let (a, b) = (drawn(), drawn())
      for (keys, members) in [
        a, (a.0.union(b.0), a.1.union(b.1)), (a.0.intersection(b.0), a.1.intersection(b.1)),
        (a.0.inverted, Set(range).subtracting(a.1)),
      ] {
        #expect(keys.keys(in: range) == members.sorted())
        #expect(keys.keys(in: 65..<130) == members.filter { (65..<130).contains($0) }.sorted())
        #expect(keys.isEmpty(among: range.count) == members.isEmpty)
        if let count = keys.count { #expect(count == members.count) }
        #expect(keys.contains(77) == members.contains(77))
      }
    }
  }
}
