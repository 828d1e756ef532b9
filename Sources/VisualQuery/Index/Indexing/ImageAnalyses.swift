internal import PixelMatch
internal import Synchronization

/// The signatures and thumbnails of images by their content, and the contents of files, so that equal images are read and
/// analyzed once.
///
/// A task that wants an analysis on which another one is at work waits for it. The last ones are kept.
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

  /// The most signatures that are kept, of some 20 KB each; the most bytes of thumbnails; and the most files, of 100 bytes.
  private static let signatureLimit = 2048
  private static let thumbnailLimit = 32 << 20
  private static let fileLimit = 1 << 16

  private let signatures = SharedResults<Content, [Signature]>(
    costLimit: ImageAnalyses.signatureLimit)
  private let thumbnails = SharedResults<Size, KeptThumbnails.Thumbnail>(
    costLimit: ImageAnalyses.thumbnailLimit)
  private let files = Mutex(RecentValues<FileStatus, Content>(costLimit: ImageAnalyses.fileLimit))

  /// Returns the content of a file that was read when it had this status, or `nil` if none was.
  func content(of file: FileStatus) -> Content? { files.withLock { $0[file] } }

  /// Notes the content of a file.
  func note(_ content: Content, of file: FileStatus) {
    files.withLock { $0.insert(content, for: file, cost: 1) }
  }

  /// Returns the signatures of an image, which are computed the first time: that of the whole, and those of its squares if it is long.
  ///
  /// - Returns: The signatures, and true if they were computed now.
  func signatures(
    of content: Content, _ compute: () throws(DecodeError) -> [Signature]
  ) async throws(DecodeError) -> (signatures: [Signature], isNew: Bool) {
    let (signatures, isNew) = try await signatures.result(of: content, cost: \.count, compute)
    return (signatures, isNew)
  }

  /// Returns a thumbnail of an image, which is computed the first time.
  func thumbnail(
    of content: Content, side: Int,
    _ compute: () throws(DecodeError) -> KeptThumbnails.Thumbnail
  ) async throws(DecodeError) -> KeptThumbnails.Thumbnail {
    try await thumbnails.result(
      of: Size(content: content, side: side), cost: { $0.jpeg.count }, compute
    ).0
  }
}
