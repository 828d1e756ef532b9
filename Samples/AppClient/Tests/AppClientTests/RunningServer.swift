import Foundation
import Testing

@testable import AppClient

/// The repository that this package is a part of.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .appendingPathComponent("../../../..").standardizedFileURL

/// `vq serve` over the sample shop; it ends with the value that holds it.
///
/// The command is the one that the environment variable `VQ` names, or the repository's debug build.
final class RunningServer {
  let service: ShopService
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("app-client-\(UUID().uuidString)")
  private let process = Process()

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path =
      ProcessInfo.processInfo.environment["VQ"]
      ?? repository.appendingPathComponent(".build/debug/vq").path
    try #require(
      FileManager.default.isExecutableFile(atPath: path), "build vq first, or set VQ to its path")
    let vq = URL(fileURLWithPath: path)
    let index = folder.appendingPathComponent("shop.vq").path
    let catalogue = repository.appendingPathComponent("Samples/shop/catalogue.jsonl").path
    let indexing = try Process.run(vq, arguments: ["index", catalogue, "--index", index, "-q"])
    indexing.waitUntilExit()
    try #require(indexing.terminationStatus == 0)
    process.executableURL = vq
    // A debug build takes its time.
    process.arguments = ["serve", "--index", index, "--port", "0", "--deadline", "60000"]
    process.arguments! += ["--max-deadline", "60000", "--quiet"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let base = line.trimmingCharacters(in: .whitespacesAndNewlines) + "v1/"
    service = ShopService(base: try #require(URL(string: base)))
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
