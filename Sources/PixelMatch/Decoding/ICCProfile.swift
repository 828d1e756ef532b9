/// An ICC profile (ICC.1:2022 and ICC.1:2001-04) whose tables have been checked on bounds-checked
/// memory, so that a color management library can read them at a cost bounded by their size.
struct ICCProfile: Sendable {
  /// The channels of the device that a profile describes.
  enum Channels: Int, Sendable {
    case gray = 1
    case rgb = 3
    case cmyk = 4
  }

  /// The name when the profile has no description.
  static let unnamed = "ICC profile"
  private static let headerByteCount = 128
  /// Real profiles have some twenty tags; Little CMS accepts a hundred.
  private static let tagLimit = 100

  /// The profile, with the tags that are not needed made unreadable.
  let bytes: [UInt8]
  /// The description.
  let name: String
  let channels: Channels
  /// A Boolean value that indicates whether the profile is sRGB's, to within a step of eight bits.
  let isStandard: Bool
  /// The conversion of a profile of screens and cameras, which has three colors and one curve; `nil` for others. It is made in a tenth of the time
  /// that Little CMS needs to open one.
  let conversion: RGBConversion?

  /// Checks a profile.
  ///
  /// - Throws: ``UnusableProfile``.
  /// - Complexity: O(bytes).
  init(_ all: [UInt8]) throws(UnusableProfile) {
    var tables = ICCTables(all)
    guard all.count >= Self.headerByteCount + 4, tables.text(36) == "acsp" else {
      throw UnusableProfile(Self.unnamed, "it is not an ICC profile")
    }
    guard tables.number(0) <= all.count else {
      throw UnusableProfile(
        Self.unnamed, "it has \(all.count) bytes; its header says \(tables.number(0))")
    }
    let tagCount = tables.number(128)
    guard tagCount <= Self.tagLimit, 132 + 12 * tagCount <= all.count else {
      throw UnusableProfile(Self.unnamed, "it has \(tagCount) tags; the limit is \(Self.tagLimit)")
    }
    tables.readTags(tagCount)
    let name = tables.description ?? Self.unnamed
    self.name = name
    func unusable(_ reason: String) -> UnusableProfile { UnusableProfile(name, reason) }
    guard ["mntr", "scnr", "prtr", "spac"].contains(tables.text(12)) else {
      throw unusable("its class '\(tables.text(12))' does not describe pixels")
    }
    guard ["XYZ ", "Lab "].contains(tables.text(20)) else {
      throw unusable("its connection space '\(tables.text(20))' is not XYZ or Lab")
    }
    switch tables.text(16) {
    case "GRAY": channels = .gray
    case "RGB ": channels = .rgb
    case "CMYK": channels = .cmyk
    default: throw unusable("its color space '\(tables.text(16))' is not gray, RGB or CMYK")
    }
    if let reason = tables.fault(channels: channels.rawValue) { throw unusable(reason) }
    isStandard = tables.isStandard(channels)
    conversion = channels == .rgb && !isStandard ? tables.conversion : nil
    bytes = tables.strippedBytes
  }
}

/// The tags of an ICC profile.
struct ICCTables {
  /// A tag: a four-letter signature, and the range of its data.
  struct Tag: Sendable {
    let signature: String
    let range: Range<Int>
  }

  /// The tags that a conversion from a device to sRGB reads. The others, among them the
  /// floating-point pipelines of unbounded length (D2Bx), are not passed on.
  private static let neededSignatures: Set<String> = [
    "A2B0", "A2B1", "A2B2", "wtpt", "chad", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC",
  ]
  /// The largest number of entries of a curve that Little CMS reads.
  private static let curveLimit = 32_767

  private let bytes: [UInt8]
  private(set) var tags: [Tag] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func number(_ offset: Int) -> Int {
    Int(bytes[offset]) << 24 | Int(bytes[offset + 1]) << 16 | short(offset + 2)
  }

  func short(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }

  /// Returns a number with 16 bits after the binary point.
  func fixed(_ offset: Int) -> Double {
    Double(Int32(truncatingIfNeeded: number(offset))) / 65536
  }

  /// Returns four letters, with those that cannot be printed replaced by `?`.
  func text(_ offset: Int) -> String {
    String(
      decoding: bytes[offset..<offset + 4].map { (0x20..<0x7F).contains($0) ? $0 : 0x3F },
      as: UTF8.self)
  }

  /// Reads the table of tags. Tags that do not lie within the profile are left out.
  mutating func readTags(_ count: Int) {
    for index in 0..<count {
      let entry = 132 + 12 * index
      guard let range = range(ofEntry: entry) else { continue }
      tags.append(Tag(signature: text(entry), range: range))
    }
  }

  /// Returns the range of the data of a tag, or `nil` if it does not lie within the profile.
  private func range(ofEntry entry: Int) -> Range<Int>? {
    let (start, length) = (number(entry + 4), number(entry + 8))
    return length >= 8 && start + length <= bytes.count ? start..<start + length : nil
  }

  /// The profile without the tags that are not needed or damaged: their signatures are replaced.
  var strippedBytes: [UInt8] {
    var stripped = bytes
    for index in 0..<number(128) {
      let entry = 132 + 12 * index
      if !Self.neededSignatures.contains(text(entry)) || range(ofEntry: entry) == nil {
        stripped.replaceSubrange(entry..<entry + 4, with: [0x78, 0x78, 0x30, UInt8(index)])
      }
    }
    return stripped
  }

  func tag(_ signature: String) -> Range<Int>? {
    tags.first { $0.signature == signature }?.range
  }

  /// The first text of the description, at most 80 printable characters.
  var description: String? {
    guard let range = tag("desc") else { return nil }
    let scalars: [Unicode.Scalar]
    switch text(range.lowerBound) {
    case "desc":
      guard range.count >= 12 else { return nil }
      let start = range.lowerBound + 12
      let end = min(range.upperBound, start + min(80, number(start - 4)))
      scalars = bytes[start..<max(start, end)].prefix { $0 != 0 }.map(Unicode.Scalar.init)
    case "mluc":
      guard range.count >= 28 else { return nil }
      let start = range.lowerBound + number(range.lowerBound + 24)
      let length = min(160, number(range.lowerBound + 20))
      guard start >= range.lowerBound, start + length <= range.upperBound else { return nil }
      let units = stride(from: start, to: start + length - 1, by: 2).map { UInt16(short($0)) }
      scalars = Array(String(decoding: units, as: UTF16.self).unicodeScalars)
    default: return nil
    }
    let printable = scalars.filter {
      !$0.properties.isDefaultIgnorableCodePoint && $0.value != 0xFFFD
        && ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
          $0.properties.generalCategory)
    }
    var name = ""
    name.unicodeScalars.append(contentsOf: printable)
    return name.isEmpty ? nil : name
  }

  /// Returns the reason why the tables cannot be used, or `nil` if they can.
  func fault(channels: Int) -> String? {
    for tag in tags where ["rTRC", "gTRC", "bTRC", "kTRC"].contains(tag.signature) {
      if curve(tag.range) == nil { return "its curve '\(tag.signature)' is damaged" }
    }
    let tables = tags.filter { ["A2B0", "A2B1", "A2B2"].contains($0.signature) }
    for tag in tables where !isSound(table: tag.range, channels: channels) {
      return "its table '\(tag.signature)' is damaged"
    }
    let needed =
      channels == 3
      ? ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"] : channels == 1 ? ["kTRC"] : []
    if tables.isEmpty {
      if channels == 4 { return "it has no table 'A2B0'" }
      if let missing = needed.first(where: { self.tag($0) == nil }) {
        return "it has no '\(missing)'"
      }
    }
    return nil
  }

  /// Returns whether a table of colors is as large as its own numbers say (ICC.1:2022, 10.10 to
  /// 10.12).
  private func isSound(table range: Range<Int>, channels: Int) -> Bool {
    let start = range.lowerBound
    guard range.count >= 32, bytes[start + 8] == channels, bytes[start + 9] == 3 else {
      return false
    }
    func nodes(_ sides: [Int], most: Int) -> Int? {
      var count = 3
      for side in sides {
        guard side >= 2 else { return nil }
        count *= side
        if count > most { return nil }
      }
      return count
    }
    switch text(start) {
    case "mft1":
      guard range.count >= 48,
        let count = nodes(
          Array(repeating: Int(bytes[start + 10]), count: channels), most: range.count)
      else { return false }
      return 48 + 256 * (channels + 3) + count <= range.count
    case "mft2":
      guard range.count >= 52,
        let count = nodes(
          Array(repeating: Int(bytes[start + 10]), count: channels), most: range.count)
      else { return false }
      let (inputs, outputs) = (short(start + 48), short(start + 50))
      guard (2...4096).contains(inputs), (2...4096).contains(outputs) else { return false }
      return 52 + 2 * (inputs * channels + outputs * 3 + count) <= range.count
    case "mAB ":
      let table = number(start + 24)
      if table == 0 { return channels == 3 }
      guard table + 20 <= range.count else { return false }
      let sides = (0..<channels).map { Int(bytes[start + table + $0]) }
      let width = Int(bytes[start + table + 16])
      guard width == 1 || width == 2, let count = nodes(sides, most: range.count) else {
        return false
      }
      return table + 20 + count * width <= range.count
    default: return false
    }
  }

  /// Returns the linear light of a value in `0...1` by a curve (ICC.1:2022, 10.6 and 10.18), or
  /// `nil` if the curve is damaged.
  private func curve(_ range: Range<Int>) -> ((Double) -> Double)? {
    let start = range.lowerBound
    guard range.count >= 12 else { return nil }
    switch text(start) {
    case "curv":
      let count = number(start + 8)
      guard count <= Self.curveLimit, 12 + 2 * count <= range.count else { return nil }
      if count == 0 { return { $0 } }
      if count == 1 { return TransferFunction.power(Double(short(start + 12)) / 256).light }
      return { value in
        let place = value * Double(count - 1)
        let below = max(0, min(count - 2, Int(place)))
        let share = place - Double(below)
        let (low, high) = (short(start + 12 + 2 * below), short(start + 14 + 2 * below))
        return (Double(low) * (1 - share) + Double(high) * share) / 65535
      }
    case "para":
      let kind = short(start + 8)
      guard kind <= 4, range.count >= 12 + 4 * [1, 3, 4, 5, 7][kind] else { return nil }
      func parameter(_ index: Int) -> Double { fixed(start + 12 + 4 * index) }
      // Curves of other kinds are not those of sRGB, so they need not be computed.
      guard kind == 0 || kind == 3 else { return { _ in .nan } }
      if kind == 0 { return TransferFunction.power(parameter(0)).light }
      return TransferFunction(
        gamma: parameter(0), scale: parameter(1), offset: parameter(2), slope: parameter(3),
        threshold: parameter(4)
      ).light
    default: return nil
    }
  }

  /// The columns of the matrix of sRGB to XYZ with a white of D50 (IEC 61966-2-1, Bradford).
  private static let standardColors = [
    ("rXYZ", [0.4360, 0.2225, 0.0139]), ("gXYZ", [0.3851, 0.7169, 0.0971]),
    ("bXYZ", [0.1431, 0.0606, 0.7141]),
  ]

  /// True if the profile has tables of colors, which come before its curves.
  private var hasTables: Bool { tags.contains { $0.signature.hasPrefix("A2B") } }

  /// The conversion that the colors and the curve of the three channels describe; `nil` if there is no such curve.
  var conversion: RGBConversion? {
    let colors = ["rXYZ", "gXYZ", "bXYZ"].compactMap(color)
    let curves = ["rTRC", "gTRC", "bTRC"].compactMap(tag)
    guard !hasTables, colors.count == 3, curves.count == 3, text(20) == "XYZ ",
      curves.allSatisfy({ bytes[$0] == bytes[curves[0]] }), let curve = curve(curves[0]),
      (0..<256).allSatisfy({ (0...1.01).contains(curve(Double($0) / 255)) })
    else { return nil }
    return RGBConversion(
      fromProfile: Matrix3(columns: colors[0], colors[1], colors[2]), decoding: curve)
  }

  /// Returns X, Y and Z of a tag, or `nil` if it has none.
  private func color(_ signature: String) -> [Double]? {
    guard let range = tag(signature), range.count >= 20, text(range.lowerBound) == "XYZ " else {
      return nil
    }
    return (0..<3).map { fixed(range.lowerBound + 8 + 4 * $0) }
  }

  /// Returns whether the profile is sRGB's to within a step of eight bits. Profiles of sRGB differ in
  /// the last digits of their colors and in the form of their curve.
  func isStandard(_ channels: ICCProfile.Channels) -> Bool {
    guard !hasTables else { return false }
    func isStandard(curve signature: String) -> Bool {
      guard let curve = tag(signature).flatMap(curve) else { return false }
      return stride(from: 0, through: 255, by: 5).allSatisfy { byte in
        let light = curve(Double(byte) / 255)
        guard light >= 0, light <= 1.01 else { return false }
        return abs(255 * TransferFunction.sRGB.value(light) - Double(byte)) <= 1
      }
    }
    switch channels {
    case .gray: return isStandard(curve: "kTRC")
    case .cmyk: return false
    case .rgb:
      let hasColors = Self.standardColors.allSatisfy { signature, standard in
        guard let color = color(signature) else { return false }
        return zip(color, standard).allSatisfy { abs($0 - $1) <= 0.002 }
      }
      return hasColors && ["rTRC", "gTRC", "bTRC"].allSatisfy(isStandard(curve:))
    }
  }
}
