import PixelMatch
import TestSupport
import Testing

/// A file of `Conformance/make_heif_grids.py`: tiles of one color each.
struct HEIFGrid: CustomTestStringConvertible, Sendable {
  let name: String
  let columns, rows, tile: Int
  /// The size of the canvas, before it is turned.
  let width, height: Int
  /// The number of quarter turns counterclockwise.
  let turns: Int
  var testDescription: String { name }
  var bytes: [UInt8] { PictureVector.bytes(of: "../loaded/" + name) }
  var isReadable: Bool {
    name.hasSuffix("avif") ? ImageFormat.avif.isReadable : ImageFormat.heic.isReadable
  }

  static let palette: [[Int]] = [
    [200, 40, 40], [40, 160, 60], [40, 70, 190], [220, 190, 60], [150, 60, 170], [90, 180, 190],
  ]

  static let all: [HEIFGrid] =
    ["heic", "avif"].flatMap { kind in
      [
        HEIFGrid(
          name: "grid-square.\(kind)", columns: 2, rows: 2, tile: 64, width: 128, height: 128,
          turns: 0),
        HEIFGrid(
          name: "grid-wide.\(kind)", columns: 3, rows: 2, tile: 64, width: 192, height: 128,
          turns: 0),
        HEIFGrid(
          name: "grid-cropped.\(kind)", columns: 3, rows: 2, tile: 64, width: 150, height: 101,
          turns: 0),
        HEIFGrid(
          name: "grid-turned.\(kind)", columns: 3, rows: 2, tile: 64, width: 192, height: 128,
          turns: 1),
        HEIFGrid(
          name: "grid-turned-cropped.\(kind)", columns: 2, rows: 3, tile: 64, width: 110,
          height: 160, turns: 3),
      ]
    } + [
      HEIFGrid(
        name: "grid-avifenc.avif", columns: 3, rows: 2, tile: 64, width: 192, height: 128, turns: 1),
      HEIFGrid(
        name: "grid-tone-mapped.heic", columns: 3, rows: 2, tile: 64, width: 192, height: 128,
        turns: 1),
      HEIFGrid(
        name: "grid-phone.heic", columns: 8, rows: 6, tile: 512, width: 4032, height: 3024,
        turns: 3),
    ]

  static let readable = all.filter(\.isReadable)

  /// Returns the place in the upright image of a place on the canvas.
  func upright(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
    switch turns {
    case 1: (y, width - 1 - x)
    case 3: (height - 1 - y, x)
    default: (x, y)
    }
  }
}

/// Images that are made of tiles, as every photo of an iPhone is.
@Suite struct HEIFGridTests {
  private func error(_ name: String, _ limits: DecodeLimits = .default) -> DecodeError? {
    #expect(throws: DecodeError.self) {
      try ImageDecoder(limits: limits).decode(PictureVector.bytes(of: "../loaded/" + name))
    }
  }

  /// Would break if libheif were given a limit that refuses the image itself: 1.15 refuses a grid whose side is
  /// equal to the limit.
  @Test(arguments: HEIFGrid.readable)
  func `a grid of tiles has every tile in its place`(grid: HEIFGrid) throws {
    let picture = try ImageDecoder().decode(grid.bytes)
    let isTurned = grid.turns % 2 == 1
    #expect(picture.width == (isTurned ? grid.height : grid.width))
    #expect(picture.height == (isTurned ? grid.width : grid.height))
    let pixels = rgba(picture)
    for row in 0..<grid.rows {
      for column in 0..<grid.columns {
        let (left, top) = (column * grid.tile, row * grid.tile)
        let place = grid.upright(
          (left + min(grid.width, left + grid.tile)) / 2,
          (top + min(grid.height, top + grid.tile)) / 2)
        let start = 4 * (place.y * picture.width + place.x)
        let expected = HEIFGrid.palette[(row * grid.columns + column) % 6]
        let worst = (0..<3).map { abs(Int(pixels[start + $0]) - expected[$0]) }.max()!
        #expect(worst <= 6, "tile \(column), \(row)")
      }
    }
  }

  @Test(arguments: HEIFGrid.readable)
  func `the limits hold for a grid, the limits themselves are accepted`(grid: HEIFGrid) throws {
    let pixels = grid.width * grid.height
    #expect(error(grid.name, DecodeLimits(pixelLimit: pixels - 1))?.code == .tooManyPixels)
    #expect(error(grid.name, DecodeLimits(memoryLimit: 10 * pixels))?.code == .tooMuchWork)
    _ = try ImageDecoder(limits: DecodeLimits(pixelLimit: pixels)).decode(
      grid.bytes, longerSide: 64)
  }

  /// Would break if a few bytes made libheif decode more tiles than an image of the largest size has.
  @Test func `tiles that the image does not show count`() {
    let found = error("grid-wasteful.heic", DecodeLimits(pixelLimit: 100 * 100))
    #expect(found?.code == .tooMuchWork)
    #expect(found?.message.contains("4 times the limit") == true)
  }

  /// Would break if libheif allocated 60 000 × 60 000 pixels because the properties say 128 × 128.
  @Test func `a canvas that is larger than its properties say is refused`() {
    let found = error("grid-canvas.heic")
    #expect(found?.code == .corrupt)
    #expect(found?.message.contains("60000 × 60000") == true)
  }

  /// Would break if images that are made of each other were followed for ever.
  @Test(.enabled(if: ImageFormat.heic.isReadable))
  func `a grid of itself is refused`() throws {
    var bytes = PictureVector.bytes(of: "../loaded/grid-square.heic")
    let kind = Array("dimg".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: kind) })
    // After the type: the item, the number of its parts, and the parts.
    bytes.replaceSubrange(place + 8..<place + 10, with: bytes[place + 4..<place + 6])
    let found = #expect(throws: DecodeError.self) { try ImageDecoder().header(of: bytes) }
    #expect(found?.code == .tooMuchWork)
  }

  @Test(arguments: HEIFGrid.readable.filter { $0.tile == 64 })
  func `a grid that ends too early is refused in plain words`(grid: HEIFGrid) {
    let bytes = grid.bytes
    for count in stride(from: 0, to: bytes.count, by: 5) {
      guard let message = message(of: Array(bytes[..<count])) else { continue }
      #expect(!message.contains("\n") && !message.contains("position"), "\(count): \(message)")
    }
    #expect(
      message(of: bytes.dropLast(20))?.hasSuffix(
        "is truncated: the bytes end before the image does") == true)
  }

  /// Would break if an invalid tile were left gray without a word: since 1.19, libheif only warns of it.
  @Test(.enabled(if: ImageFormat.heic.isReadable))
  func `a tile that cannot be decoded is damage`() throws {
    var bytes = PictureVector.bytes(of: "../loaded/grid-wide.heic")
    // The first tile's data, at the beginning of the last box, becomes units of no known type.
    let kind = Array("mdat".utf8)
    let place = try #require(bytes.indices.last { bytes[$0...].starts(with: kind) })
    bytes.replaceSubrange(place + 8..<place + 20, with: [UInt8](repeating: 0xFF, count: 12))
    #expect(throws: DecodeError.self) { try ImageDecoder().decode(bytes) }
    if let picture = try? ImageDecoder(keepsDamaged: true).picture(bytes, longerSide: 64) {
      #expect(picture.damage?.code == .corrupt)
    }
  }

  /// Would break if the text of a warning of libheif were read: 1.15.1 frees it before the warning is returned. Another version
  /// may find another fault, or none.
  @Test(.enabled(if: ImageFormat.avif.isReadable))
  func `the text of a warning is ours`() {
    guard let message = message(of: PictureVector.bytes(of: "../loaded/damaged.avif")) else {
      return
    }
    #expect(
      message.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " .,:;'()-/".contains($0)) }
    )
  }

  private func message(of bytes: [UInt8]) -> String? {
    do {
      _ = try ImageDecoder().decode(bytes)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: 0..<150 as Range<UInt64>)
  func `damaged bytes of a grid give a picture or an error`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let small = HEIFGrid.readable.filter { $0.tile == 64 }
    guard let grid = small.randomElement(using: &generator) else { return }
    var bytes = grid.bytes
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let place = Int.random(in: 16..<bytes.count, using: &generator)
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    }
    let decoder = ImageDecoder(limits: DecodeLimits(pixelLimit: 1_000_000))
    if let picture = try? decoder.decode(bytes, longerSide: 64) {
      #expect(max(picture.width, picture.height) <= 64)
    }
  }
}
