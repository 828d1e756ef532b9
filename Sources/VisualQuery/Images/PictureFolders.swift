internal import PixelMatch

/// The reason why a picture of a catalogue cannot be opened.
struct PictureFileError: Error, Sendable, Hashable {
  enum Code: Sendable, Hashable {
    /// There is no such file.
    case missing
    /// It is not in one of the places, or not a regular file.
    case refused
    /// The system does not let us read it.
    case unreadable
  }
  let code: Code
  let message: String
}

/// Opens the pictures of a catalogue, and no other files.
///
/// A relative name is opened beneath the root. An absolute name, and one that leads out of the root by `..` or by a link,
/// is opened only beneath one of the folders that ``PicturePlaces/outside`` names, and confined to that folder in turn.
struct PictureFolders: Sendable {
  let places: PicturePlaces
  private let root: ConfinedFolder?
  private let outside: [ConfinedFolder]

  /// Opens the places; those that are not there have no files.
  init(_ places: PicturePlaces, way: ConfinedFolder.Way = .kernel) {
    self.places = places
    root = places.root.flatMap { ConfinedFolder($0, way: way) }
    outside = places.outside.compactMap { ConfinedFolder($0, way: way) }
  }

  /// Opens a picture's file to read it. Does not wait, whatever the name leads to.
  func open(_ name: String) throws(PictureFileError) -> OpenFile {
    let file = try find(name) { (folder, path) throws(ConfinedFolder.Failure) in
      try folder.open(path)
    }
    if let error = Self.problem(with: file.status) { throw error }
    return file
  }

  /// The status of a picture's file.
  func status(of name: String) throws(PictureFileError) -> FileStatus {
    let status = try find(name) { (folder, path) throws(ConfinedFolder.Failure) in
      try folder.status(of: path)
    }
    if let error = Self.problem(with: status) { throw error }
    return status
  }

  private static func problem(with status: FileStatus) -> PictureFileError? {
    if status.isRegular { return nil }
    let kind = status.isDirectory ? "a directory" : "a pipe, socket or device"
    return PictureFileError(code: .refused, message: "it is \(kind); a regular file is needed")
  }

  private func find<Found: ~Copyable>(
    _ name: String, _ open: (ConfinedFolder, String) throws(ConfinedFolder.Failure) -> Found
  ) throws(PictureFileError) -> Found {
    if name.utf8.contains(0) {
      throw PictureFileError(
        code: .refused, message: "its name has a NUL byte, which no file name has; correct the row")
    }
    let isAbsolute = name.utf8.first == UInt8(ascii: "/")
    guard let root else {
      return try findOutside(name, isAbsolute ? name : nil, open)
    }
    if isAbsolute { return try findOutside(name, name, open) }
    do throws(ConfinedFolder.Failure) {
      return try open(root, name)
    } catch .leadsOut {
      return try findOutside(name, root.path + "/" + name, open)
    } catch {
      throw failure(error)
    }
  }

  /// Finds a file of a full path beneath the folders outside of the root.
  private func findOutside<Found: ~Copyable>(
    _ name: String, _ path: String?,
    _ open: (ConfinedFolder, String) throws(ConfinedFolder.Failure) -> Found
  ) throws(PictureFileError) -> Found {
    // Where nothing is allowed, nothing is told of what is there.
    guard let path, !outside.isEmpty else { throw refusal(of: name) }
    // The folder is opened by what the links say now, and then confines the file whatever they say.
    let full = FilePath.resolved(path) ?? path
    for folder in outside {
      let prefix = folder.path == "/" ? "/" : folder.path + "/"
      guard full.utf8.starts(with: prefix.utf8) else { continue }
      do throws(ConfinedFolder.Failure) {
        return try open(folder, String(full.utf8.dropFirst(prefix.utf8.count)) ?? "")
      } catch .leadsOut {
        continue
      } catch {
        throw failure(error)
      }
    }
    throw refusal(of: name)
  }

  private func failure(_ failure: ConfinedFolder.Failure) -> PictureFileError {
    switch failure {
    case .missing, .leadsOut:
      PictureFileError(code: .missing, message: "there is no such file" + beneathRoot)
    case .system(let code):
      PictureFileError(code: .unreadable, message: "cannot open it: \(systemMessage(code))")
    }
  }

  private var beneathRoot: String { places.root.map { " beneath '\($0)'" } ?? "" }

  private func refusal(of name: String) -> PictureFileError {
    guard let path = places.root else {
      return PictureFileError(
        code: .missing,
        message: "the index has no images root; name it: vq catalogue set --images-root DIR")
    }
    guard root != nil || name.hasPrefix("/") else {
      return PictureFileError(
        code: .missing,
        message: "the images root '\(path)' cannot be opened; name another: --images-root DIR")
    }
    let what =
      name.hasPrefix("/") ? "it is an absolute path" : "it leads out of the images root"
    return PictureFileError(
      code: .refused,
      message: "\(what); files\(beneathRoot) are accepted, others with --allow-outside DIR")
  }
}
