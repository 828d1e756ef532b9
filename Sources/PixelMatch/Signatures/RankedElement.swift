/// Returns the element of a list that is at `rank` after sorting, without sorting the others.
///
/// - Complexity: O(*n*) on average.
///
/// Source: Hoare, "Algorithm 65: find", Communications of the ACM, 1961, <https://doi.org/10.1145/366622.366647>.
func element<Element: Comparable>(ofRank rank: Int, in elements: consuming [Element]) -> Element {
  var (first, last) = (elements.startIndex, elements.endIndex - 1)
  while first < last {
    let pivot = elements[rank]
    var (low, high) = (first, last)
    while low <= high {
      while elements[low] < pivot { low += 1 }
      while pivot < elements[high] { high -= 1 }
      guard low <= high else { break }
      elements.swapAt(low, high)
      low += 1
      high -= 1
    }
    if high < rank { first = low }
    if rank < low { last = high }
  }
  return elements[rank]
}
