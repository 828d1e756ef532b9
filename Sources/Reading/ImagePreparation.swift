#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
internal import PixelMatch
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The size, the part and the scale of numbers in which a model takes an image: what `preprocessor_config.json` says.
///
/// The file is that of Hugging Face's image processors, <https://huggingface.co/docs/transformers/main_classes/image_processor>.
struct ImagePreparation: Sendable {
  /// The most bytes of the file.
  static let byteLimit = 1 << 20
  /// The sides of an image that a model may take.
  static let sides = 16...1024

  let width: Int
  let height: Int
  private let filter: ResizeFilter
  /// The factor and the addition of each channel, for values of 0 to 255.
  private let scale: SIMD4<Float>
  private let offset: SIMD4<Float>
  /// The part of the image, in shares of its sides, if its shape does not matter.
  private let share: SIMD2<Double>
  /// The side of the square of the image, in shares of its shorter side, that is as high as the model's input; `nil` if the
  /// image is squeezed.
  private let cropScale: Double?

  private struct File: Decodable {
    var do_center_crop: Bool?
    var do_rescale: Bool?
    var do_normalize: Bool?
    var rescale_factor: Double?
    var resample: Int?
    var crop_pct: Double?
    var size: Size?
    var crop_size: Size?
    var image_mean: Channels?
    var image_std: Channels?
  }

  /// One number for both sides, or names with numbers.
  private struct Size: Decodable {
    var shortest: Int?
    var height: Int?
    var width: Int?
    var isNumber = false

    private enum Key: String, CodingKey { case shortest_edge, height, width }

    init(from decoder: any Decoder) throws {
      if let number = try? decoder.singleValueContainer().decode(Int.self) {
        (shortest, isNumber) = (number, true)
        return
      }
      let container = try decoder.container(keyedBy: Key.self)
      shortest = try container.decodeIfPresent(Int.self, forKey: .shortest_edge)
      height = try container.decodeIfPresent(Int.self, forKey: .height)
      width = try container.decodeIfPresent(Int.self, forKey: .width)
    }

    /// The height and width; `nil` if only the shorter side is known.
    var sides: (height: Int, width: Int)? {
      guard let height, let width else { return nil }
      return (height, width)
    }
  }

  /// One number for all channels, or one for each.
  private struct Channels: Decodable {
    let numbers: [Double]

    init(from decoder: any Decoder) throws {
      if let number = try? decoder.singleValueContainer().decode(Double.self) {
        numbers = [number]
      } else {
        numbers = try decoder.singleValueContainer().decode([Double].self)
      }
    }

    /// The numbers of red, green and blue; `nil` if there are not as many.
    var rgb: SIMD4<Double>? {
      switch numbers.count {
      case 1: SIMD4(repeating: numbers[0])
      case 3: SIMD4(numbers[0], numbers[1], numbers[2], 1)
      default: nil
      }
    }
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - height: The height that the model takes, or `nil` for any.
  ///   - width: The width that the model takes, or `nil` for any.
  /// - Throws: ``ReadingError`` with the code `corrupt` or `otherShape`.
  init(_ bytes: [UInt8], height: Int?, width: Int?) throws(ReadingError) {
    func fault(_ text: String, _ code: ReadingError.Code = .corrupt) -> ReadingError {
      ReadingError(code: code, message: "\(ImageEncoder.configurationName) \(text)")
    }
    let file: File
    do {
      file = try JSONDecoder().decode(File.self, from: Data(bytes))
    } catch {
      throw fault(
        "cannot be read: expected a JSON object with the keys of a preprocessor_config.json")
    }
    guard let filter = ResizeFilter(file.resample ?? 2) else {
      throw fault("has 'resample' \(file.resample ?? 2); expected 0 to 5")
    }
    self.filter = filter

    // How pixel values are scaled and normalized.
    let factor = file.do_rescale ?? true ? file.rescale_factor ?? 1 / 255 : 1
    let isNormalized = file.do_normalize ?? (file.image_mean != nil || file.image_std != nil)
    guard let mean = isNormalized ? file.image_mean.map(\.rgb) ?? SIMD4() : SIMD4(),
      let deviation = isNormalized
        ? file.image_std.map(\.rgb) ?? SIMD4(repeating: 1) : SIMD4(repeating: 1)
    else { throw fault("has 'image_mean' or 'image_std' of other than 1 or 3 numbers") }
    let (scale, offset) = (factor / deviation, -mean / deviation)
    let numbers = [factor] + (0..<3).flatMap { [scale[$0], offset[$0]] }
    guard factor > 0, numbers.allSatisfy({ $0.isFinite && $0.magnitude < 1e6 }),
      (0..<3).allSatisfy({ deviation[$0] > 0 })
    else {
      throw fault("has 'rescale_factor', 'image_mean' or 'image_std' out of range")
    }
    self.scale = SIMD4<Float>(scale)
    self.offset = SIMD4<Float>(offset)

    // How the image is resized and cropped.
    let crops = file.do_center_crop ?? (file.crop_size != nil)
    let crop = crops ? file.crop_size : nil
    let cropSides = crop.flatMap { size in
      size.sides ?? size.shortest.map { (height: $0, width: $0) }
    }
    let square: (height: Int, width: Int)? =
      file.size?.sides
      ?? (crops || file.size?.isNumber == false ? nil : file.size?.shortest.map { ($0, $0) })
    let shortest = square == nil ? file.size?.shortest : nil
    let wanted = cropSides ?? square ?? shortest.map { (height: $0, width: $0) }
    let given = [
      cropSides?.height, cropSides?.width, square?.height, square?.width, shortest,
    ].compactMap { $0 }
    guard given.allSatisfy({ (1...4096).contains($0) }) else {
      throw fault("has 'size' or 'crop_size' out of range")
    }
    guard let target = wanted ?? height.flatMap({ height in width.map { (height, $0) } }) else {
      throw fault("has no 'size', and the model takes any")
    }
    for (own, side) in [(height, target.height), (width, target.width)] {
      if let own, own != side {
        throw fault(
          """
          gives an image of \(target.height) × \(target.width); the model takes \
          \(TextDetector.text(of: [height, width]))
          """, .otherShape)
      }
    }
    guard Self.sides.contains(target.height), Self.sides.contains(target.width) else {
      throw fault(
        """
        gives an image of \(target.height) × \(target.width); expected sides of \(Self.sides.lowerBound) to \
        \(Self.sides.upperBound)
        """, .otherShape)
    }
    (self.height, self.width) = (target.height, target.width)

    // Which part of the image is used.
    if let shortest {
      var edge = Double(shortest)
      if crop == nil, let part = file.crop_pct {
        guard part > 0, part <= 1 else { throw fault("has 'crop_pct' out of range") }
        edge = (edge / part).rounded()
      }
      cropScale = Double(target.height) / edge
      share = SIMD2(repeating: 1)
    } else {
      cropScale = nil
      share =
        cropSides == nil || square == nil
        ? SIMD2(repeating: 1)
        : SIMD2(
          Double(target.width) / Double(square?.width ?? target.width),
          Double(target.height) / Double(square?.height ?? target.height))
    }
  }

  /// Returns the values of an image for the model: planes of red, green and blue, or the three of each pixel.
  func values(of image: PixelBuffer, isChannelsLast: Bool) -> [Float] {
    let sides = SIMD2(Double(image.width), Double(image.height))
    var span = sides * share
    if let cropScale {
      let side = sides.min() * cropScale
      span = SIMD2(side * Double(width) / Double(height), side)
    }
    let start = (sides - span) / 2
    let columns = ResizeAxis(filter, side: image.width, from: start.x, length: span.x, count: width)
    let rows = ResizeAxis(filter, side: image.height, from: start.y, length: span.y, count: height)
    let pixels = resized(image, columns, rows)
    let size = width * height
    var values = [Float](repeating: 0, count: 3 * size)
    for index in 0..<size {
      let pixel =
        pixels[index].clamped(lowerBound: SIMD4(), upperBound: SIMD4(repeating: 255)) * scale
        + offset
      for channel in 0..<3 {
        values[isChannelsLast ? 3 * index + channel : channel * size + index] = pixel[channel]
      }
    }
    return values
  }

  /// Returns the pixels in another size, row by row.
  private func resized(
    _ image: PixelBuffer, _ columns: ResizeAxis, _ rows: ResizeAxis
  ) -> [SIMD4<Float>] {
    var narrow: [SIMD4<Float>] = []
    narrow.reserveCapacity(rows.range.count * width)
    image.forEachRGBARow { row, y in
      guard rows.range.contains(y) else { return }
      for x in 0..<width {
        var sum = SIMD4<Float>()
        var place = 4 &* columns.starts[x]
        for index in columns.weightRange(x) {
          let weight = columns.weights[index]
          sum +=
            weight
            * SIMD4(Float(row[place]), Float(row[place &+ 1]), Float(row[place &+ 2]), 0)
          place &+= 4
        }
        narrow.append(sum)
      }
    }
    var pixels = [SIMD4<Float>](repeating: SIMD4(), count: width * height)
    for y in 0..<height {
      var source = (rows.starts[y] - rows.range.lowerBound) * width
      for index in rows.weightRange(y) {
        let weight = rows.weights[index]
        for x in 0..<width { pixels[y &* width &+ x] += weight * narrow[source &+ x] }
        source += width
      }
    }
    return pixels
  }
}

/// The weights of the pixels of one side in each pixel of another size, as Pillow computes them
/// (<https://github.com/python-pillow/Pillow/blob/main/src/libImaging/Resample.c>).
private struct ResizeAxis {
  /// The first pixel of each new one.
  var starts: [Int] = []
  var weights: [Float] = []
  /// The end of the weights of each new pixel.
  private var ends: [Int] = []
  /// The pixels that any new one has.
  let range: Range<Int>

  /// - Parameters:
  ///   - side: The number of pixels.
  ///   - start: The place where the part begins.
  ///   - length: The length of the part.
  ///   - count: The number of new pixels.
  init(_ filter: ResizeFilter, side: Int, from start: Double, length: Double, count: Int) {
    let step = length / Double(count)
    let stretch = max(1, step)
    let support = filter.support * stretch
    var (first, last) = (side, 0)
    for index in 0..<count {
      // Positions outside the image repeat the pixels at its border.
      let center = max(0.5, min(Double(side) - 0.5, start + (Double(index) + 0.5) * step))
      let lower = max(0, min(side - 1, Int((center - support + 0.5).rounded(.down))))
      let upper = max(lower + 1, min(side, Int((center + support + 0.5).rounded(.down))))
      var own = (lower..<upper).map { filter.weight((Double($0) - center + 0.5) / stretch) }
      let sum = own.reduce(0, +)
      if sum == 0 {
        own = own.map { _ in 1 / Double(own.count) }
      } else {
        own = own.map { $0 / sum }
      }
      starts.append(lower)
      weights += own.map { Float($0) }
      ends.append(weights.count)
      (first, last) = (min(first, lower), max(last, upper))
    }
    range = first..<last
  }

  func weightRange(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }
}

/// A way of changing the size of an image, by Pillow's numbers.
private enum ResizeFilter: Sendable {
  case box, lanczos, bilinear, bicubic

  /// - Returns: `nil` for other numbers than 0 to 5. The nearest pixel is taken as a box, and Hamming's as bilinear.
  init?(_ number: Int) {
    switch number {
    case 0, 4: self = .box
    case 1: self = .lanczos
    case 2, 5: self = .bilinear
    case 3: self = .bicubic
    default: return nil
    }
  }

  var support: Double {
    switch self {
    case .box: 0.5
    case .bilinear: 1
    case .bicubic: 2
    case .lanczos: 3
    }
  }

  func weight(_ place: Double) -> Double {
    let x = place.magnitude
    switch self {
    case .box: return place > -0.5 && place <= 0.5 ? 1 : 0
    case .bilinear: return max(0, 1 - x)
    case .bicubic:
      // The cubic of Catmull and Rom (a = −0.5).
      if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
      return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    case .lanczos: return x < 3 ? Self.sinc(x) * Self.sinc(x / 3) : 0
    }
  }

  private static func sinc(_ x: Double) -> Double {
    x == 0 ? 1 : sin(.pi * x) / (.pi * x)
  }
}
