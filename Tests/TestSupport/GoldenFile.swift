import Foundation

/// A recorded output, compared byte for byte.
public enum GoldenFile {
  /// Describes how `text` differs from the file, or returns `nil` if it does not.
  ///
  /// With `RECORD_GOLDEN=1` in the environment the file is written instead, and that is reported as
  /// a difference, so that a recording run never passes.
  ///
  /// - Parameters:
  ///   - text: The actual output.
  ///   - name: The file's name.
  ///   - folder: The folder that it is in, beside the test's own file.
  ///   - test: The test's own file.
  public static func difference(
    of text: String, from name: String, in folder: String, beside test: String = #filePath
  ) -> String? {
    let url = URL(fileURLWithPath: test).deletingLastPathComponent()
      .appendingPathComponent(folder).appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
      do {
        try Data(text.utf8).write(to: url)
        return "recorded \(name)"
      } catch {
        return "cannot record \(name): \(error)"
      }
    }
    guard let data = FileManager.default.contents(atPath: url.path) else {
      return "\(name) is not recorded; run with RECORD_GOLDEN=1"
    }
    let recorded = String(decoding: data, as: UTF8.self)
    return recorded == text
      ? nil : "\(name) differs:\n--- recorded\n\(recorded)\n--- found\n\(text)"
  }
}
