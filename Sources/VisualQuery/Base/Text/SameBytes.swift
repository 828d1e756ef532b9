extension String {
  /// Returns whether two texts have the same UTF-8 bytes; `==` treats canonically equivalent ones
  /// as equal.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
