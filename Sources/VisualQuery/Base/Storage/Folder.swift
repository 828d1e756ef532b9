#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// The files of a folder.
package enum Folder {
  /// Returns the names in a directory; none if it cannot be read.
  package static func names(in path: String) -> [String] { (try? readNames(in: path)) ?? [] }

  /// Returns the names in a directory.
  ///
  /// - Throws: ``StorageError`` if it cannot be read.
  package static func readNames(in path: String) throws(StorageError) -> [String] {
    guard let stream = unsafe opendir(FileName.systemName(path)) else {
      throw StorageError("open", path)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          let start = unsafe $0
          let count = unsafe strlen(start)
          return FileName.text((0..<count).map { unsafe UInt8(bitPattern: start[$0]) })
        }
      }
      names.append(name)
    }
    return names.sorted()
  }

  /// Removes an unused file; it may be missing already.
  package static func remove(_ name: String, in path: String) {
    unsafe unlink(FileName.systemName(path + "/" + name))
  }
}
