#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import PixelMatch

/// Folders and the names in them.
package enum Folder {
  /// Returns the names in a directory; none if it cannot be read.
  ///
  /// - Parameter limit: The most names that are read.
  package static func names(in path: String, limit: Int = .max) -> [String] {
    (try? readNames(in: path, limit: limit)) ?? []
  }

  /// Returns the names in a directory.
  ///
  /// - Throws: ``StorageError`` if it cannot be read.
  package static func readNames(
    in path: String, limit: Int = .max
  ) throws(StorageError) -> [String] {
    guard let stream = unsafe opendir(FileName.systemName(path)) else {
      throw StorageError("open", path)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = unsafe readdir(stream) {
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

  /// Removes a folder and its files; folders in it stay, and it with them.
  package static func removeWithFiles(_ path: String) {
    for name in names(in: path) where name != "." && name != ".." { remove(name, in: path) }
    removeIfEmpty(path)
  }

  /// Removes a folder that has no files.
  package static func removeIfEmpty(_ path: String) {
    unsafe rmdir(FileName.systemName(path))
  }

  /// Moves a folder or a file to a path on the same disk at which there is none.
  ///
  /// - Throws: ``StorageError`` if it cannot be moved.
  package static func move(_ path: String, to other: String) throws(StorageError) {
    guard unsafe rename(FileName.systemName(path), FileName.systemName(other)) == 0 else {
      throw StorageError("move to", other)
    }
  }

  /// Creates a folder that other users of the machine cannot read; it may exist already.
  ///
  /// - Throws: ``StorageError`` if it cannot be created.
  package static func make(_ path: String) throws(StorageError) {
    let mode = mode_t(PrivateFile.directoryMode)
    guard unsafe mkdir(FileName.systemName(path), mode) == 0 || errno == EEXIST else {
      throw StorageError("make directory", path)
    }
  }

  /// Creates an empty folder for temporary files, in `TMPDIR` of the environment or in `/tmp`.
  ///
  /// - Returns: Its path.
  /// - Throws: ``StorageError`` if it cannot be created.
  package static func makeTemporary() throws(StorageError) -> String {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/vq-" + String(repeating: "X", count: 6)).utf8CString)
    // Sound: `mkdtemp` writes six letters into a terminated text of ours.
    let made = unsafe template.withUnsafeMutableBufferPointer {
      unsafe mkdtemp($0.baseAddress!) != nil
    }
    guard made else { throw StorageError("make a directory in", base) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Creates a link to a file under the path `link`.
  ///
  /// - Throws: ``StorageError`` if it cannot be created.
  package static func makeLink(_ link: String, to file: String) throws(StorageError) {
    guard unsafe symlink(FileName.systemName(file), FileName.systemName(link)) == 0 else {
      throw StorageError("link", file)
    }
  }
}
