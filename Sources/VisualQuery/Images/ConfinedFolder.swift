#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
internal import CFiles

/// A folder beneath which files are opened, wherever their names and links lead.
final class ConfinedFolder: Sendable {
  /// How names are followed.
  enum Way: Sendable, CaseIterable {
    /// By the kernel, in one call; by ``walk`` if the kernel cannot.
    case kernel
    /// Component by component. Refuses every symbolic link, even one that stays in the folder.
    case walk
  }

  /// The reason why a file cannot be opened.
  enum Failure: Error, Hashable {
    /// There is no such file.
    case missing
    /// The name or one of its links leads out of the folder.
    case leadsOut
    /// The system refuses for another reason: an error number.
    case system(Int32)
  }

  /// The folder's full path, without links.
  let path: String
  private let descriptor: Int32
  private let way: Way

  /// Opens a folder; `nil` if there is none.
  init?(_ path: String, way: Way = .kernel) {
    self.path = FilePath.resolved(path) ?? path
    self.way = way
    descriptor = unsafe cf_open_folder(path)
    if descriptor < 0 { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Opens a file to read it.
  ///
  /// - Complexity: one `openat2` and one `fstat`.
  func open(_ name: String) throws(Failure) -> OpenFile {
    try OpenFile(descriptor: descriptor(of: name, for: Int32(CF_READ)))
  }

  /// The status of a file. Needs no right to read it.
  func status(of name: String) throws(Failure) -> FileStatus {
    try OpenFile(descriptor: descriptor(of: name, for: Int32(CF_STATUS))).status
  }

  private func descriptor(of name: String, for purpose: Int32) throws(Failure) -> Int32 {
    if way == .kernel {
      // Sound: the name is lent for the call, as in all three.
      let file = unsafe cf_open_beneath(descriptor, name, purpose)
      if file >= 0 { return file }
      if file != -ENOSYS && file != -EPERM { throw Self.failure(-file) }
    }
    guard let plain = Self.withoutDots(name) else { throw .leadsOut }
    let file = unsafe cf_walk_beneath(descriptor, plain, purpose)
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

  /// A relative path without `.` and `..`; `nil` if it leads out. Right only where no component is a link, as in a
  /// walk.
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

/// An open file, which is closed with this value.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let status: FileStatus

  /// Takes over a descriptor.
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
