import VisualQuery

/// The images that operands name: files, and all images of folders.
enum ImageOperands {
  /// Returns the files, those of a folder by name. Other files of folders are counted on standard error.
  ///
  /// - Throws: ``CommandFailure`` if a folder cannot be read or has no images.
  static func files(_ operands: [String], _ console: Console) throws -> [String] {
    var files: [String] = []
    for operand in operands {
      guard operand != "-", ImageFolder.isFolder(operand) else {
        files.append(operand)
        continue
      }
      let folder: ImageFolder
      do throws(FeedError) {
        folder = try ImageFolder(operand)
      } catch {
        throw CommandFailure(.failure, error.message)
      }
      let base = operand.hasSuffix("/") ? operand : operand + "/"
      files += folder.names.map { base + $0 }
      if !folder.others.isEmpty {
        console.diagnostics.note("left out in '\(operand)': \(folder.othersList)")
      }
    }
    return files
  }
}
