/// The limits on a JSON text. A text is rejected at the first byte that exceeds one.
package struct JSONLimits: Sendable, Hashable {
  /// The number of nested levels of lists and objects.
  package var depth: Int
  /// The number of values: strings, numbers, `true`, `false`, `null`, lists and objects.
  package var valueCount: Int
  /// The number of bytes of the text.
  package var byteCount: Int

  /// The number of bytes of a name in an object. Names are hashed and compared, which takes
  /// quadratic time for runs of combining characters.
  package var nameByteCount: Int
  /// True if a name may occur several times in an object, of which the first value then counts.
  package var allowsRepeatedNames: Bool

  /// Makes limits. The defaults are those of a row of a feed.
  package init(
    depth: Int = 32, valueCount: Int = 262_144, byteCount: Int = 1 << 20, nameByteCount: Int = 256,
    allowsRepeatedNames: Bool = true
  ) {
    self.depth = depth
    self.valueCount = valueCount
    self.byteCount = byteCount
    self.nameByteCount = nameByteCount
    self.allowsRepeatedNames = allowsRepeatedNames
  }

  /// The limits of a line of a feed. It has one level more than a row, because the report of a
  /// rejected row contains the row.
  package static let line = JSONLimits(depth: JSONLimits().depth + 1)

  /// The limits for the contents of a catalogue or an export, and for a document with many rows.
  package static let document = JSONLimits(
    depth: 64, valueCount: 1 << 23, byteCount: 64 << 20, nameByteCount: 1024)
}

/// The reason why a text is not accepted as JSON.
package struct JSONError: Error, Sendable, Hashable {
  /// The stable code of an error, for programs.
  package enum Code: String, Sendable, CaseIterable {
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
    /// A name occurs several times in an object, and ``JSONLimits/allowsRepeatedNames`` is false.
    case repeatedName
    /// The caller asked to stop.
    case cancelled
  }

  /// The code.
  package let code: Code
  /// The position of the error in bytes, from 0.
  package let offset: Int
  /// The reason in words that complete a sentence about the text, such as `is not JSON: …`.
  package let message: String
}
