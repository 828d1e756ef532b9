internal import CZlib
package import PixelMatch

/// The background that replaces the plain one of a packshot, for a screen in dark mode.
package enum CardBackground: String, Sendable, Hashable, CaseIterable {
  /// None: a PNG file with alpha.
  case transparent
  /// The gray of dark cards, `#1C1C1E`: a JPEG file.
  case dark

  /// A file with its media type.
  package struct File: Sendable, Hashable {
    package let type: String
    package let bytes: [UInt8]
  }

  /// The quality of JPEG files.
  private static let quality = 85

  /// Returns an image with this background, or `nil` if its own is not plain and light, or not clearly apart from the thing.
  ///
  /// - Throws: `DecodeError` in a build without codecs.
  /// - Complexity: O(pixels).
  package func file(of image: PixelBuffer, _ decoder: ImageDecoder) throws(DecodeError) -> File? {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(4 * image.width * image.height)
    image.forEachRGBARow { row, _ in for index in row.indices { pixels.append(row[index]) } }
    guard let cut = PlainBackground(pixels, width: image.width, height: image.height) else {
      return nil
    }
    switch self {
    case .transparent:
      return File(
        type: "image/png",
        bytes: TransparentPNG.file(cut.pixels, width: image.width, height: image.height))
    case .dark:
      guard
        let dark = try? PixelBuffer(
          width: image.width, height: image.height, format: .rgba8,
          bytes: cut.pixels(over: [0x1C, 0x1C, 0x1E]))
      else { return nil }
      return File(
        type: "image/jpeg",
        bytes: try decoder.jpeg(
          of: dark, longerSide: max(image.width, image.height), quality: Self.quality))
    }
  }
}

/// An image whose plain, light background is cut out.
struct PlainBackground {
  /// The darkest background.
  private static let leastLight = 215
  /// The largest difference of a channel from the background within it, and at the edge of the thing.
  private static let (within, edge) = (8, 28)
  /// The least share of the border that has the background's color: a thing may touch it.
  private static let borderShare = 0.8
  /// The shares of the image that a background has.
  private static let shares = 0.08...0.95
  /// The largest share of pixels that are neither background nor thing. More are a shadow, or a thing of the same color.
  private static let unclearShare = 0.06

  /// The largest share of the image of a speck, which is noise of a lossy file beside the thing.
  private static let speckShare = 0.002

  /// The pixels, row-major, RGBA, not premultiplied.
  let pixels: [UInt8]

  /// Cuts the background out, from the border inward, or returns `nil` if the image does not allow it.
  init?(_ image: [UInt8], width: Int, height: Int) {
    guard width >= 8, height >= 8 else { return nil }
    var border: [Int] = []
    for x in 0..<width { border += [x, (height - 1) * width + x] }
    for y in 0..<height { border += [y * width, y * width + width - 1] }
    var color: [Int] = []
    for channel in 0..<3 {
      let values = border.map { Int(image[4 * $0 + channel]) }.sorted()
      color.append(values[values.count / 2])
    }
    guard color.min() ?? 0 >= Self.leastLight else { return nil }
    func difference(_ index: Int) -> Int {
      var most = 0
      for channel in 0..<3 {
        most = max(most, abs(Int(image[4 * index + channel]) - color[channel]))
      }
      return most
    }
    let plain = border.count { difference($0) <= Self.within }
    guard Double(plain) >= Self.borderShare * Double(border.count) else { return nil }

    var alpha = [UInt8](repeating: 0xFF, count: width * height)
    var reached = [Bool](repeating: false, count: width * height)
    var waiting: [Int] = []
    var (clear, unclear) = (0, 0)
    func reach(_ index: Int) {
      if reached[index] { return }
      reached[index] = true
      let found = difference(index)
      guard found <= Self.edge else { return }
      if found <= Self.within {
        clear += 1
      } else {
        unclear += 1
      }
      alpha[index] = UInt8(
        max(0, found - Self.within) * 0xFF / (Self.edge - Self.within))
      waiting.append(index)
    }
    border.forEach(reach)
    while let index = waiting.popLast() {
      let x = index % width
      if x > 0 { reach(index - 1) }
      if x < width - 1 { reach(index + 1) }
      if index >= width { reach(index - width) }
      if index < width * (height - 1) { reach(index + width) }
    }
    let count = Double(width * height)
    guard Self.shares.contains(Double(clear + unclear) / count),
      Double(unclear) <= Self.unclearShare * count
    else { return nil }
    Self.removeSpecks(&alpha, width: width)
    pixels = Self.cut(image, color, alpha)
  }

  /// Clears parts that are small and apart from the thing.
  private static func removeSpecks(_ alpha: inout [UInt8], width: Int) {
    var seen = alpha.map { $0 == 0 }
    let most = Int(speckShare * Double(alpha.count))
    for start in alpha.indices where !seen[start] {
      seen[start] = true
      var part = [start]
      var next = 0
      while next < part.count {
        let index = part[next]
        next += 1
        let x = index % width
        let beside = [
          x > 0 ? index - 1 : nil, x < width - 1 ? index + 1 : nil, index - width, index + width,
        ]
        for case let other? in beside where alpha.indices.contains(other) && !seen[other] {
          seen[other] = true
          part.append(other)
        }
      }
      if part.count <= most { for index in part { alpha[index] = 0 } }
    }
  }

  /// Removes the background's part of the pixels at the edge.
  private static func cut(_ image: [UInt8], _ color: [Int], _ alpha: [UInt8]) -> [UInt8] {
    var pixels = image
    for index in alpha.indices {
      let part = Int(alpha[index])
      for channel in 0..<3 {
        let seen = Int(image[4 * index + channel])
        let own = part == 0 ? 0 : color[channel] + (seen - color[channel]) * 0xFF / part
        pixels[4 * index + channel] = UInt8(clamping: own)
      }
      pixels[4 * index + 3] = alpha[index]
    }
    return pixels
  }

  /// Returns the pixels over a color, opaque.
  func pixels(over color: [Int]) -> [UInt8] {
    var result = pixels
    for index in 0..<pixels.count / 4 {
      let part = Int(pixels[4 * index + 3])
      for channel in 0..<3 {
        let own = Int(pixels[4 * index + channel])
        result[4 * index + channel] = UInt8(
          (own * part + color[channel] * (0xFF - part) + 0x7F) / 0xFF)
      }
      result[4 * index + 3] = 0xFF
    }
    return result
  }
}

/// A writer of PNG files with alpha (ISO/IEC 15948).
private enum TransparentPNG {
  /// Returns the file of pixels in RGBA.
  static func file(_ pixels: [UInt8], width: Int, height: Int) -> [UInt8] {
    let stride = 4 * width
    var rows: [UInt8] = []
    rows.reserveCapacity((stride + 1) * height)
    for row in 0..<height {
      rows.append(4)  // Paeth
      for column in 0..<stride {
        let index = row * stride + column
        let left = column < 4 ? 0 : Int(pixels[index - 4])
        let above = row == 0 ? 0 : Int(pixels[index - stride])
        let corner = column < 4 || row == 0 ? 0 : Int(pixels[index - stride - 4])
        rows.append(pixels[index] &- UInt8(predicted(left, above, corner)))
      }
    }
    // The header of a PNG: 8 bits per channel, RGBA, deflate, adaptive filters, not interlaced.
    let header = bigEndian(width) + bigEndian(height) + [8, 6, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
      + chunk("IDAT", deflated(rows)) + chunk("IEND", [])
  }

  /// The predictor of filter type 4 (ISO/IEC 15948, 9.4).
  private static func predicted(_ left: Int, _ above: Int, _ corner: Int) -> Int {
    let estimate = left + above - corner
    let (a, b, c) = (abs(estimate - left), abs(estimate - above), abs(estimate - corner))
    return a <= b && a <= c ? left : b <= c ? above : corner
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    // Sound: the buffer outlives the call, which receives its size.
    let sum = unsafe named.withUnsafeBufferPointer {
      unsafe crc32(0, $0.baseAddress, UInt32($0.count))
    }
    return bigEndian(content.count) + named + bigEndian(Int(sum))
  }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(UInt(bytes.count))
    var out = [UInt8](repeating: 0, count: Int(size))
    // Sound: both buffers outlive the call, which receives their sizes.
    let status = unsafe out.withUnsafeMutableBufferPointer { out in
      unsafe bytes.withUnsafeBufferPointer {
        unsafe compress2(out.baseAddress, &size, $0.baseAddress, UInt($0.count), 6)
      }
    }
    precondition(status == Z_OK, "no memory to compress an image")
    return Array(out.prefix(Int(size)))
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
