internal import PixelMatch

/// An image of an entity whose content is in memory.
struct MemoryImage: Sendable {
  private enum Content: Sendable {
    case encoded([UInt8])
    case pixels(PixelBuffer)
  }

  private let content: Content
  /// The address at which apps find the image.
  let address: String?
  let byteCount: Int
  /// The hash of the bytes, which for pixels includes their layout.
  let contentHash: Int

  /// Returns `nil` for a reference.
  ///
  /// - Complexity: O(bytes).
  init?(_ image: EntityImage) {
    switch image {
    case .reference: return nil
    case .encoded(let bytes, let address):
      content = .encoded(bytes)
      self.address = address
      byteCount = bytes.count
      contentHash = Int(bitPattern: UInt(ContentHash.of(bytes)))
    case .pixels(let pixels, let address):
      content = .pixels(pixels)
      self.address = address
      byteCount = pixels.bytes.count
      let layout = """
        \(pixels.width) \(pixels.height) \(pixels.bytesPerRow) \(pixels.format) \
        \(pixels.yCbCrMatrix) \(pixels.colorSpace) \(ContentHash.of(pixels.bytes))
        """
      contentHash = Int(bitPattern: UInt(ContentHash.of(Array(layout.utf8))))
    }
  }

  /// The name that is stored in the entity.
  var name: String { address ?? UploadedImage.name(contentHash: contentHash) }

  /// Returns the signature of the whole image, and those of its squares if it is long.
  func signatures(_ decoder: ImageDecoder) throws(DecodeError) -> [Signature] {
    switch content {
    case .encoded(let bytes): try LongImage.signatures(of: bytes, decoder)
    case .pixels(let pixels): LongImage.signatures(of: pixels)
    }
  }

  func thumbnail(
    side: Int, decoder: ImageDecoder
  ) throws(DecodeError) -> KeptThumbnails.Thumbnail {
    switch content {
    case .encoded(let bytes):
      try KeptThumbnails.Thumbnail(of: bytes, side: side, decoder: decoder)
    case .pixels(let pixels):
      KeptThumbnails.Thumbnail(
        side: side,
        jpeg: try decoder.jpeg(of: pixels, longerSide: side, quality: KeptThumbnails.quality))
    }
  }
}
