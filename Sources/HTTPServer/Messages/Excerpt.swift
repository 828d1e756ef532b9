extension String {
  /// The text as a message quotes it: at most 64 scalars, and `…` for the rest.
  ///
  /// A client must not get back, in an error, the quarter megabyte that it sent for a name.
  package var excerpt: String {
    let scalars = unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 64, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return self }
    return String(scalars[..<end]) + "…"
  }
}
