#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON as every answer has it: keys in ascending order.
enum JSONBody {
  static func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Sound: what is encoded has no number that JSON lacks and no key of another type.
    guard let data = try? encoder.encode(value) else { preconditionFailure("not JSON") }
    return Array(data)
  }
}
