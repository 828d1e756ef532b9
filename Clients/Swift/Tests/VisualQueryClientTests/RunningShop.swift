import Foundation
import Testing
import VisualQueryClient

/// `vq serve` over a shop that a test makes and changes.
final class RunningShop: Sendable {
  /// The command that the environment variable `VQ` names.
  static let command = ProcessInfo.processInfo.environment["VQ"]
  /// The reason why the tests of a running service are left out.
  static let reason: Comment =
    "these tests ask a running service: set VQ to the path of vq, for example VQ=$PWD/.build/debug/vq"

  /// The address of the service.
  let address: URL
  /// The key that apps have: it may give feedback.
  let key: String
  /// The key of those who may read the figures of the service.
  let operatorKey: String
  private let folder: URL
  private let server: Process

  /// Indexes some rows and serves them to those who have a key.
  init(rows: [Row], images: [String: PixelImage] = [:]) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("visualquery-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("images"), withIntermediateDirectories: true)
    for (name, image) in images {
      try image.png.write(to: folder.appendingPathComponent("images/\(name)"))
    }
    let command = try #require(Self.command, Self.reason)
    try Self.index(rows, in: folder, command)
    let keys = folder.appendingPathComponent("keys.txt").path
    key = try Self.output(command, ["key", keys, "--name", "app", "--role", "feedback"])
    operatorKey = try Self.output(
      command, ["key", keys, "--name", "operator", "--role", "operate"])
    server = Process()
    server.executableURL = URL(fileURLWithPath: command)
    // A debug build is slow, so its deadlines are long.
    server.arguments = [
      "serve", "--index", folder.appendingPathComponent("shop.vq").path, "--port", "0",
      "--keys", keys,
      "--deadline", "60000", "--max-deadline", "60000", "--quiet",
    ]
    let output = Pipe()
    server.standardOutput = output
    try server.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    address = try #require(URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// A client of the service, in a language.
  func client(_ language: String = "en") -> ShopClient {
    ShopClient(
      ServiceConfiguration(
        address: address, key: key, language: language, timeout: .seconds(60)))
  }

  /// Publishes a new generation.
  func publish(_ rows: [Row]) throws {
    try Self.index(rows, in: folder, try #require(Self.command))
  }

  /// Returns the signature with keypoints of an image, as a device would make it.
  func signature(of image: PixelImage) throws -> String {
    let file = folder.appendingPathComponent("\(UUID().uuidString).png")
    try image.png.write(to: file)
    let line = try Self.output(try #require(Self.command), ["hash", "--keypoints", file.path])
    return String(line.prefix { !$0.isWhitespace })
  }

  /// Returns what a command prints, without the last line break.
  private static func output(_ command: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Ends the service.
  func stop() {
    server.terminate()
    server.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func index(_ rows: [Row], in folder: URL, _ command: String) throws {
    let feed = folder.appendingPathComponent("feed.jsonl")
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    var text = Data()
    for row in rows { text += try encoder.encode(row) + Data("\n".utf8) }
    try text.write(to: feed)
    let indexing = try Process.run(
      URL(fileURLWithPath: command),
      arguments: [
        "index", feed.path, "--index", folder.appendingPathComponent("shop.vq").path, "-q",
        // The shops of the tests lose things on purpose.
        "--prune-missing", "--accept-loss", "all", "--link", "product=https://shop.example/p/{id}",
      ])
    indexing.waitUntilExit()
    try #require(indexing.terminationStatus == 0)
  }
}

/// A row of a feed.
struct Row: Encodable {
  var type = EntityType.product
  var id: String
  var title: String
  var subtitle: String?
  var synonyms: [String]?
  var labels: [String]?
  var images: [String]?
  var brand: String?
  var price: Price?
  var localized: [String: [String: String]]?
  var stock: [String]?
  var gtin: String?
  var group: String?
}

/// A service for all tests of a suite.
struct LiveShop: SuiteTrait, TestScoping {
  @TaskLocal static var current: RunningShop?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let shop = try RunningShop(rows: SampleShop.rows, images: SampleShop.images)
    defer { shop.stop() }
    try await Self.$current.withValue(shop) { try await function() }
  }
}

extension Trait where Self == LiveShop {
  /// Runs a service for the tests of a suite.
  static var liveShop: LiveShop { LiveShop() }
}
