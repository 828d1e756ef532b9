internal import PixelMatch

/// A folder of images. Each image is a product, whose title is made from the name of the file.
struct FolderFeed: FeedFormatReader {
  let mapping = FeedMapping(
    format: .folder, fields: [("file name", "id"), ("image", "images")])
  /// The paths of the remaining images in the folder, the next one last.
  private var names: [String]
  private var line = 0
  let leftOut: [String: Int]

  init?(
    _ head: FeedHead, _ records: inout RecordReader, _ context: FeedContext
  ) throws(FeedError) {
    guard case .folder(let path) = head else { return nil }
    let folder = try ImageFolder(path)
    names = folder.names.reversed()
    leftOut = folder.others
  }

  mutating func next(from records: inout RecordReader) -> FeedRecord? {
    line += 1
    return names.popLast().map { FeedRecord(line: line, Self.product($0)) }
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
