import Foundation
import TestSupport

/// The command as people run it: a process of its own.
struct RunningVQ {
  let status: Int32
  let output: String
  let errors: String

  /// The binary that was built beside the tests.
  static let binary = Bundle.module.bundleURL.deletingLastPathComponent()
    .appendingPathComponent("vq")

  /// The environment of every run: that of the tests must not change what is printed. The program finds libraries where the tests find them, such as
  /// ONNX Runtime, whose presence ``ModelFolder/hasRuntime`` tells.
  private static let kept: [String: String] = {
    let path = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    return ["PATH": "/usr/bin:/bin"].merging(path.map { ["LD_LIBRARY_PATH": $0] } ?? [:]) { $1 }
  }()

  /// Runs `vq` with arguments, and waits until it ends.
  init(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    directory: String? = nil
  ) throws {
    let process = Process()
    process.executableURL = Self.binary
    process.arguments = arguments
    process.environment = environment.merging(Self.kept) { own, _ in own }
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    let (outputPipe, errorPipe, inputPipe) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    process.standardInput = inputPipe
    try process.run()
    // Small inputs only: a pipe holds 64 KiB.
    inputPipe.fileHandleForWriting.write(Data(input))
    try inputPipe.fileHandleForWriting.close()
    output = String(
      decoding: outputPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    errors = String(decoding: errorPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  /// Indexes the sample shop into `shop.vq` of a new folder.
  static func indexingSampleShop() throws -> (folder: TemporaryDirectory, run: RunningVQ) {
    let folder = try TemporaryDirectory()
    let run = try RunningVQ(["index", SampleShop.catalogue, "--index", folder.path + "/shop.vq"])
    return (folder, run)
  }
}
