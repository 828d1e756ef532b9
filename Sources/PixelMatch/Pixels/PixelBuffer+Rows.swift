extension PixelBuffer {
  /// The pixels as RGBA without gaps between the rows, alpha flattened on white.
  var packedRGBA: [UInt8] {
    if isOpaqueRGBA && colorSpace == .sRGB && bytes.count == 4 * width * height { return bytes }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(4 * width * height)
    forEachRGBARow { row, _ in
      for index in row.indices { pixels.append(row[index]) }
    }
    return pixels
  }

  /// Calls `body` with each row, top to bottom, as RGBA of eight bits in sRGB.
  ///
  /// Colors outside sRGB are clipped. Alpha is flattened on white, so the fourth byte is always 255.
  /// The row is valid only during the call: its memory is reused for the next one.
  ///
  /// - Complexity: O(pixels); the memory of one row.
  package func forEachRGBARow<Failure: Error>(
    _ body: (_ row: Span<UInt8>, _ y: Int) throws(Failure) -> Void
  ) throws(Failure) {
    guard let conversion = colorSpace.conversion else { return try forEachStoredRow(body) }
    var converted: [UInt8] = []
    converted.reserveCapacity(4 * width)
    try forEachStoredRow { (row, y) throws(Failure) in
      converted.removeAll(keepingCapacity: true)
      for index in 0..<4 * width { converted.append(row[index]) }
      conversion.convert(&converted, 0..<width)
      try body(converted.span, y)
    }
  }

  /// Calls `body` with each row as ``forEachRGBARow(_:)`` does, until it is told to stop.
  ///
  /// - Parameter shouldStop: Asked for every ``AskingPace/pixels`` pixels.
  /// - Returns: False if it was told to stop.
  package func forEachRGBARow(
    until shouldStop: () -> Bool, _ body: (_ row: Span<UInt8>, _ y: Int) -> Void
  ) -> Bool {
    var pace = AskingPace()
    do throws(Stop) {
      try forEachRGBARow { (row, y) throws(Stop) in
        if pace.isTime(after: width), shouldStop() { throw Stop() }
        body(row, y)
      }
      return true
    } catch {
      return false
    }
  }

  private struct Stop: Error {}

  /// Calls `body` with each row as ``forEachRGBARow(_:)`` does, but in the image's own color space.
  func forEachStoredRow<Failure: Error>(
    _ body: (_ row: Span<UInt8>, _ y: Int) throws(Failure) -> Void
  ) throws(Failure) {
    if isOpaqueRGBA {
      let all = bytes.span
      for y in 0..<height {
        try body(all.extracting(y * bytesPerRow..<(y + 1) * bytesPerRow), y)
      }
      return
    }
    var row = [UInt8](repeating: 255, count: 4 * width)
    for y in 0..<height {
      switch format {
      case .rgba8: copyFourChannels(y, red: 0, blue: 2, into: &row)
      case .bgra8: copyFourChannels(y, red: 2, blue: 0, into: &row)
      case .rgb8: copyThreeChannels(y, into: &row)
      case .gray8: copyGray(y, into: &row)
      case .nv12FullRange: convertNV12(y, .full(yCbCrMatrix), into: &row)
      case .nv12VideoRange: convertNV12(y, .video(yCbCrMatrix), into: &row)
      }
      try body(row.span, y)
    }
  }

  private func copyFourChannels(_ y: Int, red: Int, blue: Int, into row: inout [UInt8]) {
    let source = bytes.span
    var row = row.mutableSpan
    let start = y * bytesPerRow
    for x in 0..<width {
      let pixel = start &+ 4 &* x
      let alpha = source[pixel &+ 3]
      row[4 &* x] = flattened(source[pixel &+ red], alpha)
      row[4 &* x &+ 1] = flattened(source[pixel &+ 1], alpha)
      row[4 &* x &+ 2] = flattened(source[pixel &+ blue], alpha)
    }
  }

  private func copyThreeChannels(_ y: Int, into row: inout [UInt8]) {
    let start = y * bytesPerRow
    for x in 0..<width {
      for channel in 0..<3 { row[4 &* x &+ channel] = bytes[start &+ 3 &* x &+ channel] }
    }
  }

  private func copyGray(_ y: Int, into row: inout [UInt8]) {
    let start = y * bytesPerRow
    for x in 0..<width {
      for channel in 0..<3 { row[4 &* x &+ channel] = bytes[start &+ x] }
    }
  }

  private func convertNV12(_ y: Int, _ mix: YCbCrMix, into row: inout [UInt8]) {
    let luma = y * bytesPerRow
    let chroma = (height + y / 2) * bytesPerRow
    for x in 0..<width {
      let pair = chroma &+ x / 2 * 2
      let (red, green, blue) = mix.rgb(
        y: Int(bytes[luma &+ x]), cb: Int(bytes[pair]), cr: Int(bytes[pair &+ 1]))
      row[4 &* x] = red
      row[4 &* x &+ 1] = green
      row[4 &* x &+ 2] = blue
    }
  }
}

/// Returns a channel blended with white.
@inline(__always)
private func flattened(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
  if alpha == 255 { return value }
  let (value, alpha) = (UInt32(value), UInt32(alpha))
  return UInt8((value &* alpha &+ 255 &* (255 &- alpha) &+ 127) / 255)
}

/// The conversion of Y, Cb and Cr to red, green and blue, in 16.16 fixed point.
private struct YCbCrMix {
  private let black: Int
  private let scale: Int
  private let redCr: Int
  private let greenCb: Int
  private let greenCr: Int
  private let blueCb: Int

  static func full(_ matrix: YCbCrMatrix) -> YCbCrMix { YCbCrMix(matrix, isVideo: false) }
  static func video(_ matrix: YCbCrMatrix) -> YCbCrMix { YCbCrMix(matrix, isVideo: true) }

  /// The factors follow from the luma weights of red and blue (ITU-R BT.601 and BT.709, item 3).
  private init(_ matrix: YCbCrMatrix, isVideo: Bool) {
    let (red, blue) = matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
    let green = 1 - red - blue
    let (lumaGain, chromaGain) = isVideo ? (255.0 / 219, 255.0 / 224) : (1, 1)
    func fixed(_ factor: Double) -> Int { Int((factor * 65536).rounded()) }
    black = isVideo ? 16 : 0
    scale = fixed(lumaGain)
    redCr = fixed(2 * (1 - red) * chromaGain)
    blueCb = fixed(2 * (1 - blue) * chromaGain)
    greenCb = fixed(2 * (1 - blue) * blue / green * chromaGain)
    greenCr = fixed(2 * (1 - red) * red / green * chromaGain)
  }

  func rgb(y: Int, cb: Int, cr: Int) -> (UInt8, UInt8, UInt8) {
    let light = (y &- black) &* scale
    let (cb, cr) = (cb &- 128, cr &- 128)
    func byte(_ fixed: Int) -> UInt8 { UInt8(max(0, min(255, (fixed &+ 32768) >> 16))) }
    return (
      byte(light &+ redCr &* cr), byte(light &- greenCb &* cb &- greenCr &* cr),
      byte(light &+ blueCb &* cb)
    )
  }
}
