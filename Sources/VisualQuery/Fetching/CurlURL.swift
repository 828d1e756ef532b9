internal import CCurl

/// An address as libcurl reads it, so that what is held against the list of hosts is what libcurl
/// connects to: two readers of addresses that disagree are a way around such a list.
///
/// Sound: the handle is made and freed by this object alone.
@safe final class CurlURL {
  let handle: OpaquePointer?

  /// `nil` where it is none.
  init?(_ text: String) {
    unsafe handle = cc_url_open()
    guard unsafe handle != nil, resolve(text) else { return nil }
  }

  deinit { unsafe cc_url_close(handle) }

  /// Takes another address, which may be relative to this one.
  ///
  /// - Returns: Whether it is one that names no user.
  func resolve(_ text: String) -> Bool {
    unsafe cc_url_set(
      handle, CURLUPART_URL, text,
      UInt32(CURLU_URLENCODE) | UInt32(CURLU_DISALLOW_USER) | UInt32(CURLU_NON_SUPPORT_SCHEME))
      == CURLUE_OK
  }

  var scheme: String { part(CURLUPART_SCHEME) }
  var host: String { part(CURLUPART_HOST) }
  var port: Int { Int(part(CURLUPART_PORT)) ?? 0 }

  private func part(_ part: CURLUPart) -> String {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe cc_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK,
      let text = unsafe text
    else { return "" }
    // Sound: libcurl gives a terminated text that is ours to free.
    defer { unsafe cc_free(text) }
    return unsafe String(cString: text)
  }
}
