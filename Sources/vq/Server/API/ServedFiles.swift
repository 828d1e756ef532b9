import CServer

/// The files that are part of the program.
enum ServedFiles {
  /// A file of the page, below `/page/`.
  struct PageFile: Sendable {
    let contentType: String
    let bytes: [UInt8]
  }

  static let page = unsafe bytes(cs_index_html())
  /// The reference of the API, in OpenAPI 3.1.
  static let openAPI = unsafe bytes(cs_openapi_json())

  /// The files of the page by their names.
  static let pageFiles: [String: PageFile] = {
    var files: [String: PageFile] = [:]
    for index in 0..<cs_page_file_count() {
      // Sound: the index is below the count, and the name is a constant of the program.
      let file = unsafe cs_page_file_at(index)
      let name = unsafe String(cString: file.name)
      files[name] = PageFile(contentType: contentType(of: name), bytes: unsafe bytes(file.file))
    }
    return files
  }()

  private static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "text/javascript; charset=utf-8"
    }
  }

  /// Sound: the bytes are constants of the program, and go with their number.
  private static func bytes(_ file: cs_file) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
