/// The files of the page, below `/page/`.
enum ServedFiles {
  /// A file of the page.
  struct PageFile: Sendable {
    let contentType: String
    let bytes: [UInt8]
  }

  /// The files by their names.
  static let pageFiles = Dictionary(
    uniqueKeysWithValues: ProgramData.pageFiles.map { name, bytes in
      (name, PageFile(contentType: contentType(of: name), bytes: bytes))
    })

  private static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "text/javascript; charset=utf-8"
    }
  }
}
