public import PixelMatch

extension QuerySignature {
  /// The compact form as text: base64url of `compactBytes`, 1004 or 1742 characters.
  public var compactText: String { Base64URL.encoded(compactBytes) }

  /// Decodes the compact form.
  ///
  /// - Throws: `SignatureError`.
  public init(compactText text: String) throws(SignatureError) {
    // A text of another alphabet is no signature, which no bytes are, either.
    let bytes = text.utf8.count <= 2 * Self.compactByteLimit ? Base64URL.decoded(text) : nil
    try self.init(compactBytes: bytes ?? [])
  }
}
