/// The places that a catalogue's pictures may be in.
public struct PicturePlaces: Sendable, Hashable {
  /// The folder that relative paths start from and stay in; `nil` if none was named yet.
  public var root: String?
  /// Folders besides the root that absolute paths and links may lead into.
  public var outside: [String]

  /// Makes places.
  public init(root: String? = nil, outside: [String] = []) {
    self.root = root
    self.outside = outside
  }
}
