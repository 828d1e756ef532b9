internal import PixelMatch

/// The reason why an image of a catalogue cannot be opened.
package struct PictureFileError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// The file does not exist.
    case missing
    /// The file is outside the allowed folders, or is not a regular file.
    case refused
    /// The system does not permit the access.
    case unreadable
  }
  package let code: Code
  package let message: String
}

/// Opens the images of a catalogue, and no other files.
///
/// A relative name is opened beneath the root, and so is the absolute name of a file beneath it. Any other
/// absolute name, or one that leads out of the root by `..` or by a link, is only opened beneath one of the
/// folders in ``PicturePlaces/outside``, and is confined to that folder in turn.
package struct PictureFolders: Sendable {
  package let places: PicturePlaces
  private let root: ConfinedFolder?
  private let outside: [ConfinedFolder]
  /// The files by what names mean, while a feed is indexed; otherwise names are exact.
  package let meanings: NamesByMeaning?

  /// Opens the folders; those that do not exist contain no files.
  ///
  /// - Parameter findsByMeaning: True if a name that no file has exactly may mean another one.
  package init(
    _ places: PicturePlaces, way: ConfinedFolder.Way = .kernel, findsByMeaning: Bool = false
  ) {
    self.places = places
    let root = places.root.flatMap { ConfinedFolder($0, way: way) }
    self.root = root
    meanings = findsByMeaning ? root.map(NamesByMeaning.init) : nil
    outside = places.outside.compactMap { ConfinedFolder($0, way: way) }
  }

  /// Returns the name of the file that a name means if no file has exactly this name, and one beneath the root has it but for case,
  /// marks and encodings; otherwise the name relative to the root, or as it is.
  package func nameOfFile(_ name: String) -> String {
    let relative = relativeName(name)
    guard let meanings, !relative.utf8.contains(0), (try? status(of: relative)) == nil,
      case .file(let file) = meanings.meaning(of: relative)
    else { return relative }
    return file
  }

  /// Returns the name of a file relative to the root if its absolute name is beneath the root, or the name as
  /// it is: an index with relative names can be moved.
  package func relativeName(_ name: String) -> String {
    guard let root, let given = places.root, name.utf8.first == UInt8(ascii: "/"),
      !name.utf8.contains(0)
    else { return name }
    // The full path counts only if it is beneath the root, so that nobody learns which files exist elsewhere.
    let paths = name.split(separator: "/").contains("..") ? [] : [name]
    for path in paths + [FilePath.resolved(name)].compactMap({ $0 }) {
      for folder in [given, root.path] {
        if let rest = Self.path(path, relativeTo: folder) { return rest }
      }
    }
    return name
  }

  /// Returns the rest of an absolute path behind a folder, or `nil` if it does not begin with the folder.
  private static func path(_ path: String, relativeTo folder: String) -> String? {
    let slash = UInt8(ascii: "/")
    let prefix = Array(folder.utf8.reversed().drop { $0 == slash }.reversed()) + [slash]
    guard path.utf8.starts(with: prefix) else { return nil }
    let rest = path.utf8.dropFirst(prefix.count).drop { $0 == slash }
    return rest.isEmpty ? nil : String(rest)
  }

  /// Opens the file of an image for reading. Does not block, whatever the name leads to.
  package func open(_ name: String) throws(PictureFileError) -> OpenFile {
    let file = try find(name) { (folder, path) throws(ConfinedFolder.Failure) in
      try folder.open(path)
    }
    if let error = Self.problem(with: file.status) { throw error }
    return file
  }

  /// Returns the status of an image file.
  package func status(of name: String) throws(PictureFileError) -> FileStatus {
    let status = try find(name) { (folder, path) throws(ConfinedFolder.Failure) in
      try folder.status(of: path)
    }
    if let error = Self.problem(with: status) { throw error }
    return status
  }

  private static func problem(with status: FileStatus) -> PictureFileError? {
    if status.isRegular { return nil }
    let kind = status.isDirectory ? "a directory" : "a pipe, socket or device"
    return PictureFileError(code: .refused, message: "it is \(kind); expected a regular file")
  }

  private func find<Found: ~Copyable>(
    _ name: String, _ open: (ConfinedFolder, String) throws(ConfinedFolder.Failure) -> Found
  ) throws(PictureFileError) -> Found {
    if name.utf8.contains(0) {
      throw PictureFileError(
        code: .refused, message: "its name contains a NUL byte; correct the row")
    }
    let name = relativeName(name)
    let isAbsolute = name.utf8.first == UInt8(ascii: "/")
    guard let root else {
      return try findOutside(name, isAbsolute ? name : nil, open)
    }
    if isAbsolute {
      do throws(PictureFileError) {
        return try findOutside(name, name, open)
      } catch {
        throw severalFiles(name) ?? error
      }
    }
    do throws(ConfinedFolder.Failure) {
      return try open(root, name)
    } catch .leadsOut {
      return try findOutside(name, root.path + "/" + name, open)
    } catch {
      throw severalFiles(name) ?? failure(error)
    }
  }

  /// Returns the error of a name that means several files, or `nil` if it does not.
  private func severalFiles(_ name: String) -> PictureFileError? {
    guard let meanings, case .several(let files) = meanings.meaning(of: name) else { return nil }
    let list = files.map { "'\($0)'" }.joined(separator: " and ")
    return PictureFileError(
      code: .missing,
      message: "there is no such file\(beneathRoot), and it may mean \(list); correct the name")
  }

  /// Finds a file by its full path beneath the folders outside the root.
  private func findOutside<Found: ~Copyable>(
    _ name: String, _ path: String?,
    _ open: (ConfinedFolder, String) throws(ConfinedFolder.Failure) -> Found
  ) throws(PictureFileError) -> Found {
    // If no folder is allowed, the error does not reveal whether the file exists.
    guard let path, !outside.isEmpty else { throw refusal(of: name) }
    // Resolves the links of the folder once. The opened folder then confines the file, even if
    // the links change.
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
        message: "the index has no images root; set it with: vq catalogue set --images-root DIR")
    }
    guard root != nil || name.hasPrefix("/") else {
      return PictureFileError(
        code: .missing,
        message:
          "the images root '\(path)' cannot be opened; use another one with --images-root DIR")
    }
    let what =
      name.hasPrefix("/") ? "it is an absolute path" : "it leads out of the images root"
    let site =
      name.hasPrefix("/") ? "; if it is one of a site: --map images=https://SITE{COLUMN}" : ""
    return PictureFileError(
      code: .refused,
      message: "\(what); files\(beneathRoot) are accepted, others with --allow-outside DIR\(site)")
  }
}
