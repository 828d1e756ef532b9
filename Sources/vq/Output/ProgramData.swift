private import CBuild
private import CServer

/// Data that the build made a part of the program: files, and the commit.
enum ProgramData {
  /// The page of the server.
  static let page = unsafe bytes(cs_index_html())
  /// The reference of the API, in OpenAPI 3.1.
  static let openAPI = unsafe bytes(cs_openapi_json())
  /// The style sheet of reports.
  static let reportStyle = unsafe bytes(cs_report_css())
  /// The script of reports.
  static let reportScript = unsafe bytes(cs_report_js())

  /// The files that the page needs, with their names.
  static let pageFiles: [(name: String, bytes: [UInt8])] = (0..<cs_page_file_count()).map { index in
    // Sound: the index is below the count, and the name is a constant of the program.
    let file = unsafe cs_page_file_at(index)
    return (unsafe String(cString: file.name), unsafe bytes(file.file))
  }

  /// The commit that the program was built from, or `nil` for a build without `VQ_COMMIT` in the environment, as that of
  /// plain `swift build`.
  static var commit: String? {
    // Sound: the text is a literal of the program, ends with a zero and is never freed.
    unsafe cb_commit().map { unsafe String(cString: $0) }
  }

  /// Sound: the bytes are constants of the program, and go with their number.
  private static func bytes(_ file: cs_file) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
