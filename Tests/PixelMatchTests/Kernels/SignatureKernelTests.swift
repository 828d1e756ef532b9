import TestSupport
import Testing
@testable import PixelMatch

/// The kernels of hash and colors: every instruction set against the plain twin,
/// bit for bit, because a signature must not depend on the processor that computed it.
@Suite struct SignatureKernelTests {
  private func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private func floats(_ count: Int, _ range: ClosedRange<Float>, _ seed: UInt64) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Float.random(in: range, using: &generator) }
  }

  /// Returns colors of random lightness, a and b.
  private func colors(_ count: Int, _ seed: UInt64) -> [SIMD3<Float>] {
    let light = floats(count, 0...1, seed)
    let chroma = floats(2 * count, -0.33...0.33, seed + 1)
    return (0..<count).map { SIMD3(light[$0], chroma[2 * $0], chroma[2 * $0 + 1]) }
  }

  // MARK: PDQ

  @Test(arguments: Kernels.supported, [1, 7, 64, 333])
  func `brightness is rounded once, as the reference's is`(kernels: Kernels, count: Int) {
    let rgba = bytes(4 * count, 1)
    var found = [Float](repeating: 0, count: count)
    kernels.pdqLuma(rgba.span, into: &found, at: 0)
    for pixel in 0..<count {
      let (red, green, blue) = (rgba[4 * pixel], rgba[4 * pixel + 1], rgba[4 * pixel + 2])
      #expect(
        found[pixel] == Float(0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)))
    }
  }

  /// Computes a running sum like the reference: its last bits depend on all previous values.
  private func box(_ row: ArraySlice<Float>, _ window: Int) -> [Float] {
    let row = Array(row)
    let lead = (window + 2) / 2 - 1
    var (sum, output) = (Float(0), [Float]())
    for right in 0..<row.count + lead {
      if right < row.count { sum += row[right] }
      if right >= window { sum -= row[right - window] }
      let count = min(right, row.count - 1) - max(right - window, -1)
      if right >= lead { output.append(sum / Float(count)) }
    }
    return output
  }

  @Test(
    arguments: Kernels.supported,
    [(5, 1), (64, 1), (129, 2), (348, 3), (513, 5), (66, 17), (31, 31)])
  func `rows side by side are rows one by one`(kernels: Kernels, size: (Int, Int)) {
    let (width, window) = size
    let lanes = Kernels.pdqLanes
    let rows = floats(lanes * width, 0...255, 2)
    let expected = (0..<lanes).map { box(rows[$0 * width..<($0 + 1) * width], window) }
    var whole = rows
    kernels.pdqBoxRows(&whole, width: width, window: window)
    #expect(whole == expected.flatMap { $0 })
    let places = [0, width - 1, width / 2, width / 2]
    let columns = places.map { UInt32($0) }
    let some = kernels.pdqBoxRows(rows.span, width: width, window: window, columns: columns.span)
    #expect(some == expected.flatMap { row in places.map { row[$0] } })
  }

  @Test(arguments: Kernels.supported, [1, 15, 16, 100])
  func `a box slides down by a row`(kernels: Kernels, width: Int) {
    let (row, former) = (floats(width, 0...255, 3), floats(width, 0...255, 4))
    let before = floats(width, 0...2000, 5)
    var (oldest, sums, output) = (former, before, [Float](repeating: .nan, count: width))
    kernels.pdqBoxColumns(
      row.span, window: 7, oldest: &oldest, at: 0, sums: &sums, output: &output, at: 0)
    let expected = (0..<width).map { before[$0] + row[$0] - former[$0] }
    #expect(sums == expected && oldest == row && output == expected.map { $0 / 7 })
  }

  @Test(arguments: Kernels.supported)
  func `steps of a plane are whole hundredths`(kernels: Kernels) {
    let plane = floats(64 * 64, 0...255, 6)
    func step(_ a: Float, _ b: Float) -> Int { abs(Int((a - b) * 100 / 255)) }
    var expected = 0
    for y in 0..<64 {
      for x in 0..<64 {
        if y < 63 { expected += step(plane[64 * y + x], plane[64 * y + 64 + x]) }
        if x < 63 { expected += step(plane[64 * y + x], plane[64 * y + x + 1]) }
      }
    }
    #expect(kernels.pdqSteps(plane.span) == expected)
  }

  @Test(arguments: Kernels.supported)
  func `terms are sums in the order of their index`(kernels: Kernels) {
    let (plane, cosines) = (floats(64 * 64, 0...255, 22), floats(16 * 64, -1...1, 23))
    var half = [Float](repeating: 0, count: 16 * 64)
    for i in 0..<16 {
      for k in 0..<64 {
        for j in 0..<64 { half[64 * i + j] += cosines[64 * i + k] * plane[64 * k + j] }
      }
    }
    var terms = [Float](repeating: 0, count: 16 * 16)
    for i in 0..<16 {
      for j in 0..<16 {
        for k in 0..<64 { terms[16 * i + j] += half[64 * i + k] * cosines[64 * j + k] }
      }
    }
    #expect(kernels.pdqTerms(plane.span, cosines: cosines.span) == terms)
  }

  // MARK: Reduction

  @Test(arguments: Kernels.supported, [1, 4, 63, 1000])
  func `a row is added by its share`(kernels: Kernels, count: Int) {
    let row = bytes(count, 7)
    var sums = (0..<count).map { UInt32($0) }
    kernels.areaAdd(row.span, times: 1000, to: &sums)
    #expect(sums == (0..<count).map { UInt32($0) + 1000 * UInt32(row[$0]) })
    kernels.areaAdd(row.span, times: 7, to: &sums, isFirst: true)
    #expect(sums == row.map { 7 * UInt32($0) })
  }

  /// Sums as large as those of the widest and highest possible images, and of the largest whose sums have 32 bits.
  @Test(
    arguments: Kernels.supported,
    [(10, 10, 100), (7, 3, 1), (12, 5, 1 << 20), (3, 1, 255), (802, 300, 10500), (802, 7, 10501)])
  func `a row of the result is rounded to the nearest`(kernels: Kernels, size: (Int, Int, Int)) {
    let (source, width, height) = size
    var generator = SeededGenerator(seed: 8)
    let sums = (0..<4 * source).map { _ in
      UInt32.random(in: 0...UInt32(255 * height), using: &generator)
    }
    let area = source * height
    var found = [UInt8](repeating: 0, count: 4 * width)
    let cuts = AreaCuts(sourceWidth: source, width: width)
    kernels.areaFinish(sums, cuts, area: area, into: &found, at: 0)
    for column in 0..<width {
      for channel in 0..<4 {
        // Units of 1 / width of a source pixel.
        var sum = 0
        for unit in column * source..<(column + 1) * source {
          sum += Int(sums[unit / width * 4 + channel])
        }
        #expect(Int(found[4 * column + channel]) == (sum + area / 2) / area)
      }
    }
  }

  // MARK: Colors

  @Test(arguments: Kernels.supported, [1, 63, 64, 65, 200])
  func `colors are those of one lane`(kernels: Kernels, count: Int) {
    let rgba = bytes(4 * count, 9) + [0, 0, 0, 0, 255, 255, 255, 255]
    let linear = OklabPicture.linear
    func root(_ number: Float) -> Float {
      let x = max(1e-20, number)
      let root = Float(bitPattern: x.bitPattern / 3 + 709_921_077)
      let cube = root * root * root
      return root * (cube + x + x) / (cube + cube + x)
    }
    var found: [SIMD3<Float>] = []
    kernels.appendOklab(of: rgba.span, linear: linear.span, to: &found)
    #expect(found.count == count + 2)
    for pixel in 0..<count + 2 {
      let (r, g, b) = (
        linear[Int(rgba[4 * pixel])], linear[Int(rgba[4 * pixel + 1])],
        linear[Int(rgba[4 * pixel + 2])]
      )
      let l = root(0.412_221_47 * r + 0.536_332_55 * g + 0.051_445_995 * b)
      let m = root(0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b)
      let s = root(0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b)
      #expect(found[pixel][0] == 0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s)
      #expect(found[pixel][1] == 1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s)
      #expect(found[pixel][2] == 0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s)
    }
  }

  /// Distributes a weight over the eight bins around a position on three axes.
  private func share(
    _ weight: Float, _ place: [Float], _ counts: [Int], _ strides: [Int], _ bins: inout [Float]
  ) {
    let lower = zip(place, counts).map { min(Int($0), $1 - 2) }
    let upper = zip(place, lower).map { $0 - Float($1) }
    for corner in 0..<8 {
      let ends = [corner >> 2 & 1, corner >> 1 & 1, corner & 1]
      let bin = (0..<3).reduce(0) { $0 + (lower[$1] + ends[$1]) * strides[$1] }
      var part = weight
      for axis in 0..<3 { part *= ends[axis] == 1 ? upper[axis] : 1 - upper[axis] }
      bins[bin] += part
    }
  }

  @Test(arguments: Kernels.supported, [1, 64, 65, 300])
  func `a color is shared among the bins around it`(kernels: Kernels, count: Int) {
    let (pixels, weights) = (colors(count, 10), floats(count, 0.01...1, 11))
    var expected = [Float](repeating: 0, count: 192)
    func root(_ chroma: Float) -> Float {
      let root = min(1, abs(chroma) / 0.25).squareRoot()
      return ((chroma < 0 ? -root : root) + 1) / 2 * 7
    }
    for pixel in 0..<count {
      let light = max(0, min(2, pixels[pixel][0] * 3 - 0.5))
      share(
        weights[pixel], [light, root(pixels[pixel][1]), root(pixels[pixel][2])], [3, 8, 8],
        [64, 8, 1], &expected)
    }
    let found = kernels.colorBins(pixels.span, weights: weights.span)
    #expect(found.bins == expected && found.total == weights.reduce(0, +))
  }

  @Test(arguments: Kernels.supported, [(1, 1), (7, 3), (64, 2), (35, 40)])
  func `a pixel weighs more near the center and off the ground`(
    kernels: Kernels, size: (Int, Int)
  ) {
    let (width, height) = size
    let pixels = colors(width * height, 17)
    let (across, down) = (floats(width, 0...0.25, 18), floats(height, 0...0.25, 19))
    for ground in [nil, pixels[0]] {
      let expected = pixels.indices.map { index in
        let difference = pixels[index] - (ground ?? pixels[index])
        let squares =
          difference[0] * difference[0] + difference[1] * difference[1]
          + difference[2] * difference[2]
        let share = ground == nil ? 1 : max(0.03, min(1, (squares.squareRoot() - 0.03) / 0.05))
        let falloff = 1 + 5 * (down[index / width] + across[index % width])
        return share / (falloff * falloff * falloff)
      }
      #expect(
        kernels.colorWeights(pixels.span, across: across, down: down, ground: ground) == expected)
    }
  }

  @Test(
    arguments: Kernels.supported,
    [(1, 1, 1), (1, 40, 1), (40, 1, 1), (128, 128, 3), (131, 9, 3), (2, 2, 5)])
  func `steps go right and down from every other pixel`(kernels: Kernels, size: (Int, Int, Int)) {
    let (width, height, reach) = size
    let (pixels, weights) = (colors(width * height, 12), floats(width * height, 0.01...1, 13))
    var expected = [Float](repeating: 0, count: 64)
    var total: Float = 0
    for y in 0..<height {
      for x in stride(from: y & 1, to: width, by: 2) {
        for (u, v) in [(x + reach, y), (x, y + reach)] where u < width && v < height {
          let difference = pixels[v * width + u] - pixels[y * width + x]
          let place = (0..<3).map { axis in
            min(3, (axis == 0 ? 4.8 : 8) * abs(difference[axis]).squareRoot())
          }
          share(weights[y * width + x], place, [4, 4, 4], [16, 4, 1], &expected)
          total += weights[y * width + x]
        }
      }
    }
    let found = kernels.stepBins(
      pixels.span, weights: weights.span, width: width, height: height, reach: reach)
    #expect(found.bins == expected && found.total == total)
  }

  // MARK: Checksums and ranks

  @Test(arguments: [0, 1, 7, 8, 9, 100])
  func `a checksum is FNV-1a of words`(count: Int) {
    let bytes = bytes(count, 20)
    var expected: UInt64 = 5
    for start in stride(from: 0, to: count, by: 8) {
      var word: UInt64 = 0
      for (place, byte) in bytes[start..<min(start + 8, count)].enumerated() {
        word |= UInt64(byte) << UInt64(8 * place)
      }
      expected = (expected ^ word) &* 0x100_0000_01b3
    }
    #expect(Kernels.checksum(bytes.span, after: 5) == expected)
  }

  /// The vectors are those of xxHash 0.8.
  @Test(
    arguments: [
      ("", 0xef46_db37_51d8_e999), ("a", 0xd24e_c4f1_a98c_6e5b), ("abc", 0x44bc_2cf5_ad77_0999),
    ] as [(String, UInt64)])
  func `a seal is XXH64`(text: String, expected: UInt64) {
    #expect(Kernels.seal(of: Array(text.utf8).span) == expected)
  }

  @Test(arguments: [0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 64, 100, 4096])
  func `a seal is that of the plain code`(count: Int) {
    let bytes = bytes(count, 23)
    for seed in [0, 1, .max] as [UInt64] {
      #expect(Kernels.seal(of: bytes.span, seed: seed) == Self.seal(of: bytes, seed: seed))
    }
  }

  /// XXH64 as its specification describes it.
  private static func seal(of bytes: [UInt8], seed: UInt64) -> UInt64 {
    let (p1, p2, p3, p4, p5): (UInt64, UInt64, UInt64, UInt64, UInt64) = (
      11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 1_609_587_929_392_839_161,
      9_650_029_242_287_828_579, 2_870_177_450_012_600_261
    )
    func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
      value << bits | value >> (64 - bits)
    }
    func number(_ place: Int, _ width: Int) -> UInt64 {
      (0..<width).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
    }
    func round(_ lane: UInt64, _ word: UInt64) -> UInt64 { rotated(lane &+ word &* p2, 31) &* p1 }
    var place = 0
    var value = seed &+ p5
    if bytes.count >= 32 {
      var lanes = [seed &+ p1 &+ p2, seed &+ p2, seed, seed &- p1]
      while place + 32 <= bytes.count {
        for lane in 0..<4 { lanes[lane] = round(lanes[lane], number(place + 8 * lane, 8)) }
        place += 32
      }
      value = zip(lanes, [1, 7, 12, 18] as [UInt64]).reduce(0) { $0 &+ rotated($1.0, $1.1) }
      for lane in lanes { value = (value ^ round(0, lane)) &* p1 &+ p4 }
    }
    value &+= UInt64(bytes.count)
    while place + 8 <= bytes.count {
      value = rotated(value ^ round(0, number(place, 8)), 27) &* p1 &+ p4
      place += 8
    }
    if place + 4 <= bytes.count {
      value = rotated(value ^ number(place, 4) &* p1, 23) &* p2 &+ p3
      place += 4
    }
    while place < bytes.count {
      value = rotated(value ^ number(place, 1) &* p5, 11) &* p1
      place += 1
    }
    value = (value ^ value >> 33) &* p2
    value = (value ^ value >> 29) &* p3
    return value ^ value >> 32
  }

  @Test(arguments: [1, 2, 3, 10, 257], [1, 4, 1000])
  func `the element of a rank is that of the sorted array`(count: Int, values: Int) {
    let numbers = bytes(count, 21).map { Float(Int($0) % values) }
    let sorted = numbers.sorted()
    for rank in numbers.indices { #expect(element(ofRank: rank, in: numbers) == sorted[rank]) }
  }
}
