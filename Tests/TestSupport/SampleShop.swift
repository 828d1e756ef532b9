public import Foundation

/// The shop in Samples, and a place for a test's own files.
public enum SampleShop {
  /// The folder Samples of this checkout.
  public static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Samples")

  /// The catalogue's path.
  public static var catalogue: String { folder.path + "/shop/catalogue.jsonl" }

  /// The path of a studio picture.
  public static func image(_ name: String) -> String { folder.path + "/shop/images/" + name }

  /// The path of a query photo.
  public static func query(_ name: String) -> String { folder.path + "/queries/" + name }
}

/// A directory that is removed with everything in it when nothing holds it any more.
public final class TemporaryDirectory: Sendable {
  /// Its path.
  public let path: String

  /// Makes one.
  public init() throws {
    path = NSTemporaryDirectory() + "vq-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and gives its path.
  public func write(_ text: String, to name: String) throws -> String {
    try write([UInt8](text.utf8), to: name)
  }

  /// Writes a file and gives its path.
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Copies a file and gives the copy's path.
  public func copy(_ source: String, to name: String) throws -> String {
    let file = path + "/" + name
    try? FileManager.default.removeItem(atPath: file)
    try FileManager.default.copyItem(atPath: source, toPath: file)
    return file
  }
}
