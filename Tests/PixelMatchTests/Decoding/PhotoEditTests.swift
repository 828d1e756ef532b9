import PixelMatch
import TestSupport
import Testing

/// Edits that make a shop's image look like a photo.
@Suite struct PhotoEditTests {
  private static func picture(_ width: Int, _ height: Int) throws -> PixelBuffer {
    try PixelBuffer(
      width: width, height: height, format: .rgba8,
      bytes: SyntheticPicture.pattern(width: width, height: height, seed: 3))
  }

  @Test func `the same number gives the same edit, and another number another one`() throws {
    let picture = try Self.picture(700, 500)
    let edits = (0..<8).map { PhotoEdit(number: $0).applied(to: picture) }
    for number in 0..<8 {
      #expect(PhotoEdit(number: UInt64(number)).applied(to: picture).bytes == edits[number].bytes)
    }
    #expect(Set(edits.map { ContentHash.of($0.bytes) }).count == 8)
    #expect(Set(edits.map { max($0.width, $0.height) }) == [420, 640])
  }

  /// Would break if an edit were so strong that a thing is another one, or none at all.
  @Test func `an edited image is nearly the same`() throws {
    var generator = SeededGenerator(seed: 5)
    let picture = try PixelBuffer(
      width: 640, height: 640, format: .rgba8,
      bytes: SyntheticPicture.discs(width: 640, height: 640, using: &generator))
    let red = Self.means(picture)
    for number in 0..<24 {
      let edited = PhotoEdit(number: UInt64(number)).applied(to: picture)
      #expect(edited.bytes != picture.bytes)
      for (mean, other) in zip(red, Self.means(edited)) {
        #expect(abs(mean - other) < 40, "\(number)")
      }
    }
  }

  /// The mean red of each quarter of a picture.
  private static func means(_ picture: PixelBuffer) -> [Int] {
    let (width, height) = (picture.width / 2, picture.height / 2)
    return [(0, 0), (1, 0), (0, 1), (1, 1)].map { x, y in
      let part = picture.cropped(
        x: x * width..<(x + 1) * width, y: y * height..<(y + 1) * height)
      return Int(part.reduced(toLongerSide: 1).bytes[0])
    }
  }

  @Test(arguments: [(1, 1), (1, 40), (3, 2), (2000, 3), (17, 16)])
  func `images of any size can be edited`(width: Int, height: Int) throws {
    let picture = try Self.picture(width, height)
    for number in 0..<6 {
      let edited = PhotoEdit(number: UInt64(number)).applied(to: picture)
      #expect(edited.width > 0 && edited.height > 0 && max(edited.width, edited.height) <= 640)
    }
  }
}
