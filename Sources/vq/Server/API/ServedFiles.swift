import CServer

/// The files that the server has in itself.
enum ServedFiles {
  static let page = unsafe bytes(cs_index_html())
  static let style = unsafe bytes(cs_page_css())
  static let script = unsafe bytes(cs_page_js())
  /// What the server takes and gives, in OpenAPI 3.1.
  static let openAPI = unsafe bytes(cs_openapi_json())

  /// Sound: the bytes are constants of the program, and go with their number.
  private static func bytes(_ file: cs_file) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
