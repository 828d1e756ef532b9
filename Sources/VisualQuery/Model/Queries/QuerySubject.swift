/// The things that the image of a query may show, which decide how likely a likeness is the right one.
///
/// A photo of an apple that looks like one of a shop's products is rarely of that product if people point at anything, and
/// mostly if the photo was taken in the shop. The confidence of a match is calibrated for either case.
public enum QuerySubject: String, Sendable, Hashable, Codable, CaseIterable {
  /// Anything, often nothing that the catalogue has, with labels that may be wrong: what people point a phone at.
  case anything
  /// A thing of the catalogue, with labels that are right if there are some: photos taken in the shop or in its
  /// warehouse, or of things that come back.
  case catalogued
}
