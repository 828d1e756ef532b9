public import PixelMatch

extension QuerySignature {
  /// The whole form as text: base64url of `encoded`, at most 24 368 characters.
  public var text: String { Base64URL.encoded(encoded) }

  /// The compact form as text: base64url of `compactBytes`, 1004 or 1742 characters.
  public var compactText: String { Base64URL.encoded(compactBytes) }

  /// Decodes any form.
  ///
  /// - Throws: `SignatureError`.
  public init(text: String) throws(SignatureError) {
    // A text that is not Base64url is passed on as no bytes, which `init(encoded:)` rejects.
    let bytes = text.utf8.count <= 2 * Self.encodedByteLimit ? Base64URL.decoded(text) : nil
    try self.init(encoded: bytes ?? [])
  }
}
