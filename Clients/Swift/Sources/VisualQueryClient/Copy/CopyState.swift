public import Foundation

/// The state of a copy of the catalogue on a device, for example in Spotlight's index: at most 250 bytes, which is
/// what `CSSearchableIndex` keeps with a batch.
public struct CopyState: Sendable, Hashable {
  /// The most bytes of ``data``.
  public static let byteLimit = 250

  /// The service's token.
  public let token: String
  /// The language of the copied texts. Another language needs another copy.
  public let language: String

  /// Makes a state.
  public init(token: String, language: String) {
    self.token = token
    self.language = language
  }

  /// Reads stored data, or returns `nil` if it is not a state of this version.
  public init?(_ data: Data) {
    guard data.count <= Self.byteLimit else { return nil }
    let parts = String(decoding: data, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "1" else { return nil }
    self.init(token: String(parts[2]), language: String(parts[1]))
  }

  /// The bytes to store.
  public var data: Data { Data("1\n\(language)\n\(token)".utf8) }
}
