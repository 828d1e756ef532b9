internal import PixelMatch
internal import Synchronization

/// The signatures and thumbnails of images by their content, so that equal images are analyzed once.
final class ImageAnalyses: Sendable {
  /// The content of an image.
  struct Content: Sendable, Hashable {
    let byteCount: Int
    let hash: Int
  }

  private struct Size: Hashable {
    let content: Content
    let side: Int
  }

  private let signatures = Mutex<[Content: Signature]>([:])
  private let thumbnails = Mutex<[Size: KeptThumbnails.Thumbnail]>([:])

  /// Returns the signature of an image, which is computed the first time.
  func signature(
    of content: Content, _ compute: () throws(DecodeError) -> Signature
  ) throws(DecodeError) -> Signature {
    if let known = signatures.withLock({ $0[content] }) { return known }
    let signature = try compute()
    signatures.withLock { $0[content] = signature }
    return signature
  }

  /// Returns a thumbnail of an image, which is computed the first time.
  func thumbnail(
    of content: Content, side: Int,
    _ compute: () throws(DecodeError) -> KeptThumbnails.Thumbnail
  ) throws(DecodeError) -> KeptThumbnails.Thumbnail {
    let size = Size(content: content, side: side)
    if let known = thumbnails.withLock({ $0[size] }) { return known }
    let thumbnail = try compute()
    thumbnails.withLock { $0[size] = thumbnail }
    return thumbnail
  }
}
