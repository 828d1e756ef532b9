internal import PixelMatch

/// The contents of a directory's segment files.
package enum SegmentFiles: Sendable, Hashable {
  /// All of each segment.
  case whole
  /// All but posting lists and signatures, which a ``CandidateStore`` has: the cache of a server in engine mode.
  case heads

  private static let name = ShopSettings.replicaPrefix + "headOnly"

  /// The files of a directory with these settings.
  init(_ settings: [String: String]) { self = settings[Self.name] == nil ? .whole : .heads }

  /// The files of a directory with these settings.
  package init(_ settings: SettingsTable) throws(CatalogueError) {
    self = try settings.value(of: Self.name) == nil ? .whole : .heads
  }

  /// Notes what the files hold, in the transaction that lists them.
  package func note(in settings: SettingsTable) throws(CatalogueError) {
    try settings.set(Self.name, to: self == .heads ? "1" : nil)
  }

  /// Opens a file.
  func open(_ path: String) throws(SegmentError) -> SignatureSegment {
    switch self {
    case .whole: try SignatureSegment(path: path)
    case .heads: try SignatureSegment(headAt: path)
    }
  }

  /// Returns the error of a directory whose files were expected to be these, and are the others.
  package func mismatch(in directory: String) -> CatalogueError {
    CatalogueError(
      code: .notACatalogue,
      message: self == .heads
        ? "'\(directory)' is an index with signatures; name another directory with --cache"
        : """
        '\(directory)' is a cache of engine mode, without signatures, which only searches \
        can use; use the address without mode=engine, or name another directory with --cache
        """)
  }
}
