#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// ICC profiles that tests write, and the colors of an image in them.
public struct ColorProfileFile: Sendable, CustomStringConvertible {
  /// The description.
  public let name: String
  /// The colors of red, green and blue in XYZ with a white of D50.
  let colors: [[Double]]
  /// The transfer function: the exponent, or `nil` for sRGB's function.
  let gamma: Double?

  /// The name.
  public var description: String { name }

  /// The values of the ICC's profile.
  public static let sRGB = ColorProfileFile(
    name: "sRGB IEC61966-2.1",
    colors: [
      [0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410],
    ], gamma: nil)
  /// The values of Apple's profile.
  public static let displayP3 = ColorProfileFile(
    name: "Display P3",
    colors: [
      [0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407],
    ], gamma: nil)
  /// The values of Adobe's profile.
  public static let adobeRGB = ColorProfileFile(
    name: "Adobe RGB (1998)",
    colors: [
      [0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457],
    ], gamma: 563.0 / 256)
  /// The values of Kodak's profile.
  public static let proPhoto = ColorProfileFile(
    name: "ProPhoto RGB",
    colors: [[0.79767, 0.28804, 0], [0.13519, 0.71188, 0], [0.03134, 0.00009, 0.82491]],
    gamma: 1.8)

  /// The bytes of the profile, version 2 with a matrix and three curves.
  public var bytes: [UInt8] { bytes(blueSteps: nil) }

  /// The bytes of the profile with another description of the same curve for blue, by some points.
  public func bytes(blueSteps: Int?) -> [UInt8] {
    func points(_ count: Int) -> [UInt8] {
      Self.curve((0..<count).map { light(Double($0) / Double(count - 1)) })
    }
    let curve = points(1024)
    let exponent = gamma.map {
      Self.header("curv") + Self.number(1) + Self.short($0 * 256) + [0, 0]
    }
    var tags = [("desc", Self.description(name)), ("wtpt", Self.xyz([0.9642, 1, 0.8249]))]
    for (channel, color) in zip(["r", "g", "b"], colors) {
      tags.append((channel + "XYZ", Self.xyz(color)))
      let other = channel == "b" ? blueSteps.map(points) : nil
      tags.append((channel + "TRC", other ?? exponent ?? curve))
    }
    return Self.profile(space: "RGB ", connection: "XYZ ", tags: tags)
  }

  /// A CMYK profile whose table has two steps for each ink: no ink and full ink. The light of a mixture is the
  /// product of the lights that its inks leave.
  public static let inks: [UInt8] = {
    // Lab of the eight mixtures of full inks on white paper, then of black, in eight bits.
    func lab(_ l: Double, _ a: Double, _ b: Double) -> [UInt8] {
      [UInt8(l * 2.55), UInt8(a + 128), UInt8(b + 128)]
    }
    let mixtures = [
      lab(100, 0, 0), lab(89, -5, 93), lab(48, 74, -3), lab(47, 68, 48), lab(55, -37, -50),
      lab(50, -65, 27), lab(24, 17, -46), lab(23, 0, 0),
    ]
    var table: [UInt8] = []
    for mixture in mixtures { table += mixture + lab(8, 0, 0) }
    return profile(
      space: "CMYK", connection: "Lab ",
      tags: [
        ("desc", description("Test inks")), ("wtpt", xyz([0.9642, 1, 0.8249])),
        ("A2B0", tableTag(channels: 4, side: 2, table)),
      ])
  }()

  /// A profile of gray with an exponent.
  public static func gray(gamma: Double) -> [UInt8] {
    profile(
      space: "GRAY", connection: "XYZ ",
      tags: [
        ("desc", description("Gray")), ("wtpt", xyz([0.9642, 1, 0.8249])),
        ("kTRC", header("curv") + number(1) + short(gamma * 256) + [0, 0]),
      ])
  }

  /// The data of a table of eight-bit colors (`mft1`) with straight curves.
  public static func tableTag(channels: UInt8, side: UInt8, _ table: [UInt8]) -> [UInt8] {
    let identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap { number($0 << 16) }
    let curve = (0...255).map { UInt8($0) }
    return header("mft1") + [channels, 3, side, 0] + identity
      + [[UInt8]](repeating: curve, count: Int(channels)).flatMap { $0 } + table
      + curve + curve + curve
  }

  /// A profile with some tags.
  public static func profile(
    deviceClass: String = "mntr", space: String, connection: String, tags: [(String, [UInt8])]
  ) -> [UInt8] {
    var table = number(tags.count)
    var data: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    for (name, content) in tags {
      table += Array(name.utf8) + number(start + data.count) + number(content.count)
      data += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    }
    var head = number(start + data.count) + [0, 0, 0, 0, 2, 0x40, 0, 0]
    head += Array((deviceClass + space + connection).utf8)
    head += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    head += [UInt8](repeating: 0, count: 28) + [0.9642, 1, 0.8249].flatMap(fixed)
    return head + [UInt8](repeating: 0, count: 128 - head.count) + table + data
  }

  /// Returns pixels of sRGB, four bytes each, as pixels of this color space that look the same.
  public func pixels(of standard: [UInt8]) -> [UInt8] {
    Self.pixels(standard, from: .sRGB, to: self)
  }

  /// Returns pixels of this color space as pixels of sRGB, clipped.
  public func standardPixels(of pixels: [UInt8]) -> [UInt8] {
    Self.pixels(pixels, from: self, to: .sRGB)
  }

  private static func pixels(
    _ source: [UInt8], from space: ColorProfileFile, to target: ColorProfileFile
  ) -> [UInt8] {
    let inverse = Self.inverse(target.colors)
    // From the linear light of the source to that of the target.
    let matrix = inverse.map { row in
      space.colors.map { color in row[0] * color[0] + row[1] * color[1] + row[2] * color[2] }
    }
    let lights = (0..<256).map { space.light(Double($0) / 255) }
    var pixels = source
    for place in Swift.stride(from: 0, to: source.count, by: 4) {
      let red = lights[Int(source[place])]
      let green = lights[Int(source[place + 1])]
      let blue = lights[Int(source[place + 2])]
      for channel in 0..<3 {
        let row = matrix[channel]
        let linear = max(0, min(1, row[0] * red + row[1] * green + row[2] * blue))
        pixels[place + channel] = UInt8((255 * target.value(linear)).rounded())
      }
    }
    return pixels
  }

  private func light(_ value: Double) -> Double {
    if let gamma { return pow(value, gamma) }
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  private func value(_ light: Double) -> Double {
    if let gamma { return pow(light, 1 / gamma) }
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// The inverse of a matrix of columns, as rows.
  private static func inverse(_ c: [[Double]]) -> [[Double]] {
    func cross(_ a: [Double], _ b: [Double]) -> [Double] {
      [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
    let rows = [cross(c[1], c[2]), cross(c[2], c[0]), cross(c[0], c[1])]
    let determinant = (0..<3).reduce(0) { $0 + c[0][$1] * rows[0][$1] }
    return rows.map { $0.map { $0 / determinant } }
  }

  private static func header(_ type: String) -> [UInt8] { Array(type.utf8) + [0, 0, 0, 0] }

  private static func description(_ text: String) -> [UInt8] {
    header("desc") + number(text.utf8.count + 1) + Array(text.utf8)
      + [UInt8](repeating: 0, count: 79)
  }

  private static func xyz(_ color: [Double]) -> [UInt8] { header("XYZ ") + color.flatMap(fixed) }

  private static func curve(_ values: [Double]) -> [UInt8] {
    header("curv") + number(values.count) + values.flatMap { short($0 * 65535) }
  }

  private static func fixed(_ value: Double) -> [UInt8] { number(Int((value * 65536).rounded())) }

  private static func short(_ value: Double) -> [UInt8] {
    let number = Int(value.rounded())
    return [UInt8(number >> 8), UInt8(number & 255)]
  }

  /// Returns a number as four bytes, the highest first.
  static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}

/// JPEG files with a profile.
public enum ProfiledJPEG {
  /// Returns a file with the profile in segments of at most `partSize` bytes.
  ///
  /// - Parameter order: The order of the segments.
  public static func file(
    _ jpeg: [UInt8], profile: [UInt8], partSize: Int = 65_519,
    order: ([[UInt8]]) -> [[UInt8]] = { $0 }
  ) -> [UInt8] {
    let parts = stride(from: 0, to: profile.count, by: partSize).map {
      Array(profile[$0..<min(profile.count, $0 + partSize)])
    }
    let segments = parts.enumerated().map { index, part in
      segment(number: index + 1, of: parts.count, part)
    }
    return Array(jpeg[..<2]) + order(segments).flatMap { $0 } + Array(jpeg[2...])
  }

  /// Returns an APP2 segment with a part of a profile.
  public static func segment(number: Int, of count: Int, _ part: [UInt8]) -> [UInt8] {
    let content = Array("ICC_PROFILE".utf8) + [0, UInt8(number), UInt8(count)] + part
    let length = content.count + 2
    return [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + content
  }
}
