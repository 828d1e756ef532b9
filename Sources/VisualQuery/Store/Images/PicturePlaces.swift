/// The folders that may contain the images of a catalogue.
package struct PicturePlaces: Sendable, Hashable {
  /// The folder that contains the images and that relative paths start from, or `nil` if none is
  /// set.
  package var root: String?
  /// The folders outside the root that may contain images.
  package var outside: [String]

  /// Makes a set of folders.
  package init(root: String? = nil, outside: [String] = []) {
    self.root = root
    self.outside = outside
  }
}
