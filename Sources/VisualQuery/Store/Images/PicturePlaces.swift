/// The folders that may contain the images of a catalogue.
public struct PicturePlaces: Sendable, Hashable {
  /// The folder that contains the images and that relative paths start from, or `nil` if none is
  /// set.
  public var root: String?
  /// The folders outside the root that may contain images.
  public var outside: [String]

  /// Makes a set of folders.
  public init(root: String? = nil, outside: [String] = []) {
    self.root = root
    self.outside = outside
  }
}
