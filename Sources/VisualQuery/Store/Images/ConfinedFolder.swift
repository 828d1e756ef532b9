#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import CFiles
internal import PixelMatch

/// A folder to which opened files are confined, wherever their names and links lead.
package final class ConfinedFolder: Sendable {
  /// The way in which names are resolved.
  package enum Way: Sendable, CaseIterable {
    /// By the kernel, in one call, or by ``walk`` if the kernel does not support that.
    case kernel
    /// Component by component. Rejects every symbolic link, even one that stays in the folder.
    case walk
  }

  /// The reason why a file cannot be opened.
  enum Failure: Error, Hashable {
    /// The file does not exist.
    case missing
    /// The name or one of its links leads out of the folder.
    case leadsOut
    /// The system refused with another error number.
    case system(Int32)
  }

  /// The full path of the folder, without links.
  let path: String
  private let descriptor: Int32
  private let way: Way

  /// Opens a folder; returns `nil` if it does not exist.
  init?(_ path: String, way: Way = .kernel) {
    self.path = FilePath.resolved(path) ?? path
    self.way = way
    descriptor = unsafe cf_open_folder(FileName.systemName(path))
    if descriptor < 0 { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Opens a file for reading.
  ///
  /// - Complexity: one `openat2` and one `fstat`.
  func open(_ name: String) throws(Failure) -> OpenFile {
    try OpenFile(descriptor: descriptor(of: name, for: Int32(CF_READ)))
  }

  /// Returns the status of a file, which need not be readable.
  func status(of name: String) throws(Failure) -> FileStatus {
    try OpenFile(descriptor: descriptor(of: name, for: Int32(CF_STATUS))).status
  }

  private func descriptor(of name: String, for purpose: Int32) throws(Failure) -> Int32 {
    if way == .kernel {
      // Sound: the name is valid during the call, as in the other two cases.
      let file = unsafe cf_open_beneath(descriptor, FileName.systemName(name), purpose)
      if file >= 0 { return file }
      if file != -ENOSYS && file != -EPERM { throw Self.failure(-file) }
    }
    guard let plain = Self.withoutDots(name) else { throw .leadsOut }
    let file = unsafe cf_walk_beneath(descriptor, FileName.systemName(plain), purpose)
    if file < 0 { throw Self.failure(-file) }
    return file
  }

  private static func failure(_ code: Int32) -> Failure {
    switch code {
    case ENOENT, ENOTDIR: .missing
    case EXDEV, ELOOP: .leadsOut
    default: .system(code)
    }
  }

  /// Returns a relative path without `.` and `..`, or `nil` if it leads out. Only correct if no
  /// component is a link, as in a walk.
  private static func withoutDots(_ name: String) -> String? {
    if name.hasPrefix("/") { return nil }
    var components: [Substring] = []
    for component in name.split(separator: "/") where component != "." {
      if component != ".." {
        components.append(component)
      } else if components.popLast() == nil {
        return nil
      }
    }
    return components.joined(separator: "/")
  }
}

/// An open file, which is closed together with this value.
package struct OpenFile: ~Copyable {
  package let descriptor: Int32
  package let status: FileStatus

  /// Takes ownership of a descriptor.
  fileprivate init(descriptor: Int32) throws(ConfinedFolder.Failure) {
    guard let status = FileStatus(descriptor: descriptor) else {
      let code = errno
      close(descriptor)
      throw .system(code)
    }
    self.descriptor = descriptor
    self.status = status
  }

  deinit { close(descriptor) }
}
