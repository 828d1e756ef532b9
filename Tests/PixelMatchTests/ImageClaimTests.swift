import Testing
@testable import PixelMatch

@Suite struct ImageClaimTests {
  @Test func `an overlap is a share of the smaller claim`() {
    let all = ImageClaim(ImageBox(x: 0, y: 0, width: 1, height: 1))
    let half = ImageClaim(ImageBox(x: 0, y: 0, width: 0.5, height: 1))
    let other = ImageClaim(ImageBox(x: 0.5, y: 0, width: 0.5, height: 1))
    #expect(all.count == 256 && half.count == 128)
    #expect(all.overlap(with: half) == 1 && half.overlap(with: other) == 0)
    // A claim on nothing is not known to be elsewhere.
    #expect(all.overlap(with: ImageClaim()) == 1)
  }

  /// Would break if a place at the edge fell out of the grid.
  @Test(arguments: [-0.1, 0, 0.999, 1, 1.2])
  func `every place has a cell`(share: Double) {
    var claim = ImageClaim()
    claim.insert(x: share, y: share)
    #expect(claim.count == 1)
  }

  /// Would break if a claim were not filled between its cells, or beyond them.
  @Test func `a filled claim has what lies between its cells`() {
    var corners = ImageClaim()
    for (x, y) in [(0.3, 0.3), (0.7, 0.3), (0.3, 0.7), (0.7, 0.7)] { corners.insert(x: x, y: y) }
    #expect(corners.count == 4)
    #expect(corners.filled == ImageClaim(ImageBox(x: 0.25, y: 0.25, width: 0.5, height: 0.5)))
    #expect(ImageClaim().filled == ImageClaim())
  }

  @Test func `a claim of a part is one of the whole`() {
    let part = ImageBox(x: 0.5, y: 0.25, width: 0.5, height: 0.5)
    let placed = ImageClaim(ImageBox(x: 0, y: 0, width: 1, height: 1)).placed(in: part)
    #expect(placed == ImageClaim(part))
    #expect(placed.count(in: part) == 64)
    #expect(placed.count(in: ImageBox(x: 0, y: 0, width: 0.5, height: 1)) == 0)
  }
}
