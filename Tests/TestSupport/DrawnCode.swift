import Foundation
public import PixelMatch

/// Codes that the tests draw.
public enum DrawnCode {
  private static let left = [
    "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011",
    "0110111", "0001011",
  ]
  private static let parities = [
    "LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL",
    "LGGLGL",
  ]

  /// The modules of an EAN-13, `true` for a bar (GS1 General Specifications, 5.2).
  private static func bars(_ digits: String) -> [Bool] {
    let digits = digits.compactMap(\.wholeNumberValue)
    func inverted(_ code: String) -> String { String(code.map { $0 == "0" ? "1" : "0" }) }
    var text = "101"
    for (digit, parity) in zip(digits[1...6], parities[digits[0]]) {
      text += parity == "L" ? left[digit] : String(inverted(left[digit]).reversed())
    }
    text += "01010" + digits[7...12].map { inverted(left[$0]) }.joined() + "101"
    return text.map { $0 == "1" }
  }

  /// A QR code of `https://shop.example/p/mug-red`.
  private static let qr = [
    "#######.###.#..##.#.#.#######", "#.....#..##.###.###...#.....#",
    "#.###.#.###.#.####.##.#.###.#", "#.###.#..##.#.#..##.#.#.###.#",
    "#.###.#..##.####..#...#.###.#", "#.....#.#.##...#..#.#.#.....#",
    "#######.#.#.#.#.#.#.#.#######", "..........#...###.###........",
    "#.#...##..#####.....#..#..#.#", ".###......##.##...##..#....##",
    ".#.#..##.#.##..#.#.#...####.#", "..#.....##...#....#.#.#..#...",
    "##.#..#.##.###.##..##.#.....#", ".##.##....###...#..##.##...##",
    "#####.#.#...###.#..##.#.....#", "#...##...####.###.#.##.##....",
    "#.###.###..####...#.#.##....#", ".#.......#...##..#.#####..###",
    "###.###........#.#.###.###..#", "..#.#...#...##....#.....#....",
    "##...###.#####.##..#######.#.", "........#...#...#.###...###.#",
    "#######.#######.#.#.#.#.#...#", "#.....#...###.###..##...#...#",
    "#.###.#...##.##.#..#######...", "#.###.#..###.##....#.#..####.",
    "#.###.#.#..##.####...#..#..##", "#.....#..##.#...#.#.#..###...",
    "#######.#.#######...#.###...#",
  ].map { $0.map { $0 == "#" } }

  /// Draws something dark on a light ground, with four samples a pixel.
  ///
  /// - Parameter isDark: Returns whether a place is dark, in pixels from the center of the image, turned back.
  public static func image(
    width: Int = 400, height: Int = 400, degrees: Double, _ isDark: (Double, Double) -> Bool
  ) throws -> PixelBuffer {
    let (cosine, sine) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        var sum = 0
        for sample in 0..<4 {
          let dx = Double(x) + (Double(sample % 2) + 0.5) / 2 - Double(width) / 2
          let dy = Double(y) + (Double(sample / 2) + 0.5) / 2 - Double(height) / 2
          sum += isDark(dx * cosine + dy * sine, dy * cosine - dx * sine) ? 30 : 220
        }
        bytes.append(UInt8(sum / 4))
      }
    }
    return try PixelBuffer(width: width, height: height, format: .gray8, bytes: bytes)
  }

  /// Returns a test whether a place, in pixels from the center, is on a bar of an EAN-13.
  public static func bars(of digits: String, module: Double) -> (Double, Double) -> Bool {
    let bars = bars(digits)
    return { x, y in
      guard abs(y) < 30 * module, abs(x) < 48 * module else { return false }
      let index = Int((x / module + Double(bars.count) / 2).rounded(.down))
      return bars.indices.contains(index) && bars[index]
    }
  }

  /// Draws an EAN-13 in the center.
  public static func ean(
    _ digits: String, module: Double, degrees: Double, width: Int = 400, height: Int = 400
  ) throws -> PixelBuffer {
    try image(
      width: width, height: height, degrees: degrees, bars(of: digits, module: module))
  }

  /// Draws the QR code in the center.
  public static func qr(module: Double, degrees: Double) throws -> PixelBuffer {
    try image(degrees: degrees) { x, y in
      let column = Int((x / module + Double(qr.count) / 2).rounded(.down))
      let row = Int((y / module + Double(qr.count) / 2).rounded(.down))
      return qr.indices.contains(row) && qr.indices.contains(column) && qr[row][column]
    }
  }
}
