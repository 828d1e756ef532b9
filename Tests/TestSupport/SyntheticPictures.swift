public import PixelMatch

/// Pictures that tests draw themselves, only by integer arithmetic.
public enum SyntheticPicture {
  /// Bands, gradients and blocks; the formula of `Conformance/make_pdq_vectors.py`.
  public static func pattern(width: Int, height: Int, seed: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * width * height)
    for y in 0..<height {
      for x in 0..<width {
        let (u, v) = (x * 256 / width, y * 256 / height)
        let inBlock = (u / 32 + v / 48 + seed) % 3 == 0
        bytes.append(UInt8((u * (seed + 1) + v * v / 64) & 255))
        bytes.append(UInt8((u * u + v * v * seed) / 128 & 255))
        bytes.append(UInt8(inBlock ? 230 : (u ^ v) & 127))
        bytes.append(255)
      }
    }
    return bytes
  }

  /// A drawn graphic of flat areas, whose formula `make_drawn_pdq_vectors.py` repeats.
  public enum Drawing: String, CaseIterable, Sendable {
    case disc, frame, checker, triangle, grid, ramp
  }

  /// A square drawing, four bytes a pixel.
  public static func drawing(_ drawing: Drawing, side: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * side * side)
    for y in 0..<side {
      for x in 0..<side { bytes += color(drawing, x, y, side).map(UInt8.init) + [255] }
    }
    return bytes
  }

  private static func color(_ drawing: Drawing, _ x: Int, _ y: Int, _ side: Int) -> [Int] {
    let (u, v) = (2 * x - side + 1, 2 * y - side + 1)
    let isInside: Bool
    switch drawing {
    case .disc: isInside = 4 * (u * u + v * v) < side * side
    case .frame: isInside = max(abs(u), abs(v)) * 4 > 3 * side
    case .checker: isInside = (x * 8 / side + y * 8 / side).isMultiple(of: 2)
    case .triangle: isInside = 2 * abs(u) < side + v
    case .grid: return [x * 4 / side * 85, y * 4 / side * 85, 128]
    case .ramp: return [x * 255 / side, y * 255 / side, 255 - (x + y) * 127 / side]
    }
    return isInside ? [200, 30, 41] : [13, 94, 201]
  }

  /// A picture of a few soft discs of random color on a random ground: smooth, like a photo.
  public static func discs(
    width: Int, height: Int, count: Int = 8, using generator: inout SeededGenerator
  ) -> [UInt8] {
    struct Disc {
      let x, y, radius: Int
      let color: [Int]
    }
    func byte() -> Int { Int.random(in: 0...255, using: &generator) }
    let ground = [byte(), byte(), byte()]
    let discs = (0..<count).map { _ in
      Disc(
        x: .random(in: 0..<width, using: &generator),
        y: .random(in: 0..<height, using: &generator),
        radius: .random(in: max(2, width / 10)...max(3, width / 3), using: &generator),
        color: [byte(), byte(), byte()])
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * width * height)
    for y in 0..<height {
      for x in 0..<width {
        var color = ground
        for disc in discs {
          let (dx, dy) = (x - disc.x, y - disc.y)
          let share = 256 - 256 * (dx * dx + dy * dy) / (disc.radius * disc.radius)
          if share > 0 {
            for channel in 0..<3 {
              color[channel] += (disc.color[channel] - color[channel]) * share / 256
            }
          }
        }
        bytes += color.map { UInt8($0) }
        bytes.append(255)
      }
    }
    return bytes
  }
}

extension SeededGenerator {
  fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next()) }
}

extension PDQHash {
  /// A hash of 256 random bits.
  public static func random(using generator: inout SeededGenerator) -> PDQHash {
    PDQHash(
      words: SIMD4(generator.next(), generator.next(), generator.next(), generator.next()))
  }
}

extension Signature {
  /// A signature of random numbers: valid, of no picture.
  ///
  /// - Parameter hasKeypoints: True if it may have keypoints, which take most of the time.
  public static func random(
    using generator: inout SeededGenerator, hasKeypoints: Bool = true
  ) -> Signature {
    func bytes(_ count: Int, upTo most: UInt8) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...most, using: &generator) }
    }
    return Signature(
      width: .random(in: 1...512, using: &generator),
      height: .random(in: 1...512, using: &generator), pdq: .random(using: &generator),
      pdqQuality: .random(in: 0...100, using: &generator),
      color: ColorHistogram(bins: bytes(ColorHistogram.binCount, upTo: 60)),
      layout: ColorLayout(bytes: bytes(ColorLayout.byteCount, upTo: 255)),
      texture: TextureHistogram(bins: bytes(TextureHistogram.binCount, upTo: 120)),
      keypoints: hasKeypoints ? .random(using: &generator) : .empty)
  }
}

extension KeypointSet {
  /// As many random keypoints as a signature may hold.
  package static func random(using generator: inout SeededGenerator) -> KeypointSet {
    let count = Int.random(in: 0...KeypointSet.limit, using: &generator)
    return KeypointSet(
      keypoints: (0..<count).map { index in
        Keypoint(
          x: .random(in: 0..<512, using: &generator), y: .random(in: 0..<512, using: &generator),
          level: UInt8(index * 6 / count), angle: .random(in: 0...255, using: &generator))
      },
      hashes: (0..<count).map { _ in
        KeypointHash(words: SIMD3(generator.next32(), generator.next32(), generator.next32()))
      })
  }
}

extension ImageEmbedding {
  /// Draws an embedding of one of two models and of one of three lengths, or none.
  public static func random(using generator: inout SeededGenerator) -> ImageEmbedding? {
    let count = [0, 12, 64, 600].randomElement(using: &generator)!
    let model = ["one", "two"].randomElement(using: &generator)!
    let vector = (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
    return try? ImageEmbedding(model: model, vector: vector)
  }
}
