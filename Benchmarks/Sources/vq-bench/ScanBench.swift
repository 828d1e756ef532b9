import Foundation
import PixelMatch

/// The exact top 8 among many random codes, queried over standard input.
struct ScanBench {
  private let scan: FlatScan
  private let queries: [PDQHash]

  init(codes: Int, path: String) throws {
    var generator = SplitMix(state: 20_261_120)
    func hash() -> PDQHash {
      PDQHash(
        words: SIMD4(generator.next(), generator.next(), generator.next(), generator.next()))
    }
    let color = ColorHistogram(bins: [UInt8](repeating: 9, count: ColorHistogram.binCount))
    let layout = ColorLayout(bytes: [UInt8](repeating: 9, count: ColorLayout.byteCount))
    let texture = TextureHistogram(
      bins: [UInt8](repeating: 0, count: TextureHistogram.binCount))
    var segments: [LiveSegment] = []
    var file = Data()
    for start in stride(from: 0, to: codes, by: 1 << 17) {
      var writer = SegmentWriter()
      for row in start..<min(start + 1 << 17, codes) {
        let code = hash()
        for word in 0..<4 { withUnsafeBytes(of: code.words[word]) { file.append(contentsOf: $0) } }
        writer.append(
          Signature(
            width: 1, height: 1, pdq: code, pdqQuality: 100, color: color, layout: layout,
            texture: texture, keypoints: .empty),
          key: UInt32(row))
      }
      segments.append(LiveSegment(try SignatureSegment(bytes: writer.encoded())))
    }
    queries = (0..<100).map { _ in hash() }
    for query in queries {
      for word in 0..<4 { withUnsafeBytes(of: query.words[word]) { file.append(contentsOf: $0) } }
    }
    try file.write(to: URL(fileURLWithPath: path))
    scan = FlatScan(segments)
  }

  /// Answers a line `single` with the milliseconds of one scan per query, and with the sum of each
  /// query's eight distances, which the peer must find too. Answers `batch` with the milliseconds
  /// of one scan for sixteen codes at once.
  func serve() throws {
    print("ready")
    fflush(nil)
    while let line = readLine() {
      if line == "single" {
        var sums: [Int] = []
        let elapsed = milliseconds {
          sums = queries.map { query in
            scan.nearest(to: .hashes([query]), limit: 8).top.sorted.reduce(0) { $0 + $1.distance }
          }
        }
        print(elapsed / Double(queries.count), sums.map(String.init).joined(separator: ","))
      } else {
        var sum = 0
        let elapsed = milliseconds {
          for start in stride(from: 0, to: 96, by: 16) {
            let codes = Array(queries[start..<start + 16])
            sum += scan.nearest(to: .hashes(codes), limit: 8).top.sorted[0].distance
          }
        }
        print(elapsed / 6, sum)
      }
      fflush(nil)
    }
  }
}

/// The generator of Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014.
struct SplitMix {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
