import Foundation
@testable import PixelMatch
import TestSupport
import Testing

/// One line of `Conformance/pdq.tsv`: the result of the reference for an image that the tests draw.
struct PDQVector: CustomTestStringConvertible, Sendable {
  let width, height, seed: Int
  let variant: DihedralVariant
  let hex: String
  let quality: Int
  var testDescription: String { "\(width)×\(height) seed \(seed) \(variant.rawValue)" }

  static let all: [PDQVector] = {
    let url = Bundle.module.url(
      forResource: "pdq", withExtension: "tsv", subdirectory: "Conformance")!
    let text = String(decoding: FileManager.default.contents(atPath: url.path)!, as: UTF8.self)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "\t")
      return PDQVector(
        width: Int(fields[0])!, height: Int(fields[1])!, seed: Int(fields[2])!,
        variant: DihedralVariant(rawValue: String(fields[3]))!, hex: String(fields[4]),
        quality: Int(fields[5])!)
    }
  }()
}

/// One line of `Conformance/pdq-drawn.tsv`: the result of the reference for a small drawn graphic.
struct DrawnPDQVector: CustomTestStringConvertible, Sendable {
  let drawing: SyntheticPicture.Drawing
  let side: Int
  let variant: DihedralVariant
  let hex: String
  let quality: Int
  var testDescription: String { "\(drawing.rawValue) \(side) \(variant.rawValue)" }

  static let all: [DrawnPDQVector] = {
    let url = Bundle.module.url(
      forResource: "pdq-drawn", withExtension: "tsv", subdirectory: "Conformance")!
    let text = String(decoding: FileManager.default.contents(atPath: url.path)!, as: UTF8.self)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "\t").map(String.init)
      return DrawnPDQVector(
        drawing: SyntheticPicture.Drawing(rawValue: fields[0])!, side: Int(fields[1])!,
        variant: DihedralVariant(rawValue: fields[2])!, hex: fields[3], quality: Int(fields[4])!)
    }
  }()
}

@Suite struct PDQHasherTests {
  private func coefficients(_ bytes: [UInt8], _ width: Int, _ height: Int) -> PDQCoefficients {
    var hasher = PDQHasher(width: width, height: height)
    for y in 0..<height {
      hasher.append(rgba: bytes.span.extracting(4 * width * y..<4 * width * (y + 1)))
    }
    return hasher.finish()
  }

  @Test(arguments: PDQVector.all)
  func `hash and quality are the reference's, bit for bit`(vector: PDQVector) {
    let bytes = SyntheticPicture.pattern(
      width: vector.width, height: vector.height, seed: vector.seed)
    let result = coefficients(bytes, vector.width, vector.height)
    #expect(result.hash(of: vector.variant).hex == vector.hex)
    #expect(result.quality == vector.quality)
  }

  /// Most cosine terms of such a graphic are zero except for rounding: one luma value that is
  /// rounded differently changes a third of the bits.
  @Test(arguments: DrawnPDQVector.all)
  func `flat and symmetric drawings have the reference's bits too`(vector: DrawnPDQVector) {
    let bytes = SyntheticPicture.drawing(vector.drawing, side: vector.side)
    let result = coefficients(bytes, vector.side, vector.side)
    #expect(result.hash(of: vector.variant).hex == vector.hex)
    #expect(result.quality == vector.quality)
  }

  @Test(arguments: [(4, 100), (100, 4), (1, 1), (4, 4)])
  func `a side below five pixels gives the zero hash of quality 0`(width: Int, height: Int) {
    let bytes = SyntheticPicture.pattern(width: width, height: height, seed: 1)
    let result = coefficients(bytes, width, height)
    #expect(result.hash == PDQHash())
    #expect(result.quality == 0)
  }

  /// Would break if rows were dropped too early, or summed in another order.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func `rows in a stream give the same plane as the whole picture at once`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let width = Int.random(in: 5...400, using: &generator)
    let height = Int.random(in: 5...400, using: &generator)
    let pixels = (0..<4 * width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let luma: [Float] = (0..<width * height).map { place -> Float in
      let (red, green, blue) = (pixels[4 * place], pixels[4 * place + 1], pixels[4 * place + 2])
      return Float(0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue))
    }
    var filter = JaroszFilter(width: width, height: height)
    for y in 0..<height {
      filter.append(rgba: pixels.span.extracting(4 * y * width..<4 * (y + 1) * width))
    }
    #expect(filter.finish() == referencePlane(luma, width, height))
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a variant's hash is near the hash of the picture so turned`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let side = 128
    let bytes = SyntheticPicture.discs(width: side, height: side, using: &generator)
    let hashed = coefficients(bytes, side, side)
    for variant in DihedralVariant.allCases {
      var turned: [UInt8] = []
      for i in 0..<side {
        for j in 0..<side {
          let (row, column) = source(of: variant, i, j, last: side - 1)
          turned += bytes[4 * (row * side + column)..<4 * (row * side + column) + 4]
        }
      }
      let distance = coefficients(turned, side, side).hash
        .hammingDistance(to: hashed.hash(of: variant))
      #expect(distance <= 40, "\(variant)")
    }
  }

  /// The reference's own regression images are in a folder with a list of its results.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["VQ_PDQ_PICTURES"] != nil))
  func `the reference's regression pictures keep their hashes`() throws {
    let folder = ProcessInfo.processInfo.environment["VQ_PDQ_PICTURES"]!
    let list = FileManager.default.contents(atPath: folder + "/expected.tsv")!
    var compared = 0
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n")
    where !line.hasPrefix("#") {
      let fields = line.split(separator: "\t").map(String.init)
      let bytes = [UInt8](FileManager.default.contents(atPath: folder + "/" + fields[0])!)
      let result = try ImageDecoder().pdqCoefficients(of: bytes)
      #expect(result.hash(of: DihedralVariant(rawValue: fields[2])!).hex == fields[3], "\(line)")
      #expect(result.quality == Int(fields[4]))
      compared += 1
    }
    #expect(compared > 20)
  }
}

/// Returns the source of the pixel at row `i`, column `j` of the transformed image.
func source(of variant: DihedralVariant, _ i: Int, _ j: Int, last: Int) -> (row: Int, column: Int) {
  switch variant {
  case .original: (i, j)
  case .rotate90: (j, last - i)
  case .rotate180: (last - i, last - j)
  case .rotate270: (last - j, i)
  case .flipX: (last - i, j)
  case .flipY: (i, last - j)
  case .flipPlus1: (j, i)
  case .flipMinus1: (last - j, last - i)
  }
}

/// The filter over whole planes, pass after pass: the plain twin of `JaroszFilter`.
private func referencePlane(_ luma: [Float], _ width: Int, _ height: Int) -> [Float] {
  func box(_ input: [Float], window: Int) -> [Float] {
    let lead = (window + 2) / 2 - 1
    var sum: Float = 0
    var output: [Float] = []
    for right in 0..<input.count + lead {
      let left = right - window
      if right < input.count { sum += input[right] }
      if left >= 0 { sum -= input[left] }
      let samples = min(right, input.count - 1) - max(left, -1)
      if right >= lead { output.append(sum / Float(samples)) }
    }
    return output
  }
  func transposed(_ plane: [Float], _ width: Int, _ height: Int) -> [Float] {
    (0..<width * height).map { plane[$0 % height * width + $0 / height] }
  }
  func boxRows(_ plane: [Float], _ width: Int, _ height: Int) -> [Float] {
    (0..<height).flatMap {
      box(Array(plane[$0 * width..<($0 + 1) * width]), window: (width + 127) / 128)
    }
  }
  var plane = luma
  for _ in 0..<2 {
    plane = boxRows(plane, width, height)
    plane = transposed(
      boxRows(transposed(plane, width, height), height, width), height, width)
  }
  return (0..<64 * 64).map { index in
    let row = Int((Double(index / 64) + 0.5) * Double(height) / 64)
    let column = Int((Double(index % 64) + 0.5) * Double(width) / 64)
    return plane[row * width + column]
  }
}
