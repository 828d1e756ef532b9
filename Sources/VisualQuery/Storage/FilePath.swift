#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Names of files.
enum FilePath {
  /// The full path of a folder, which need not be there. An absolute path keeps its links, so that a link may be
  /// pointed elsewhere later.
  static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    return resolved(path) ?? (resolved(".") ?? "") + "/" + path
  }

  /// The full path of a file without links; `nil` if there is none.
  static func resolved(_ path: String) -> String? {
    guard let full = unsafe realpath(path, nil) else { return nil }
    // Sound: `realpath` gives a terminated text that is ours to free.
    defer { unsafe free(full) }
    return unsafe String(cString: full)
  }
}
