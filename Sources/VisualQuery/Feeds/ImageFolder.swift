internal import PixelMatch

/// The images in a folder and its subfolders.
package struct ImageFolder: Sendable, Hashable {
  /// The endings of files that are images without a look at their contents.
  private static let endings: Set<String> = [
    "jpg", "jpeg", "png", "webp", "avif", "heic", "heif", "gif",
  ]

  /// The paths of the images in the folder, by name.
  package let names: [String]
  /// The number of files of other kinds, such as `.txt files`.
  package let others: [String: Int]

  /// Looks for images.
  ///
  /// - Throws: ``FeedError`` if the folder cannot be read or has none.
  package init(_ path: String) throws(FeedError) {
    var others: [String: Int] = [:]
    names = try Self.imageNames(in: path, &others)
    self.others = others
    if names.isEmpty {
      let list = othersList
      throw FeedError(
        message: "the folder '\(path)' contains no images" + (list.isEmpty ? "" : "; found \(list)")
      )
    }
  }

  /// Returns whether a path is a folder.
  package static func isFolder(_ path: String) -> Bool { FileStatus(path)?.isDirectory == true }

  /// The kinds of other files with their counts, the most frequent ones first: `3 .txt files, 1 TIFF file`.
  package var othersList: String {
    let kinds = others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rest = kinds.dropFirst(Self.listedKinds).reduce(0) { $0 + $1.value }
    return
      (kinds.prefix(Self.listedKinds).map { Self.counted($0.value, $0.key) }
      + (rest > 0 ? ["\(rest) \(rest == 1 ? "other" : "others")"] : [])).joined(separator: ", ")
  }
  private static let listedKinds = 9

  /// Returns a kind of ``others`` with its number: `1 .txt file`, `2 .txt files`.
  package static func counted(_ count: Int, _ kind: String) -> String {
    guard count == 1 else { return "\(count) \(kind)" }
    let words = kind.split(separator: " ").enumerated().map { index, word in
      word == "files" ? "file" : index == 0 && word == "rows" ? "row" : word
    }
    return "1 " + words.joined(separator: " ")
  }

  /// Returns the images of a folder and its subfolders, by name, without hidden files, indexes and
  /// cyclic links.
  ///
  /// A file with an unknown ending is an image if its first bytes are those of one. Pipes, sockets and devices
  /// are not opened.
  ///
  /// - Parameter others: Counts the other files by their formats.
  private static func imageNames(
    in path: String, above: Set<UInt64> = [], _ others: inout [String: Int]
  ) throws(FeedError) -> [String] {
    guard let folder = FileStatus(path), folder.isDirectory, !above.contains(folder.inode) else {
      return []
    }
    let names: [String]
    do throws(StorageError) {
      names = try Folder.readNames(in: path)
    } catch {
      throw FeedError(message: error.message)
    }
    var images: [String] = []
    for name in names {
      let ending = name.split(separator: ".").last?.lowercased() ?? ""
      if name.hasPrefix(".") || ending == "vq" { continue }
      let status = FileStatus(path + "/" + name)
      if status?.isDirectory == true {
        let inside = try imageNames(
          in: path + "/" + name, above: above.union([folder.inode]), &others)
        images += inside.map { name + "/" + $0 }
      } else if status?.isRegular == false {
        // Special files are skipped, because opening a pipe would wait for a writer.
        others["special files (pipe, socket or device)", default: 0] += 1
      } else if endings.contains(ending) && name.count > ending.count + 1 {
        images.append(name)
      } else {
        let start = ImageFormat.beginning(ofFile: path + "/" + name)
        if ImageFormat.detected(in: start) != nil {
          images.append(name)
        } else {
          others[Self.kind(of: start, ending: name.contains(".") ? ending : nil), default: 0] += 1
        }
      }
    }
    return images
  }

  /// Returns the kind of a file that is not an image, for counts: `TIFF files`, `.txt files`.
  private static func kind(of start: [UInt8], ending: String?) -> String {
    let format = ImageFormat.sniffedName(of: start)
    if !["text", "this kind of file"].contains(format) { return "\(format) files" }
    return ending.map { ".\($0) files" } ?? "files without an ending"
  }
}
