extension Array where Element: Comparable {
  /// Returns the element that is at `rank` after sorting, without sorting the others.
  ///
  /// - Complexity: O(*n*) on average.
  ///
  /// Source: Hoare, "Algorithm 65: find", Communications of the ACM, 1961, <https://doi.org/10.1145/366622.366647>.
  consuming func element(ofRank rank: Int) -> Element {
    var (first, last) = (startIndex, endIndex - 1)
    while first < last {
      let pivot = self[rank]
      var (low, high) = (first, last)
      while low <= high {
        while self[low] < pivot { low += 1 }
        while pivot < self[high] { high -= 1 }
        guard low <= high else { break }
        swapAt(low, high)
        low += 1
        high -= 1
      }
      if high < rank { first = low }
      if rank < low { last = high }
    }
    return self[rank]
  }
}
