import TestSupport
import Testing
@testable import PixelMatch

@Suite struct AlignedColorTests {
  private let same = PlaneTransform(matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1])

  private func residual(_ query: PixelBuffer, _ other: PixelBuffer) throws -> Double {
    let signature = Signature(other)
    return try #require(
      AlignedColor(QuerySignature(query)).residual(
        of: signature.layout, size: (Int(signature.width), Int(signature.height)), under: same))
  }

  private func changed(_ picture: PixelBuffer, _ change: (Int, UInt8) -> Int) throws -> PixelBuffer
  {
    var bytes = SyntheticPicture.rgba(picture)
    for index in bytes.indices where index % 4 < 3 {
      bytes[index] = UInt8(max(0, min(255, change(index % 4, bytes[index]))))
    }
    return try PixelBuffer(
      width: picture.width, height: picture.height, format: .rgba8, bytes: bytes)
  }

  @Test func `another light is the same color, another color is not`() throws {
    let picture = SyntheticPicture.scene(width: 300, height: 300, seed: 4)
    let warm = try changed(picture) { channel, value in Int(value) * [110, 100, 80][channel] / 100 }
    let dark = try changed(picture) { _, value in Int(value) * 7 / 10 }
    var bytes = SyntheticPicture.rgba(picture)
    for index in stride(from: 0, to: bytes.count, by: 4) { bytes.swapAt(index, index + 2) }
    let swapped = try PixelBuffer(width: 300, height: 300, format: .rgba8, bytes: bytes)
    let itself = try residual(picture, picture)
    let underWarm = try residual(warm, picture)
    let underDark = try residual(dark, picture)
    let other = try residual(swapped, picture)
    #expect(itself < 0.03)
    #expect(underWarm < other / 2 && underDark < other / 2)
  }
}
