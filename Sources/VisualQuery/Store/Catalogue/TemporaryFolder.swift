#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A directory that is removed at the end of the run that created it.
package struct TemporaryFolder: Sendable {
  package let path: String

  package init() throws(CatalogueError) {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/vq-" + String(repeating: "X", count: 6)).utf8CString)
    // Sound: `mkdtemp` writes six letters into a terminated text of ours.
    let made = unsafe template.withUnsafeMutableBufferPointer {
      unsafe mkdtemp($0.baseAddress!) != nil
    }
    guard made else { throw CatalogueError(StorageError("make a directory in", base)) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package func remove() {
    for name in Folder.names(in: path) where name != "." && name != ".." {
      Folder.remove(name, in: path)
    }
    unsafe rmdir(path)
  }
}
