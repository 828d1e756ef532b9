import Foundation
import Testing
@testable import VisualQueryClient

@Suite struct ImageEmbeddingTests {
  /// Would break if a number were rounded to another than its nearest neighbor, or its sign were lost.
  @Test func `numbers become the nearest in half precision`() {
    for bits in UInt16.min...UInt16.max {
      let number = Float(Float16(bitPattern: bits))
      guard number.magnitude <= 1 else { continue }
      #expect(ImageEmbedding.half(of: number) == bits)
      for nudged in [number * 1.0002, number * 1.0004, number.nextUp] where nudged.magnitude <= 1 {
        #expect(ImageEmbedding.half(of: nudged) == Float16(nudged).bitPattern)
      }
    }
  }

  /// Would break if large or small outputs of a model left the range of half precision.
  @Test(arguments: [1, 1e-30, 1e30] as [Float])
  func `only the direction of a vector counts`(scale: Float) throws {
    let embedding = ImageEmbedding(model: "m", vector: [1, -2, 0.5].map { $0 * scale })
    let bytes = try #require(Data(base64Encoded: embedding.vector))
    #expect(Array(bytes) == [0x00, 0x38, 0x00, 0xBC, 0x00, 0x34])
  }
}
