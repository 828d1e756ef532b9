import TestSupport
import Testing
@testable import PixelMatch

@Suite struct PageLayoutTests {
  /// Noisy boxes on a plain page of 400 × 300 pixels, or of another size.
  ///
  /// - Parameter noise: By how much every fifth pixel of the page is darker.
  private func page(
    _ boxes: [(x: Range<Int>, y: Range<Int>)], seed: UInt64,
    size: (width: Int, height: Int) = (400, 300), noise: UInt8 = 0
  ) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: seed)
    var bytes = (0..<size.width * size.height).flatMap { place in
      [UInt8](repeating: place % 5 == 2 ? 250 - noise : 250, count: 4)
    }
    for box in boxes {
      for y in box.y {
        for x in box.x {
          for channel in 0..<3 {
            bytes[4 * (size.width * y + x) + channel] = .random(in: 0...255, using: &generator)
          }
        }
      }
    }
    return try PixelBuffer(
      width: size.width, height: size.height, format: .rgba8, bytes: bytes)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `the cells of a page are found, the largest first`(seed: UInt64) throws {
    let boxes = [(20..<180, 10..<140), (200..<390, 10..<140), (20..<120, 160..<290)]
    let cells = try cells(of: page(boxes.map { ($0.0, $0.1) }, seed: seed))
    let found = cells.map {
      [$0.x * 400, $0.y * 300, $0.width * 400, $0.height * 300].map { $0.rounded() }
    }
    #expect(found == [[200, 10, 190, 130], [20, 10, 160, 130], [20, 160, 100, 130]])
  }

  /// Would break if gutters of three pixels were lost: in a page that is reduced to half of its size, every line of
  /// them would be mixed with the images beside it, and compression leaves traces of these within them.
  @Test(arguments: [(1000, 14), (1200, 14), (1280, 0)] as [(Int, UInt8)])
  func `images that nearly touch are cells of their own`(width: Int, noise: UInt8) throws {
    let height = width * 3 / 4
    let (left, top) = (20..<width / 2 - 2, 30..<height / 2 - 2)
    let (right, bottom) = (width / 2 + 1..<width - 20, height / 2 + 1..<height - 30)
    let boxes = [(left, top), (right, top), (left, bottom), (right, bottom)]
    let page = try page(boxes, seed: 3, size: (width, height), noise: noise)
    let cells = try cells(of: page)
    #expect(cells.count == 4)
    for (x, y) in boxes {
      // Half of the margins, which are noisy, may belong to a cell.
      #expect(
        cells.contains {
          let (left, right) = ($0.x * Double(width), ($0.x + $0.width) * Double(width))
          let (top, bottom) = ($0.y * Double(height), ($0.y + $0.height) * Double(height))
          return -16...2 ~= left - Double(x.lowerBound) && -2...16 ~= right - Double(x.upperBound)
            && -16...2 ~= top - Double(y.lowerBound) && -2...16 ~= bottom - Double(y.upperBound)
        }, "\(x), \(y)")
    }
  }

  /// Would break if a cell took the whole of a noisy gutter, or a line of text became a cell with it.
  @Test func `a caption in a noisy gutter is no cell`() throws {
    let page = try page(
      [(100..<500, 50..<200), (100..<500, 322..<328), (150..<450, 450..<550)], seed: 4,
      size: (600, 600), noise: 14)
    let cells = try cells(of: page).map { [$0.y * 600, ($0.y + $0.height) * 600] }
    try #require(cells.count == 2)
    #expect(cells[0][1] <= 262 && cells[1][0] >= 388)
  }

  /// Would break if an ordinary picture were searched twice.
  @Test func `one thing on a plain ground has no cells`() throws {
    #expect(try cells(of: page([(50..<350, 40..<260)], seed: 1)).isEmpty)
    #expect(try cells(of: page([], seed: 1)).isEmpty)
    #expect(try cells(of: page([(0..<400, 0..<300)], seed: 1)).isEmpty)
  }

  /// Would break if lines of text or dots were taken for things.
  @Test func `bars and dots are no cells`() throws {
    let page = try page([(20..<380, 10..<22), (20..<32, 50..<62), (60..<340, 80..<290)], seed: 2)
    #expect(try cells(of: page).isEmpty)
  }
  /// Would break if a page were looked at beyond the deadline.
  @Test(arguments: 0..<3) func `the look at a page ends when it is told to`(looks: Int) throws {
    var left = looks
    let page = try page([(20..<180, 10..<140), (200..<390, 10..<140)], seed: 1)
    let cells = PageLayout.cells(of: page) {
      left -= 1
      return left < 0
    }
    #expect(cells == nil)
  }

  private func cells(of page: PixelBuffer) throws -> [ImageBox] {
    try #require(PageLayout.cells(of: page, shouldStop: { false }))
  }
}
