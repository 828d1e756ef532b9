#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An encoding of more than one byte for a character, such as GBK, which the system's library converts.
struct SystemEncoding: Sendable, Hashable {
  /// The name, as the library knows it.
  let name: String

  /// Returns the encoding of a name that the library knows, or `nil`.
  ///
  /// - Parameter isTrusted: True if the caller names it. A document, which may come from anybody, reaches only the converters of
  ///   the encodings in the list, of the many that the library has.
  init?(named name: String, isTrusted: Bool = false) {
    guard name.utf8.count <= 40, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F })
    else { return nil }
    let usual = Self.usual[name.lowercased().filter { $0.isLetter || $0.isNumber }]
    guard usual != nil || isTrusted else { return nil }
    self.name = usual ?? name
    guard let converter = unsafe Self.open(self.name) else { return nil }
    // Sound: the converter was opened above and is not used after this call.
    unsafe iconv_close(converter)
  }

  /// The name that people know.
  var title: String {
    ["GB18030": "GBK", "CP932": "Shift-JIS", "CP949": "EUC-KR", "BIG5-HKSCS": "Big5"][name] ?? name
  }

  /// The extended forms of encodings, which have the characters that programs of Windows write.
  private static let usual = [
    "gb2312": "GB18030", "gbk": "GB18030", "gb18030": "GB18030", "cp936": "GB18030",
    "shiftjis": "CP932", "sjis": "CP932", "windows31j": "CP932", "ms932": "CP932", "xsjis": "CP932",
    "euckr": "CP949", "ksc56011987": "CP949", "ksc5601": "CP949", "cp949": "CP949", "uhc": "CP949",
    "windows949": "CP949",
    "big5": "BIG5-HKSCS", "eucjp": "EUC-JP",
  ]

  private static func open(_ name: String) -> iconv_t? {
    let converter = unsafe iconv_open("UTF-8", name)
    // The library reports a failure by a pointer whose bits are all one.
    return unsafe Int(bitPattern: converter) == -1 ? nil : converter
  }

  /// Decodes text.
  ///
  /// - Parameter isLast: True if no bytes follow, so that the beginning of a character at the end is damaged.
  /// - Returns: The text in UTF-8, the number of damaged bytes, each of which is U+FFFD, and the bytes of a character at the
  ///   end that is not complete.
  func decoded(
    _ bytes: some Collection<UInt8>, isLast: Bool = false
  ) -> (text: [UInt8], damaged: Int, rest: [UInt8]) {
    guard let converter = unsafe Self.open(name) else { return (Array(bytes), 0, []) }
    defer { unsafe iconv_close(converter) }
    var input = bytes.map { CChar(bitPattern: $0) }
    // In UTF-8, a character of these encodings has at most four times as many bytes.
    var output = [CChar](repeating: 0, count: input.count * 4 + 16)
    var text: [UInt8] = []
    var (damaged, position) = (0, 0)
    while position < input.count {
      var (rest, room) = (input.count - position, output.count)
      let status = unsafe input.withUnsafeMutableBufferPointer { input in
        unsafe output.withUnsafeMutableBufferPointer { output in
          // Sound: both pointers stay within their buffers, of which the library gets the lengths.
          var from = unsafe input.baseAddress.map { unsafe $0 + position }
          var to = output.baseAddress
          return unsafe iconv(converter, &from, &rest, &to, &room)
        }
      }
      let reason = errno
      text += output[..<(output.count - room)].map { UInt8(bitPattern: $0) }
      position = input.count - rest
      if Int(truncatingIfNeeded: status) != -1 { break }
      if reason == EINVAL, !isLast { break }
      if position >= input.count { break }
      damaged += 1
      position += 1
      text += Array("\u{FFFD}".utf8)
    }
    return (text, damaged, input[position...].map { UInt8(bitPattern: $0) })
  }
}
