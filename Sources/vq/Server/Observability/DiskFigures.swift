import Foundation

/// The space of the disk that a folder is on.
struct DiskFigures: Sendable {
  let byteCount: Int
  let freeBytes: Int

  /// Asks the system; `nil` if it does not know.
  init?(of folder: String) {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    guard let size = attributes?[.systemSize] as? NSNumber,
      let free = attributes?[.systemFreeSize] as? NSNumber
    else { return nil }
    (byteCount, freeBytes) = (size.intValue, free.intValue)
  }
}
