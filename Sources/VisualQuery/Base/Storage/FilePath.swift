#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// Functions on the paths of files.
package enum FilePath {
  /// Returns the full path of a folder, which need not exist. An absolute path keeps its links, so
  /// that a link can be changed later.
  package static func absolute(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    return resolved(path) ?? (resolved(".") ?? "") + "/" + path
  }

  /// Returns the full path of a file, without `.` and `..` and with the links that it names. It need not exist.
  package static func plain(_ path: String) -> String {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var parts: [Substring] = []
    for part in (isAbsolute ? path : (resolved(".") ?? "") + "/" + path).split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Returns the full path of a file without links, or `nil` if it does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let full = unsafe realpath(FileName.systemName(path), nil) else { return nil }
    // Sound: `realpath` returns a terminated text that we must free.
    defer { unsafe free(full) }
    return FileName.text((0..<(unsafe strlen(full))).map { unsafe UInt8(bitPattern: full[$0]) })
  }
}
