internal import CReading
package import PixelMatch

/// Reads the bar codes and QR codes of images: EAN-8 and EAN-13, UPC-A and UPC-E, Code 128, QR.
///
/// zbar is loaded when first needed, and looks only at places that a cheap look over the image finds.
package struct CodeReader: Sendable {
  /// The number of pixels of a crossing of the bars that zbar sees, four for each module of an EAN.
  private static let barsWidth = 480
  /// The rows of a crossing.
  private static let barsHeight = 48
  /// The pixels of a module of a QR code that zbar sees.
  private static let moduleSide: Float = 4
  /// The longest side of an image that zbar sees.
  private static let sideLimit: Float = 1024
  /// The number of rows that must have a code of bars.
  private static let leastQuality = 3

  /// Makes a reader, or returns `nil` if zbar is not installed.
  package init?() {
    guard cr_codes_load() else { return nil }
  }

  /// Returns the codes of an image, each value once, in the order in which they were found.
  ///
  /// - Complexity: O(pixels), some milliseconds for an image of 1024 × 768 pixels without a code.
  package func codes(in image: PixelBuffer) -> [ReadCode] {
    let gray = Self.gray(of: image)
    let places = CodePlaces(in: gray, width: image.width, height: image.height)
    let size = SIMD2(Float(image.width), Float(image.height))
    var codes: [ReadCode] = []
    func look(at box: TextBox, width: Int, height: Int) {
      let corners = box.corners
      let frame = ColorImage.Frame(
        origin: corners[0], across: corners[1] - corners[0], down: corners[3] - corners[0])
      let part = GrayImage(gray, image.width, image.height).part(
        frame, width: width, height: height)
      for found in Self.find(in: part, width: width, height: height) {
        if codes.contains(where: { $0.kind == found.kind && $0.value == found.value }) { continue }
        let places = found.places.map { place in
          let point =
            frame.origin + frame.across * (place.x / Float(width))
            + frame.down * (place.y / Float(height))
          return ReadPoint(x: Double(point.x / size.x), y: Double(point.y / size.y))
        }
        codes.append(ReadCode(kind: found.kind, value: found.value, corners: places))
      }
    }
    for box in places.bars { look(at: box, width: Self.barsWidth, height: Self.barsHeight) }
    if let (box, module) = places.finders {
      let side = box.size.x * max(1, Self.moduleSide / module)
      let pixels = Int(min(Self.sideLimit, side))
      look(at: box, width: pixels, height: pixels)
    }
    return codes
  }

  /// Returns the lightness of each pixel.
  static func gray(of image: PixelBuffer) -> [UInt8] {
    let width = image.width
    var gray = [UInt8](repeating: 0, count: width * image.height)
    image.forEachRGBARow { row, y in
      var output = gray.mutableSpan
      let start = y &* width
      for x in 0..<width {
        let pixel = 4 &* x
        let sum =
          77 &* UInt32(row[pixel]) &+ 150 &* UInt32(row[pixel &+ 1])
          &+ 29 &* UInt32(row[pixel &+ 2])
        output[start &+ x] = UInt8(truncatingIfNeeded: sum >> 8)
      }
    }
    return gray
  }

  private struct Found {
    var kind: ReadCode.Kind
    var value: String
    var places: [SIMD2<Float>]
  }

  /// Returns the codes that zbar finds in an image.
  private static func find(in gray: [UInt8], width: Int, height: Int) -> [Found] {
    var list: OpaquePointer?
    // Sound: the image has `width × height` pixels, and is not used after the list is freed.
    return unsafe gray.withUnsafeBufferPointer { gray -> [Found] in
      let status = unsafe cr_codes_find(
        gray.baseAddress, UInt32(width), UInt32(height), &list)
      guard status == CR_OK, let codes = unsafe list else { return [] }
      defer { unsafe cr_codes_free(codes) }
      var found: [Found] = []
      while unsafe cr_codes_next(codes) {
        guard let kind = unsafe kind(cr_codes_kind(codes)),
          unsafe kind == .qr || Int(cr_codes_quality(codes)) >= leastQuality
        else { continue }
        var count = 0
        guard let bytes = unsafe cr_codes_bytes(codes, &count) else { continue }
        // Sound: zbar has that many bytes until the list is freed.
        let value = unsafe text(of: Array(UnsafeBufferPointer(start: bytes, count: count)))
        guard !value.isEmpty else { continue }
        let places = unsafe (0..<cr_codes_place_count(codes)).map { index in
          var (x, y) = (Int32(0), Int32(0))
          unsafe cr_codes_place(codes, index, &x, &y)
          return SIMD2(Float(x), Float(y))
        }
        found.append(Found(kind: kind, value: value, places: corners(of: places, kind)))
      }
      return found
    }
  }

  private static func kind(_ kind: cr_code_kind) -> ReadCode.Kind? {
    switch kind {
    case CR_EAN8: .ean8
    case CR_EAN13: .ean13
    case CR_UPCA: .upcA
    case CR_UPCE: .upcE
    case CR_CODE128: .code128
    case CR_QR: .qr
    default: nil
    }
  }

  /// Returns the text of bytes, with a replacement character in place of each control character.
  static func text(of bytes: [UInt8]) -> String {
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.map {
      $0.properties.generalCategory == .control ? "\u{FFFD}" : $0
    }
    return String(String.UnicodeScalarView(scalars.prefix(ReadCode.valueLimit)))
  }

  /// Returns the four corners of a QR code, or of the box of a code of bars.
  private static func corners(of places: [SIMD2<Float>], _ kind: ReadCode.Kind) -> [SIMD2<Float>] {
    if kind == .qr, places.count == 4 { return places }
    guard var low = places.first else { return [] }
    var high = low
    for place in places {
      low = pointwiseMin(low, place)
      high = pointwiseMax(high, place)
    }
    return TextBox(from: low, to: high).corners
  }
}

/// An image of one value a pixel.
private struct GrayImage {
  let values: [UInt8]
  let width: Int
  let height: Int

  init(_ values: [UInt8], _ width: Int, _ height: Int) {
    self.values = values
    self.width = width
    self.height = height
  }

  /// Returns a part of the image in another size, by mixing four pixels for each.
  func part(_ frame: ColorImage.Frame, width: Int, height: Int) -> [UInt8] {
    let across = frame.across / Float(width)
    let down = frame.down / Float(height)
    let values = values.span
    var part = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let place = frame.origin + (Float(x) + 0.5) * across + (Float(y) + 0.5) * down - 0.5
        let column = max(0, min(Float(self.width - 1), place.x))
        let row = max(0, min(Float(self.height - 1), place.y))
        let (left, top) = (Int(column), Int(row))
        let (right, bottom) = (min(left + 1, self.width - 1), min(top + 1, self.height - 1))
        let (fx, fy) = (column - Float(left), row - Float(top))
        func value(_ x: Int, _ y: Int) -> Float { Float(values[y &* self.width &+ x]) }
        let upper = value(left, top) * (1 - fx) + value(right, top) * fx
        let lower = value(left, bottom) * (1 - fx) + value(right, bottom) * fx
        part[y * width + x] = UInt8(upper * (1 - fy) + lower * fy)
      }
    }
    return part
  }
}
