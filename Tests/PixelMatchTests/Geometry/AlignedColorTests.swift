import Foundation
import TestSupport
import Testing
@testable import PixelMatch

@Suite struct AlignedColorTests {
  private let same = PlaneTransform(matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1])

  private func residual(
    _ query: PixelBuffer, _ other: PixelBuffer, under transform: PlaneTransform,
    isCopy: Bool = false
  ) throws -> Double {
    let signature = Signature(other)
    return try #require(
      AlignedColor(QuerySignature(query)).residual(
        of: signature.layout, size: signature.workingSize, under: transform,
        isCopy: isCopy))
  }

  private func residual(_ query: PixelBuffer, _ other: PixelBuffer) throws -> Double {
    try residual(query, other, under: same)
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

  private func painted(_ color: (_ x: Int, _ y: Int) -> [UInt8]) throws -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<160 {
      for x in 0..<160 { bytes += color(x, y) + [255] }
    }
    return try PixelBuffer(width: 160, height: 160, format: .rgba8, bytes: bytes)
  }

  /// A thing of one color with a lighter upper half before a plain ground.
  private func thing(
    _ color: [Int], before ground: UInt8, isInside: (_ x: Int, _ y: Int) -> Bool
  ) throws -> PixelBuffer {
    try painted { x, y in
      color.map { isInside(x, y) ? UInt8($0 * (y < 80 ? 100 : 70) / 100) : ground }
    }
  }

  /// A square in whole cells of a layout.
  private func square(_ color: [Int], before ground: UInt8) throws -> PixelBuffer {
    try thing(color, before: ground) { (40..<120).contains($0) && (40..<120).contains($1) }
  }

  @Test func `the ground that two things share does not hide that their colors differ`() throws {
    let red = try square([200, 60, 50], before: 250)
    let blue = try square([60, 90, 200], before: 250)
    let difference = try residual(blue, red)
    #expect(difference > 0.1)
    #expect(try residual(red, red) < difference / 10)
  }

  @Test func `another ground does not make another color`() throws {
    let red = try square([200, 60, 50], before: 250)
    #expect(try residual(try square([200, 60, 50], before: 30), red) < 0.04)
  }

  /// A disk, so that the cells at its edge have some of its color and some of the ground.
  private func disk(
    _ color: [Int], before ground: UInt8, radius: Int = 68
  ) throws -> PixelBuffer {
    try thing(color, before: ground) {
      ($0 - 80) * ($0 - 80) + ($1 - 80) * ($1 - 80) < radius * radius
    }
  }

  /// Would break if the color of another ground counted against a thing in the cells at its edge, or if it hid
  /// that the thing has another color. The small disk has four cells within its edge.
  @Test(arguments: [30, 120] as [UInt8], [68, 48])
  func `another ground does not make another color at the edge, either`(
    ground: UInt8, radius: Int
  ) throws {
    let red = try disk([200, 60, 50], before: 250, radius: radius)
    let same = try residual(try disk([200, 60, 50], before: ground, radius: radius), red)
    #expect(same < 0.03)
    let blue = try disk([60, 90, 200], before: ground, radius: radius)
    #expect(try residual(blue, red) > 0.1)
  }

  /// Would break if a cut-out that is too narrow to have cells within its edge looked like another thing, or like any.
  @Test(arguments: [0, 30, 128] as [UInt8], [24, 40])
  func `a narrow thing may be before another ground`(ground: UInt8, width: Int) throws {
    func bar(_ color: [Int], before ground: UInt8) throws -> PixelBuffer {
      try thing(color, before: ground) { x, y in
        abs(x - 77) < width / 2 && (20..<140).contains(y)
      }
    }
    let orange = try bar([230, 120, 30], before: 250)
    #expect(try residual(try bar([230, 120, 30], before: ground), orange) < 0.03)
    for other in [[40, 90, 190], [230, 40, 30], [110, 200, 95]] {
      // A narrow thing hides less of its ground, so that two of them differ less.
      let before = try residual(try bar(other, before: 250), orange)
      let difference = try residual(try bar(other, before: ground), orange)
      #expect(difference > 0.042 && difference > 0.8 * before, "\(other): \(difference), \(before)")
    }
  }

  /// Would break if a light could color a thing and leave its ground as it is: in less light, too, an orange thing is
  /// not a green one.
  @Test(arguments: [100, 55])
  func `a light that makes a thing another one colors its ground, too`(percent: Int) throws {
    let green = try disk([110, 200, 95], before: 250)
    let orange = try changed(try disk([150, 90, 40], before: 250)) { _, value in
      Int(value) * percent / 100
    }
    #expect(try residual(orange, green) > 0.06)
    let warm = try changed(green) { channel, value in Int(value) * [112, 100, 78][channel] / 100 }
    #expect(try residual(warm, green) < 0.03)
  }

  @Test func `a light of a quarter is a light, not another color`() throws {
    let red = try square([200, 60, 50], before: 250)
    let dark = try changed(red) { _, value in Int(value) * 55 / 100 }
    #expect(try residual(dark, red) < 0.03)
  }

  /// Moves all colors away from the gray of the same luma, as cameras and filters do; towards it below 1.
  private func vivid(_ picture: PixelBuffer, _ factor: Double) throws -> PixelBuffer {
    var bytes = SyntheticPicture.rgba(picture)
    for start in stride(from: 0, to: bytes.count, by: 4) {
      let color = bytes[start..<start + 3].map(Double.init)
      let luma = 0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]
      for channel in 0..<3 {
        bytes[start + channel] = UInt8(max(0, min(255, luma + factor * (color[channel] - luma))))
      }
    }
    return try PixelBuffer(
      width: picture.width, height: picture.height, format: .rgba8, bytes: bytes)
  }

  /// Would break if a paler or more vivid image showed other colors, or if that freedom hid another hue or a gray
  /// thing.
  @Test(arguments: [0.5, 0.7, 1.4])
  func `a paler or more vivid image has the same colors`(factor: Double) throws {
    func half(_ color: [UInt8]) throws -> PixelBuffer {
      try painted { x, _ in x < 80 ? color : [120, 110, 90] }
    }
    let green = try half([90, 150, 80])
    #expect(try residual(try vivid(green, factor), green) < 0.03)
    #expect(try residual(try vivid(try half([150, 90, 80]), factor), green) > 0.05)
    #expect(try residual(try half([125, 125, 125]), green) > 0.045)
  }

  /// Would break if the gray of a color were not that of its luma, which filters take, or if a light could make the gray
  /// of one color that of another in a copy: without color, only the lightness tells tints apart.
  @Test func `a gray copy is compared by its lightness`() throws {
    let gray = try square([101, 101, 101], before: 250)
    func residual(_ color: [Int]) throws -> Double {
      try self.residual(gray, square(color, before: 250), under: same, isCopy: true)
    }
    #expect(try residual([200, 60, 50]) < 0.008)
    #expect(try residual([240, 240, 235]) > 0.16)
    #expect(try residual([60, 150, 110]) > 0.03)
  }

  /// Would break if a gray photo had to be taken in the light of the catalogue's image.
  @Test func `a gray photo may be darker`() throws {
    let red = try square([200, 60, 50], before: 250)
    let gray = try square([101, 101, 101], before: 250)
    let dark = try changed(gray) { _, value in Int(value) * 7 / 10 }
    #expect(try residual(dark, red) < 0.02)
    #expect(try residual(dark, red, under: same, isCopy: true) > 0.06)
  }

  /// Would break if only a ground along most of the border were found: a large disk leaves the corners.
  @Test func `a round thing that touches all ends has another ground, too`() throws {
    let red = try disk([200, 60, 50], before: 250, radius: 76)
    #expect(try residual(try disk([200, 60, 50], before: 90, radius: 76), red) < 0.03)
    #expect(try residual(try disk([60, 90, 200], before: 90, radius: 76), red) > 0.1)
  }

  /// Stripes of four colors, with a square of one color in front of some of them.
  private func stripes(
    covered: Range<Int>? = nil, by cover: [UInt8] = [], turn: Int = 0
  ) throws -> PixelBuffer {
    let colors: [[UInt8]] = [[190, 70, 60], [70, 130, 80], [90, 90, 180], [210, 180, 90]]
    return try painted { x, y in
      if let covered, covered.contains(x), covered.contains(y) { return cover }
      return colors[(y / 20 + turn) % 4]
    }
  }

  /// Would break if a sticker or a finger in front of a thing made it another color, or if it hid that the rest
  /// has another color.
  @Test(arguments: [[20, 20, 20], [255, 255, 255], [200, 80, 200]] as [[UInt8]])
  func `a plain patch in front of a thing is left out`(cover: [UInt8]) throws {
    let thing = try stripes()
    #expect(try residual(try stripes(covered: 50..<120, by: cover), thing) < 0.03)
    #expect(try residual(try stripes(covered: 50..<120, by: cover, turn: 1), thing) > 0.1)
  }

  /// Would break if a part of a thing in another color were taken for something in front of it.
  @Test func `a part of one color instead of another makes another color`() throws {
    let red = try stripes(covered: 50..<120, by: [190, 40, 40])
    let blue = try stripes(covered: 50..<120, by: [40, 60, 190])
    #expect(try residual(blue, red) > 0.08)
  }

  /// A soft pattern of two colors.
  private func wave(shift: Double = 0, stretch: Double = 1, swapped: Bool = false) throws
    -> PixelBuffer
  {
    try painted { x, y in
      let across = (Double(x) - 80) * stretch + 80 + shift
      let down = (Double(y) - 80) * stretch + 80 + shift
      let value = sin(across / 18) * cos(down / 22)
      let color = [UInt8(130 + 80 * value), UInt8(120 - 60 * value), UInt8(110 + 40 * value)]
      return swapped ? [color[2], color[0], color[1]] : color
    }
  }

  /// Would break if the color of a query were that of its nearest cell: a shift by half a cell would count.
  @Test func `a shift by a part of a cell is not another color`() throws {
    let shift = 160.0 / 24 / 2
    let moved = PlaneTransform(matrix: [1, 0, shift, 0, 1, shift, 0, 0, 1])
    #expect(try residual(wave(shift: shift), wave(), under: moved) < 0.012)
  }

  /// Would break if a cell at the border of a query were compared by the part that is left of it: where a thing ends, that part
  /// has another mean.
  @Test(arguments: [(4, 0.009), (6, 0.014)])
  func `a margin that is cut off hardly makes another color`(margin: Int, limit: Double) throws {
    // The disk ends within the cells at the border, which therefore have a mixture of its color and that of the
    // background.
    let whole = try painted { x, y in
      let across = SIMD2(Double(x - 80), Double(y - 80))
      return (across * across).sum() < 72 * 72 ? [200, 120, UInt8(40 + y / 2)] : [255, 255, 255]
    }
    let left = margin..<160 - margin
    let placed = PlaneTransform(matrix: [1, 0, Double(margin), 0, 1, Double(margin), 0, 0, 1])
    let difference = try residual(whole.cropped(x: left, y: left), whole, under: placed)
    #expect(difference < limit)
  }

  /// Would trap if a place at infinity, which the query does not show, had no color.
  @Test(arguments: [1.0 / 80, -1.0 / 80, 1.0 / 160]) func `a transform may reach infinity`(
    tilt: Double
  ) throws {
    let picture = try wave()
    let layout = Signature(picture).layout
    let difference = AlignedColor(QuerySignature(picture)).residual(
      of: layout, size: (160, 160),
      under: PlaneTransform(matrix: [1, 0, 0, 0, 1, 0, tilt, -tilt, 1]))
    #expect(difference?.isFinite != false)
  }

  /// Would break if colors were compared only where keypoints put them: a few of them leave a transform some hundredths
  /// of the image off. Other colors are to stay others wherever the transform is moved to.
  @Test(arguments: [(7, 1), (-7, 1), (0, 1.06), (0, 0.94), (4, 1.04)])
  func `a transform that is a little off does not make another color`(
    shift: Double, stretch: Double
  ) throws {
    #expect(try residual(wave(shift: shift, stretch: stretch), wave(), under: same) < 0.015)
    #expect(
      try residual(wave(shift: shift, stretch: stretch, swapped: true), wave(), under: same) > 0.06)
  }

  /// The picture in the light of a lamp at its left, which is lighter by a quarter there and darker at the other end.
  private func lit(_ picture: PixelBuffer) throws -> PixelBuffer {
    var bytes = SyntheticPicture.rgba(picture)
    for index in bytes.indices where index % 4 < 3 {
      let across = Double(index / 4 % picture.width) / Double(picture.width)
      bytes[index] = UInt8(min(255, Double(bytes[index]) * (1.25 - 0.5 * across)))
    }
    return try PixelBuffer(
      width: picture.width, height: picture.height, format: .rgba8, bytes: bytes)
  }

  /// Would break if a light had to be the same at both ends of a thing, or if that freedom hid another color.
  @Test func `a lamp at one side does not make another color`() throws {
    #expect(try residual(lit(wave()), wave(), under: same) < 0.02)
    #expect(try residual(lit(wave(swapped: true)), wave(), under: same) > 0.06)
  }

  // MARK: Contradiction

  private func contradiction(
    _ query: PixelBuffer, _ other: PixelBuffer, inliers: Int? = nil
  ) throws -> Double {
    let signature = Signature(other)
    return AlignedColor(QuerySignature(query)).contradiction(
      of: signature.layout, size: signature.workingSize, under: same, inliers: inliers)
  }

  /// A person before a white wall: a head, a shirt and trousers, each lighter at one side.
  private func person(shirt: [Int]) throws -> PixelBuffer {
    try painted { x, y in
      let color: [Int]
      switch (x, y) {
      case (60..<100, 0..<40): color = [200, 150, 120]
      case (40..<120, 40..<100): color = shirt
      case (50..<110, 100..<160): color = [60, 60, 70]
      default: return [250, 250, 250]
      }
      return color.map { UInt8($0 * (100 - (x - 40) / 4) / 100) }
    }
  }

  /// Would break if what agrees, as face and trousers do, made up for a shirt of another color.
  @Test(arguments: [
    [60, 90, 200], [60, 150, 70], [150, 150, 150], [30, 30, 30], [230, 200, 60],
  ])
  func `a shirt of another color contradicts`(color: [Int]) throws {
    let red = try person(shirt: [200, 50, 45])
    #expect(try contradiction(try person(shirt: color), red) > 0.15)
    #expect(try contradiction(red, red) == 0)
  }

  /// A person in dark trousers and a top that ends between cells of the layout.
  private func person(top: [Int], gain: [Int] = [100, 100, 100]) throws -> PixelBuffer {
    try painted { x, y in
      let color: [Int]
      switch (x, y) {
      case (60..<100, 0..<40): color = [205, 160, 135]
      case (42..<118, 54..<92): color = top
      case (42..<118, 40..<112): color = [205, 160, 135]
      case (46..<114, 112..<160): color = [45, 45, 50]
      default: color = [255, 255, 255]
      }
      return zip(color, gain).map { UInt8(min(255, $0 * $1 / 100)) }
    }
  }

  /// Would break if each cell were looked for in a direction of its own: the upper edge of a small black part is as light as gray a
  /// little above, and the lower edge is a little below. Few keypoints place an image so roughly that this may be.
  @Test func `a small part of another lightness contradicts`() throws {
    let gray = try person(top: [110, 98, 104])
    let black = try person(top: [45, 45, 45])
    #expect(try contradiction(black, gray) > 0.2)
    #expect(try contradiction(black, gray, inliers: 60) > 0.2)
    #expect(try contradiction(black, gray, inliers: 20) < 0.17)
    #expect(try contradiction(gray, gray) == 0)
  }

  /// Would break if the light were known exactly from a white ground, which is as white in a redder light.
  @Test(arguments: [[150, 95, 180], [175, 95, 85], [170, 165, 150]])
  func `a warm light before a white ground does not contradict`(top: [Int]) throws {
    let warm = try person(top: top, gain: [112, 100, 78])
    #expect(try contradiction(warm, person(top: top)) < 0.01)
  }

  /// Would break if a thing that is plain and of another color were taken for something that hides all of it.
  @Test func `all of a thing in another color contradicts`() throws {
    func thing(_ color: (_ x: Int, _ y: Int) -> [Int]) throws -> PixelBuffer {
      try painted { x, y in
        let isThing = (40..<120).contains(x) && (40..<120).contains(y)
        return (isThing ? color(x, y) : [250, 250, 250]).map { UInt8($0) }
      }
    }
    let shaded = try thing { x, _ in [90 + x, 30 + x / 4, 50] }
    let plain = try thing { _, y in [210, 200, 170].map { $0 - (120 - y) / 4 } }
    #expect(try contradiction(plain, shaded) > 0.15)
  }

  /// Would break if a light, or a filter over the whole image, were another color.
  @Test(arguments: [[110, 100, 80], [90, 97, 100], [55, 55, 55], [75, 70, 60]])
  func `a light over the whole image does not contradict`(percent: [Int]) throws {
    let red = try person(shirt: [200, 50, 45])
    let lit = try changed(red) { channel, value in Int(value) * percent[channel] / 100 }
    #expect(try contradiction(lit, red) < 0.05)
  }

  /// Would break if a veil, as of fog, plastic or a screen in the sun, were another color, or made another color the same.
  @Test(arguments: [(70, 45), (80, 40)])
  func `a veil over the whole image does not contradict, and hides no other color`(
    percent: Int, veil: Int
  ) throws {
    func veiled(_ picture: PixelBuffer) throws -> PixelBuffer {
      try changed(picture) { _, value in max(0, min(255, Int(value) * percent / 100 + veil)) }
    }
    let red = try person(shirt: [200, 50, 45])
    #expect(try contradiction(try veiled(red), red) < 0.08)
    for other in [[60, 90, 200], [60, 150, 70], [230, 200, 60]] {
      #expect(try contradiction(try veiled(person(shirt: other)), red) > 0.15, "\(other)")
    }
  }

  /// Would break if a gray copy were of another color.
  @Test func `an image without color does not contradict one with the same luma`() throws {
    let red = try person(shirt: [200, 50, 45])
    var bytes = SyntheticPicture.rgba(red)
    for index in stride(from: 0, to: bytes.count, by: 4) {
      let luma =
        (299 * Int(bytes[index]) + 587 * Int(bytes[index + 1]) + 114 * Int(bytes[index + 2])) / 1000
      for lane in 0..<3 { bytes[index + lane] = UInt8(luma) }
    }
    let gray = try PixelBuffer(width: 160, height: 160, format: .rgba8, bytes: bytes)
    #expect(try contradiction(gray, red) < 0.05)
  }
}
