/// A queue that frees the memory of removed elements, even if it is never empty.
struct FIFOQueue<Element> {
  private var elements: [Element] = []
  /// The index of the next element.
  private var head = 0

  /// The number of elements in memory, including removed ones.
  var storedCount: Int { elements.count }

  /// Adds an element at the end.
  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the first element, or returns `nil` if there is none.
  ///
  /// - Complexity: O(1), amortized: at most as many elements are moved as were removed since the
  ///   last time.
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    head += 1
    if head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
