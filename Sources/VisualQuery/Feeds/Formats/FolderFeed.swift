internal import PixelMatch

/// A folder of images. Each image is a product, whose title is made from the name of the file.
struct FolderFeed: FeedFormatReader {
  /// The endings of files that are images without a look at their contents.
  private static let endings: Set<String> = [
    "jpg", "jpeg", "png", "webp", "avif", "heic", "heif", "gif",
  ]

  let mapping = FeedMapping(
    format: .folder, fields: [("file name", "id"), ("picture", "images")])
  /// The paths of the remaining images in the folder, the next one last.
  private var names: [String]
  private var line = 0
  let leftOut: [String: Int]

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(CatalogueError) {
    guard case .folder(let path) = head else { return nil }
    var others: [String: Int] = [:]
    names = try Self.imageNames(in: path, &others).reversed()
    leftOut = others
    if names.isEmpty {
      let found = others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3)
      let list = found.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      throw CatalogueError(
        code: .unreadableInput,
        message: "the folder '\(path)' contains no images"
          + (list.isEmpty ? "" : "; found \(list)"))
    }
  }

  mutating func next(from records: inout RecordReader) -> FeedRecord? {
    line += 1
    return names.popLast().map { FeedRecord(line: line, Self.product($0)) }
  }

  /// Returns the images of a folder and its subfolders, by name, without hidden files, indexes and
  /// cyclic links.
  ///
  /// A file with an unknown ending is an image if its first bytes are those of one.
  ///
  /// - Parameter others: Counts the other files by their formats.
  private static func imageNames(
    in path: String, above: Set<UInt64> = [], _ others: inout [String: Int]
  ) throws(CatalogueError) -> [String] {
    guard let folder = FileStatus(path), folder.isDirectory, !above.contains(folder.inode) else {
      return []
    }
    let names: [String]
    do throws(StorageError) {
      names = try Folder.readNames(in: path)
    } catch {
      throw CatalogueError(code: .unreadableInput, message: error.message)
    }
    var images: [String] = []
    for name in names {
      let ending = name.split(separator: ".").last?.lowercased() ?? ""
      if name.hasPrefix(".") || ending == "vq" { continue }
      if endings.contains(ending) && name.count > ending.count + 1 {
        images.append(name)
      } else if FileStatus(path + "/" + name)?.isDirectory != true {
        let start = ImageFormat.beginning(ofFile: path + "/" + name)
        if ImageFormat.detected(in: start) != nil {
          images.append(name)
        } else {
          others[Self.kind(of: start, ending: name.contains(".") ? ending : nil), default: 0] += 1
        }
      } else {
        let inside = try imageNames(
          in: path + "/" + name, above: above.union([folder.inode]), &others)
        images += inside.map { name + "/" + $0 }
      }
    }
    return images
  }

  /// Returns the kind of a file that is no image, for counts: `TIFF files`, `.txt files`.
  private static func kind(of start: [UInt8], ending: String?) -> String {
    let format = ImageFormat.sniffedName(of: start)
    if !["text", "this kind of file"].contains(format) { return "\(format) files" }
    return ending.map { ".\($0) files" } ?? "files without an ending"
  }

  private static func product(_ name: String) -> JSONValue {
    let stem = name[..<(name.lastIndex(of: ".") ?? name.endIndex)]
    let title = (stem.split(separator: "/").last ?? stem).map { $0 == "-" || $0 == "_" ? " " : $0 }
    return .object([
      "type": .string("product"), "id": .string(String(stem)),
      "title": .string(FileName.readable(String(title))),
      "images": .array([.string(name)]),
    ])
  }
}
