/// The keypoints of a query in its whole form, at most 8324 bytes. Little-endian.
///
/// | bytes | what |
/// |---|---|
/// | 2 | number of keypoints |
/// | 2 | width of the image that the finer keypoints come from; 0 if there are none |
/// | 4 × keypoints | column and row on its level (bits 0...9 and 10...19), level (20...22), 1 if finer (23), angle (24...31) |
/// | 12 × keypoints | hash of each |
/// | 4 × keypoints | the ``Kernels/knownDoubts`` least certain bits of each hash, five bits each |
extension QueryKeypoints {
  static let encodedByteLimit = 4 + 20 * (limit + fineLimit)

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(points.count))
    bytes.append(littleEndian: UInt16(fineWidth))
    for point in points {
      let place = UInt32(point.column) | UInt32(point.row) << 10
      let level = UInt32(point.level) << 20 | (point.isFine ? 1 << 23 : 0)
      bytes.append(littleEndian: place | level | UInt32(point.angle) << 24)
    }
    let (hashes, doubts) = (views[0].hashes, views[0].doubts)
    for hash in hashes {
      for word in 0..<3 { bytes.append(littleEndian: hash.words[word]) }
    }
    for start in stride(from: 0, to: doubts.count, by: Kernels.knownDoubts) {
      bytes.append(
        littleEndian: (0..<Kernels.knownDoubts).reduce(UInt32(0)) {
          $0 | UInt32(doubts[start + $1]) << UInt32(5 * $1)
        })
    }
    return bytes
  }

  /// Reads the keypoints of a working image.
  init(_ reader: inout SignatureReader, size: SIMD2<Int>) throws(SignatureError) {
    let count = Int(try reader.number(UInt16.self))
    let fineWidth = Int(try reader.number(UInt16.self))
    guard count <= Self.limit + Self.fineLimit,
      fineWidth == 0 || (size.x...QuerySignature.workingSide).contains(fineWidth)
    else {
      throw SignatureError(
        code: .corrupt, message: "\(count) keypoints of an image \(fineWidth) pixels wide")
    }
    var points: [Point] = []
    for _ in 0..<count {
      let bits = try reader.number(UInt32.self)
      points.append(try Point(encoded: bits, fineWidth: fineWidth, size: size))
    }
    guard points.drop(while: { !$0.isFine }).allSatisfy(\.isFine) else {
      throw SignatureError(code: .corrupt, message: "a finer keypoint comes before others")
    }
    var hashes: [KeypointHash] = []
    for _ in 0..<count {
      var words = SIMD3<UInt32>.zero
      for word in 0..<3 { words[word] = try reader.number(UInt32.self) }
      hashes.append(KeypointHash(words: words))
    }
    var doubts: [UInt8] = []
    for _ in 0..<count {
      let bits = try reader.number(UInt32.self)
      let found = (0..<Kernels.knownDoubts).map { UInt8(bits >> UInt32(5 * $0) & 31) }
      guard found.allSatisfy({ $0 < VisualWord.bitLimit }), bits >> 30 == 0 else {
        throw SignatureError(code: .corrupt, message: "a doubtful bit lies outside a visual word")
      }
      doubts += found
    }
    self.init(points: points, hashes: hashes, doubts: doubts, fineWidth: fineWidth)
  }
}

extension QueryKeypoints.Point {
  fileprivate init(encoded bits: UInt32, fineWidth: Int, size: SIMD2<Int>) throws(SignatureError) {
    let level = Int(bits >> 20 & 7)
    let isFine = bits >> 23 & 1 == 1
    guard level < LumaPyramid.reductions.count, !isFine || fineWidth > 0 else {
      throw SignatureError(code: .corrupt, message: "a keypoint's level is \(level)")
    }
    self.init(
      column: UInt16(bits & 1023), row: UInt16(bits >> 10 & 1023), level: UInt8(level),
      angle: UInt8(bits >> 24), isFine: isFine,
      ratio: isFine ? Double(fineWidth) / Double(size.x) : 1)
    guard x < Float(size.x), y < Float(size.y) else {
      throw SignatureError(code: .corrupt, message: "a keypoint lies outside its image")
    }
  }
}
