/// Reads the bytes of an encoded signature one after the other.
struct SignatureReader {
  private let all: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { all = bytes }

  /// - Throws: ``SignatureError`` with the code `wrongLength` if the bytes end before.
  mutating func bytes(_ count: Int) throws(SignatureError) -> [UInt8] {
    guard count <= all.count - place else {
      throw SignatureError(
        code: .wrongLength,
        message: "a signature ends after \(all.count) bytes, before all its parts")
    }
    defer { place += count }
    return Array(all[place..<place + count])
  }

  /// Reads an integer whose lowest byte comes first.
  ///
  /// - Throws: As ``bytes(_:)``.
  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) throws(SignatureError) -> Number {
    try bytes(Number.bitWidth / 8).littleEndian(at: 0, as: type)
  }

  /// - Throws: ``SignatureError`` with the code `wrongLength` if there are further bytes.
  func end() throws(SignatureError) {
    guard place == all.count else {
      throw SignatureError(
        code: .wrongLength, message: "a signature of \(place) bytes has \(all.count)")
    }
  }
}
