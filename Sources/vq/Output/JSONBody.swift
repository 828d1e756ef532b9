#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import VisualQuery

/// JSON as every answer has it: keys in ascending order.
enum JSONBody {
  /// Returns the JSON text of a value, by `JSONEncoder`.
  ///
  /// Documents of entities write themselves (`JSONWritable`) instead: half the processor time of a page of entities was that of
  /// `JSONEncoder`.
  static func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // JSON cannot express infinity or NaN, on which the encoder would fail and the server would
    // trap below.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    // Sound: the encoded value has no key of another type.
    guard let data = try? encoder.encode(value) else { preconditionFailure("not JSON") }
    return Array(data)
  }
}
