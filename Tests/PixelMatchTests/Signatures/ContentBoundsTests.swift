import TestSupport
import Testing
@testable import PixelMatch

@Suite struct ContentBoundsTests {
  @Test(arguments: [(60, 0), (0, 80), (40, 70)])
  func `bars around a picture are found`(bars: (Int, Int)) throws {
    let scene = SyntheticPicture.scene(width: 300, height: 300, seed: 7)
    let (width, height) = (300 + 2 * bars.0, 300 + 2 * bars.1)
    let boxed = SyntheticPicture.warped(scene, width: width, height: height) { x, y in
      SIMD2(x - Double(bars.0), y - Double(bars.1))
    }
    let views = QuerySignature(boxed).views
    try #require(views.count == 2)
    #expect(abs(views[1].origin.x - bars.0) <= 6 && abs(views[1].origin.y - bars.1) <= 6)
    #expect(abs(views[1].size.x - 300) <= 12 && abs(views[1].size.y - 300) <= 12)
    let distance = views[1].variants[0].hammingDistance(to: Signature(scene).pdq)
    #expect(distance < 40)
  }

  /// Found by fuzzing: the server rejected a signature that it had made itself.
  @Test(arguments: [(45, 270), (1000, 129), (37, 223), (301, 75)])
  func `a view lies within its picture, so that its compact form can be read`(size: (Int, Int))
    throws
  {
    let (width, height) = size
    let bar = width / 10
    let scene = SyntheticPicture.scene(width: width - 2 * bar, height: height, seed: 7)
    let boxed = SyntheticPicture.warped(scene, width: width, height: height) { x, y in
      SIMD2(x - Double(bar), y)
    }
    let query = QuerySignature(boxed)
    try #require(query.views.count == 2)
    let view = query.views[1]
    #expect(view.origin.x + view.size.x <= query.size.x)
    #expect(view.origin.y + view.size.y <= query.size.y)
    #expect(try QuerySignature(encoded: query.compactBytes).views.count == 2)
  }

  @Test func `a picture that fills its frame has one view`() {
    #expect(
      QuerySignature(SyntheticPicture.scene(width: 300, height: 300, seed: 7)).views.count == 1)
  }
}
