/// A bar code or QR code that was read in an image.
package struct ReadCode: Sendable, Hashable {
  /// The kind of a code.
  package enum Kind: String, Sendable, CaseIterable {
    case ean8, ean13, upcA, upcE, code128, qr
  }
  /// The kind.
  package var kind: Kind
  /// The content, of which bytes that are not UTF-8 and control characters are replaced, at most ``ReadCode/valueLimit``
  /// characters.
  package var value: String
  /// The corners of the code, or of the part of it that was read, clockwise.
  package var corners: [ReadPoint]

  /// The most characters of a value, more than any code of these kinds has.
  package static let valueLimit = 8192

  /// Makes a code.
  package init(kind: Kind, value: String, corners: [ReadPoint]) {
    self.kind = kind
    self.value = value
    self.corners = corners
  }
}
