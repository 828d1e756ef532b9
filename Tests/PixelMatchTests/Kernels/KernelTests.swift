import TestSupport
import Testing
@testable import PixelMatch

/// Every instruction set against the plain twin.
@Suite struct KernelTests {
  private func luma(_ width: Int, _ height: Int, _ seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  @Test(arguments: Kernels.supported, [1, 7, 64, 1001])
  func `luma is Rec. 601's of every pixel`(kernels: Kernels, count: Int) {
    let rgba = luma(4, count, 5)
    var found: [UInt8] = [7]
    kernels.appendLuma(of: rgba.span, to: &found)
    #expect(found.count == 1 + count && found.removeFirst() == 7)
    for pixel in 0..<count {
      let (red, green, blue) = (rgba[4 * pixel], rgba[4 * pixel + 1], rgba[4 * pixel + 2])
      let sum = 77 * Int(red) + 150 * Int(green) + 29 * Int(blue)
      #expect(Int(found[pixel]) == (sum + 128) / 256)
    }
  }

  @Test(arguments: Kernels.supported, [(2, 2), (24, 24), (33, 47), (100, 31), (1, 9)])
  func `half the size is the rounded mean of four pixels`(kernels: Kernels, size: (Int, Int)) {
    let (width, height) = size
    let pixels = luma(width, height, 6)
    let found = kernels.reducedBy2(pixels.span, width: width, height: height)
    #expect(found.count == (width / 2) * (height / 2))
    for (place, value) in found.enumerated() {
      let (x, y) = (2 * (place % (width / 2)), 2 * (place / (width / 2)))
      let sum = [(0, 0), (1, 0), (0, 1), (1, 1)].reduce(0) { sum, step in
        sum + Int(pixels[(y + step.1) * width + x + step.0])
      }
      #expect(Int(value) == (sum + 2) / 4)
    }
  }

  /// A pixel of the result covers one whole pixel, two halves and a quarter.
  @Test(arguments: Kernels.supported, [(3, 3), (24, 24), (33, 47), (100, 31), (2, 9)])
  func `two thirds of the size are means weighted by area`(kernels: Kernels, size: (Int, Int)) {
    let (width, height) = size
    let pixels = luma(width, height, 7)
    let columns = width / 3 * 2
    let found = kernels.reducedBy3To2(pixels.span, width: width, height: height)
    #expect(found.count == columns * (height / 3 * 2))
    /// Weights of three pixels in a row for the first and the second of two.
    let weights = [[2, 1, 0], [0, 1, 2]]
    for (place, value) in found.enumerated() {
      let (x, y) = (place % columns, place / columns)
      var sum = 0
      for dy in 0..<3 {
        for dx in 0..<3 {
          let pixel = pixels[(y / 2 * 3 + dy) * width + x / 2 * 3 + dx]
          sum += weights[y % 2][dy] * weights[x % 2][dx] * Int(pixel)
        }
      }
      #expect(Int(value) == (sum + 4) / 9)
    }
  }

  @Test(arguments: Kernels.supported, [(1, 1), (15, 3), (16, 16), (24, 24), (33, 47), (100, 31)])
  func `box sums are those of 25 pixels`(kernels: Kernels, size: (Int, Int)) {
    let (width, height) = size
    let pixels = luma(width, height, 1)
    let sums = kernels.boxSums(pixels.span, width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        var expected = 0
        for dy in -2...2 {
          for dx in -2...2 {
            let (column, row) = (max(0, min(width - 1, x + dx)), max(0, min(height - 1, y + dy)))
            expected += Int(pixels[row * width + column])
          }
        }
        #expect(Int(sums[y * width + x]) == expected)
      }
    }
  }

  /// The definition in plain code: twice the smaller eigenvalue of the gradient's second moments,
  /// and larger than those of all neighbors.
  @Test(arguments: Kernels.supported, [(24, 24), (90, 70), (9, 40), (40, 9), (8, 8)])
  func `corners are where the smaller eigenvalue is largest`(kernels: Kernels, size: (Int, Int)) {
    let (width, height) = size
    let pixels = luma(width, height, 3)
    func pixel(_ x: Int, _ y: Int) -> Int { Int(pixels[y * width + x]) }
    func gradient(_ x: Int, _ y: Int) -> (Int, Int) {
      let right = pixel(x + 1, y - 1) + 2 * pixel(x + 1, y) + pixel(x + 1, y + 1)
      let left = pixel(x - 1, y - 1) + 2 * pixel(x - 1, y) + pixel(x - 1, y + 1)
      let lower = pixel(x - 1, y + 1) + 2 * pixel(x, y + 1) + pixel(x + 1, y + 1)
      let upper = pixel(x - 1, y - 1) + 2 * pixel(x, y - 1) + pixel(x + 1, y - 1)
      return ((right - left) >> 2, (lower - upper) >> 2)
    }
    var expected = [Float](repeating: 0, count: width * height)
    for y in 4..<max(4, height - 4) {
      for x in 4..<max(4, width - 4) {
        var (xx, yy, xy) = (0, 0, 0)
        for v in y - 3...y + 3 {
          for u in x - 3...x + 3 {
            let (gx, gy) = gradient(u, v)
            (xx, yy, xy) = (xx + gx * gx, yy + gy * gy, xy + gx * gy)
          }
        }
        let difference = Float(xx) - Float(yy)
        let squares = difference * difference + 4 * Float(xy) * Float(xy)
        expected[y * width + x] = Float(xx) + Float(yy) - squares.squareRoot()
      }
    }
    let threshold: Float = 100
    let around = [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]
    let places = expected.indices.filter { place in
      expected[place] > threshold
        && around.allSatisfy { step in
          step < 0
            ? expected[place] > expected[place + step] : expected[place] >= expected[place + step]
        }
    }
    for limit in [1000, 3] {
      var found: [Int] = []
      var responses: [Float] = []
      kernels.forEachCorner(
        of: pixels.span, width: width, height: height, threshold: threshold, limit: limit
      ) { place, response in
        found.append(place)
        responses.append(response)
      }
      #expect(found == Array(places.prefix(limit)))
      #expect(responses == places.prefix(limit).map { expected[$0] })
    }
  }

  @Test(arguments: Kernels.supported, [1, 7, 8, 9, 184])
  func `the nearest codes are found`(kernels: Kernels, count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    func random() -> KeypointHash {
      KeypointHash(
        words: SIMD3(
          .random(in: 0...(.max), using: &generator), .random(in: 0...(.max), using: &generator),
          .random(in: 0...(.max), using: &generator)))
    }
    let codes = (0..<count).map { _ in random() }
    let queries = (0..<20).map { _ in random() } + [codes[count / 2]]
    var blocks = [UInt32](repeating: 0, count: (count + 7) / 8 * 24)
    for (index, code) in codes.enumerated() {
      for word in 0..<3 { blocks[index / 8 * 24 + 8 * word + index % 8] = code.words[word] }
    }
    let words = queries.flatMap { query in (0..<3).map { query.words[$0] } }
    let best = kernels.nearestCodes(to: words.span, in: blocks.span, count: count)
    #expect(best.count == queries.count)
    for (place, query) in queries.enumerated() {
      let distances = codes.map { $0.hammingDistance(to: query) }
      let nearest = distances.indices.min { distances[$0] < distances[$1] }!
      #expect(best[place] == UInt32(distances[nearest] << 16 | nearest))
    }
  }

  @Test(arguments: Kernels.supported)
  func `texture classes are counted as they are defined`(kernels: Kernels) {
    let (width, height) = (37, 29)
    let pixels = luma(width, height, 4).map { $0 / 8 }
    let counts = kernels.textureCounts(pixels.span, width: width, height: height)
    var expected = [UInt32](repeating: 0, count: 11)
    let around = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
    for y in 1..<height - 1 {
      for x in 1..<width - 1 {
        let centre = pixels[y * width + x]
        let values = around.map { pixels[(y + $0.1) * width + x + $0.0] }
        let bits = values.map { $0 >= centre }
        let changes = bits.indices.count { bits[$0] != bits[($0 + 1) % 8] }
        let span = max(values.max()!, centre) - min(values.min()!, centre)
        let pattern = changes <= 2 ? bits.count { $0 } : 9
        expected[span < 8 ? 10 : pattern] += 1
      }
    }
    #expect(counts == expected)
  }

  /// The definition in plain code, with pairs that agree, hardly agree and do not.
  @Test(arguments: Kernels.supported, [0, 1, 7, 8, 9, 200])
  func `agreeing correspondences are those within their tolerance`(kernels: Kernels, count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    let map = PlaneTransform(matrix: [0.75, -0.25, 40.5, 0.25, 0.75, 10.5, 1e-5, -2e-5, 1])
    let (scale, turn, factor) = (0.79, UInt8(250), 2.5)
    let pairs = (0..<count).map { _ in
      let from = SIMD2(
        Double.random(in: 0..<512, using: &random), Double.random(in: 0..<512, using: &random))
      let angle = Double.random(in: 0..<6.3, using: &random)
      let tolerance = Double.random(in: 3..<12, using: &random)
      let miss = Double.random(in: 2..<3, using: &random) * tolerance
      return Kernels.Correspondences.Pair(
        from: from,
        to: map(from.x, from.y) + miss * SIMD2((angle - 3) / 3.2, 1 - abs(angle - 3) / 3.2),
        scale: scale * Double.random(in: 0.5..<1.9, using: &random),
        turn: turn &+ UInt8.random(in: 0..<60, using: &random) &- 30, tolerance: tolerance)
    }
    var agreeing = [UInt8](repeating: 0, count: (count + 7) / 8)
    kernels.findAgreeing(
      Kernels.Correspondences(count: count) { pairs[$0] }, with: map.matrix, scale: scale,
      turn: turn, times: factor, into: &agreeing)
    for (index, pair) in pairs.enumerated() {
      let miss = map(pair.from.x, pair.from.y) - pair.to
      let limit = factor * pair.tolerance
      let ratio = pair.scale / scale
      let isNear = miss.x * miss.x + miss.y * miss.y <= limit * limit
      let isSimilar = ratio > 0.55 && ratio < 1.8
      let isTurned = abs(Int(Int8(bitPattern: pair.turn &- turn))) > 24
      let bit = agreeing[index / 8] >> UInt8(index % 8) & 1
      #expect((bit == 1) == (isNear && isSimilar && !isTurned))
    }
    let found = agreeing.reduce(0) { $0 + $1.nonzeroBitCount }
    #expect(found <= count)
    if count == 200 { #expect(found > 10 && found < 190) }
  }
}
