/// The largest JSON text that is accepted. A text is refused at the first byte that exceeds a limit.
public struct JSONLimits: Sendable, Hashable {
  /// Levels of lists and objects within each other.
  public var depth: Int
  /// Values in all: texts, numbers, `true`, `false`, `null`, lists and objects.
  public var valueCount: Int
  /// Bytes of the whole text.
  public var byteCount: Int

  /// Bytes of a name in an object. Names are hashed and compared, which takes quadratic time in runs of
  /// combining characters.
  public var nameByteCount: Int

  /// Makes limits. The default ones are those of a row of a feed.
  public init(
    depth: Int = 32, valueCount: Int = 262_144, byteCount: Int = 1 << 20, nameByteCount: Int = 256
  ) {
    self.depth = depth
    self.valueCount = valueCount
    self.byteCount = byteCount
    self.nameByteCount = nameByteCount
  }

  /// The limits of a line of a feed. It has one level more than a row, because the report of a refused
  /// row holds the row.
  static let line = JSONLimits(depth: JSONLimits().depth + 1)

  /// The limits of what is read from a catalogue, from an export, and of a document that holds many
  /// rows.
  static let document = JSONLimits(
    depth: 64, valueCount: 1 << 23, byteCount: 64 << 20, nameByteCount: 1024)
}

/// The reason why a text is not accepted as JSON.
public struct JSONError: Error, Sendable, Hashable {
  /// What a program switches on.
  public enum Code: String, Sendable, CaseIterable {
    /// The text is not JSON.
    case invalid
    /// The text ends within a value.
    case truncated
    /// The text is not UTF-8.
    case notUTF8
    /// A number does not fit 64-bit floating point, or has more than 1024 digits.
    case numberOutOfRange
    /// Lists and objects are nested deeper than ``JSONLimits/depth``.
    case tooDeep
    /// There are more values than ``JSONLimits/valueCount``.
    case tooManyValues
    /// There are more bytes than ``JSONLimits/byteCount``.
    case tooLong
    /// A name has more bytes than ``JSONLimits/nameByteCount``.
    case nameTooLong
    /// The caller asked to stop.
    case cancelled
  }

  /// What a program switches on.
  public let code: Code
  /// The byte at which it was found, from 0.
  public let offset: Int
  /// The reason in words that complete a sentence about the text, such as `is not JSON: …`.
  public let message: String
}
