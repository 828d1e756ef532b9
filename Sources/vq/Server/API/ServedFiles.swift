import CServer

/// The files that are part of the program.
enum ServedFiles {
  static let page = unsafe bytes(cs_index_html())
  static let style = unsafe bytes(cs_page_css())
  static let script = unsafe bytes(cs_page_js())
  /// The reference of the API, in OpenAPI 3.1.
  static let openAPI = unsafe bytes(cs_openapi_json())

  /// Sound: the bytes are constants of the program, and go with their number.
  private static func bytes(_ file: cs_file) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
