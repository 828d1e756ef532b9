import TestSupport
import Testing
@testable import PixelMatch

@Suite struct SegmentEqualityTests {
  /// Would break if products with different images were taken for sizes of one product, or the same image in two segments for two.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `stored images are the same if and only if their signatures are equal`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (a, b) = (
      Signature.random(using: &generator), Signature.random(using: &generator)
    )
    // Each of the seven parts is that of the one or of the other.
    var all = (0..<128).map { bits in
      func part<Value>(_ bit: Int, _ path: KeyPath<Signature, Value>) -> Value {
        (bits >> bit & 1 == 0 ? a : b)[keyPath: path]
      }
      return Signature(
        width: part(0, \.width), height: part(0, \.height), pdq: part(1, \.pdq),
        pdqQuality: part(2, \.pdqQuality), color: part(3, \.color), layout: part(4, \.layout),
        texture: part(5, \.texture), keypoints: part(6, \.keypoints))
    }
    all.append(a)
    let without = all
    // An embedding does not make another image.
    all[all.count - 1].embedding = .random(using: &generator)
    var (first, second) = (SegmentWriter(), SegmentWriter())
    for (row, signature) in all.enumerated() {
      first.append(signature, key: UInt32(row))
      second.append(all[all.count - 1 - row], key: UInt32(row))
    }
    let segments = try [
      SignatureSegment(bytes: first.encoded()), SignatureSegment(bytes: second.encoded()),
    ]
    for row in all.indices {
      for other in all.indices {
        let isSame = without[row] == without[other]
        for (segment, place) in [(segments[0], other), (segments[1], all.count - 1 - other)] {
          #expect(segments[0].hasSamePicture(at: row, as: segment, at: place) == isSame)
          if isSame {
            #expect(segments[0].pictureHash(at: row) == segment.pictureHash(at: place))
          }
        }
      }
    }
  }
}
