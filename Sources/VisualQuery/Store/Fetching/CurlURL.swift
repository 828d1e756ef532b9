internal import CCurl

/// A URL as parsed by libcurl, so that the host that is compared with the allowed ones is the host
/// that libcurl connects to: two parsers that disagree would be a way around the list.
///
/// Sound: the handle is created and freed only by this object.
@safe package final class CurlURL {
  let handle: OpaquePointer?

  /// Returns `nil` if the text is not a URL.
  package init?(_ text: String) {
    unsafe handle = cc_url_open()
    guard unsafe handle != nil, resolve(text) else { return nil }
  }

  deinit { unsafe cc_url_close(handle) }

  /// Resolves another URL, which may be relative to this one.
  ///
  /// - Returns: True if the result is a URL without a user name.
  func resolve(_ text: String) -> Bool {
    unsafe cc_url_set(
      handle, CURLUPART_URL, text,
      UInt32(CURLU_URLENCODE) | UInt32(CURLU_DISALLOW_USER) | UInt32(CURLU_NON_SUPPORT_SCHEME))
      == CURLUE_OK
  }

  var scheme: String { part(CURLUPART_SCHEME) }
  package var host: String { part(CURLUPART_HOST) }
  var port: Int { Int(part(CURLUPART_PORT)) ?? 0 }

  private func part(_ part: CURLUPart) -> String {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe cc_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK,
      let text = unsafe text
    else { return "" }
    // Sound: libcurl returns a terminated text that we must free.
    defer { unsafe cc_free(text) }
    return unsafe String(cString: text)
  }
}
