/// Finds the orientation in a TIFF structure (EXIF 2.32, 4.5.2). A malformed structure has none.
enum EXIFOrientation {
  /// Returns the orientation in the content of a JPEG's APP1 segment.
  static func orientation(inAPP1 content: Span<UInt8>) -> Orientation? {
    let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
    guard content.count > prefix.count else { return nil }
    for place in prefix.indices where content[place] != prefix[place] { return nil }
    return orientation(inTIFF: content.extracting(prefix.count..<content.count))
  }

  /// Returns the orientation in a TIFF header and its directory, as in a PNG's eXIf chunk.
  static func orientation(inTIFF bytes: Span<UInt8>) -> Orientation? {
    guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == 0x49 || bytes[0] == 0x4D else {
      return nil
    }
    let isLittleEndian = bytes[0] == 0x49
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      var value = 0
      for place in 0..<count {
        value = value << 8 | Int(bytes[offset + (isLittleEndian ? count - 1 - place : place)])
      }
      return value
    }
    guard number(2, 2) == 42, let directory = number(4, 4), let entries = number(directory, 2)
    else { return nil }
    for entry in 0..<entries {
      let start = directory + 2 + 12 * entry
      guard let tag = number(start, 2) else { return nil }
      // A SHORT: its value is in the first two bytes of the field.
      if tag == 0x0112, number(start + 2, 2) == 3, let value = number(start + 8, 2) {
        return UInt8(exactly: value).flatMap(Orientation.init(rawValue:))
      }
    }
    return nil
  }
}
