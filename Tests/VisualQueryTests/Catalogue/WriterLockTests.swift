import Foundation
import TestSupport
import Testing

@testable import VisualQuery

/// The lock that keeps other runs from writing.
@Suite struct WriterLockTests {
  /// Would break if a run that has waited for one that removed its catalogue held the lock of the removed
  /// file: a third run would make another file, and write at the same time.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")), .timeLimit(.minutes(5)),
    arguments: [false, true])
  func `a run that has waited locks the file that others find`(removesDirectory: Bool) async throws
  {
    let folder = try TemporaryDirectory()
    let directory = folder.path + "/shop.vq"
    try CatalogueDatabase.makeDirectory(directory)
    let first = try WriterLock(directory: directory)
    let pool = WorkerPool(width: 1)
    async let third = withTaskExecutorPreference(pool) { @concurrent in
      let second = try WriterLock(directory: directory, waiting: .seconds(240))
      let error = #expect(throws: CatalogueError.self) { _ = try WriterLock(directory: directory) }
      _ = consume second
      return error
    }
    while openCount(of: "/shop.vq/" + WriterLock.fileName, in: folder) < 2 {
      try await Task.sleep(for: .milliseconds(1))
    }
    let removed = removesDirectory ? directory : directory + "/" + WriterLock.fileName
    try FileManager.default.removeItem(atPath: removed)
    _ = consume first
    #expect(try await third?.code == .locked)
  }

  /// Returns the number of this process's descriptors of a file.
  private func openCount(of name: String, in folder: TemporaryDirectory) -> Int {
    let end = URL(fileURLWithPath: folder.path).lastPathComponent + name
    let files = FileManager.default
    let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.count { descriptor in
      let path = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)
      return path?.hasSuffix(end) == true
    }
  }
}
