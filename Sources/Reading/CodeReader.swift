internal import CReading
package import PixelMatch

/// Reads the bar codes and QR codes of images: EAN-8 and EAN-13, UPC-A and UPC-E, Code 128, QR.
///
/// zbar is loaded when first needed, and looks only at places that a cheap look over the image finds.
package struct CodeReader: Sendable {
  /// The width in pixels of the strip across the bars of a code that zbar gets: four for each module of an EAN.
  private static let barsWidth = 480
  /// The height of that strip.
  private static let barsHeight = 48
  /// The number of rows of it that are looked at before.
  private static let rowsAhead = 6
  /// The fewest edges of a code, of a Code 128 with one character between its start and its end, and the least difference of lightness at one.
  private static let (leastEdges, leastEdge) = (24, 8)
  /// The side in pixels of a module of a QR code in the image that zbar gets.
  private static let moduleSide: Float = 4
  /// The longest side of an image that zbar gets, which cannot be stopped: that of the largest code, of 177 modules, with its quiet zone; and, if there are
  /// more finder patterns than those of one code, of several codes.
  private static let (sideLimit, severalSideLimit): (Float, Float) = (768, 1024)
  /// The number of rows in which a bar code must be read.
  private static let leastQuality = 3

  /// Makes a reader, or returns `nil` if zbar is not installed.
  package init?() {
    guard cr_codes_load() else { return nil }
  }

  /// Returns the codes of an image, each value once, in the order in which they were found; `nil` if it was told to stop, or if
  /// another process looks for them and failed.
  ///
  /// - Parameter shouldStop: Asked for each row of the image, before each place that zbar gets, and while another process looks.
  /// - Complexity: O(pixels), some milliseconds for an image of 1024 × 768 pixels without a code.
  package func codes(in image: PixelBuffer, shouldStop: () -> Bool) -> [ReadCode]? {
    guard let values = Self.gray(of: image, shouldStop),
      let places = CodePlaces(
        in: values, width: image.width, height: image.height, shouldStop: shouldStop)
    else { return nil }
    let gray = GrayImage(values, image.width, image.height)
    let size = SIMD2(Float(image.width), Float(image.height))
    var codes: [ReadCode] = []
    /// Returns whether the look was finished.
    func look(
      for shape: cr_code_shape, in frame: ColorImage.Frame, width: Int, height: Int
    ) -> Bool {
      let part = gray.part(frame, width: width, height: height)
      guard let list = Self.find(shape, in: part, width: width, height: height, shouldStop) else {
        return false
      }
      for found in list {
        if codes.contains(where: { $0.kind == found.kind && $0.value == found.value }) { continue }
        let places = found.places.map { place in
          let point =
            frame.origin + frame.across * (place.x / Float(width))
            + frame.down * (place.y / Float(height))
          return ReadPoint(x: Double(point.x / size.x), y: Double(point.y / size.y))
        }
        codes.append(ReadCode(kind: found.kind, value: found.value, corners: places))
      }
      return true
    }
    var readBoxes: [TextBox] = []
    for box in places.bars {
      if shouldStop() { return nil }
      // A part of a code that was read whole.
      if readBoxes.contains(where: { $0.contains(box.center) }) { continue }
      let frame = Self.frame(of: box)
      let before = codes.count
      guard Self.hasBars(frame, in: gray) else { continue }
      guard look(for: CR_BARS, in: frame, width: Self.barsWidth, height: Self.barsHeight) else {
        return nil
      }
      if codes.count > before { readBoxes.append(box) }
    }
    for square in places.squares {
      if shouldStop() { return nil }
      let side = square.box.size.x * max(1, Self.moduleSide / square.module)
      let limit = square.patternCount == 3 ? Self.sideLimit : Self.severalSideLimit
      let pixels = Int(min(limit, side))
      let frame = Self.frame(of: square.box)
      guard look(for: CR_SQUARES, in: frame, width: pixels, height: pixels) else { return nil }
    }
    return codes
  }

  private static func frame(of box: TextBox) -> ColorImage.Frame {
    let corners = box.corners
    return ColorImage.Frame(
      origin: corners[0], across: corners[1] - corners[0], down: corners[3] - corners[0])
  }

  /// Returns whether some row across a strip has as many edges as the shortest code.
  private static func hasBars(_ frame: ColorImage.Frame, in gray: GrayImage) -> Bool {
    let rows = gray.part(frame, width: barsWidth, height: rowsAhead)
    return (0..<rowsAhead).contains {
      CodeLoops.edgeCount(of: rows[$0 * barsWidth..<($0 + 1) * barsWidth], atLeast: leastEdge)
        >= leastEdges
    }
  }

  /// Returns the lightness of each pixel, or `nil` if it was told to stop.
  static func gray(of image: PixelBuffer, _ shouldStop: () -> Bool) -> [UInt8]? {
    let width = image.width
    var gray = [UInt8](repeating: 0, count: width * image.height)
    let isWhole = image.forEachRGBARow(until: shouldStop) { row, y in
      CodeLoops.gray(row, into: &gray, at: y * width, width)
    }
    return isWhole ? gray : nil
  }

  private struct Found {
    var kind: ReadCode.Kind
    var value: String
    var places: [SIMD2<Float>]
  }

  /// Returns the codes of one shape that zbar finds in an image, or `nil` if the look in another process failed, or was told to stop.
  private static func find(
    _ shape: cr_code_shape, in gray: [UInt8], width: Int, height: Int, _ shouldStop: () -> Bool
  ) -> [Found]? {
    var list: OpaquePointer?
    // Sound: the image has `width × height` pixels, and is not used after the list is freed.
    return unsafe gray.withUnsafeBufferPointer { gray -> [Found]? in
      var status = unsafe cr_codes_find(
        gray.baseAddress, UInt32(width), UInt32(height), shape, &list)
      guard let codes = unsafe list else { return [] }
      defer { unsafe cr_codes_free(codes) }
      while status == CR_MORE {
        if shouldStop() { return nil }
        status = unsafe cr_codes_wait(codes)
      }
      guard status == CR_OK else { return nil }
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
    precondition(width > 0 && height > 0 && values.count >= width * height)
    self.values = values
    self.width = width
    self.height = height
  }

  /// Returns a part of the image in another size, by mixing four pixels for each.
  func part(_ frame: ColorImage.Frame, width: Int, height: Int) -> [UInt8] {
    let across = frame.across / Float(width)
    let down = frame.down / Float(height)
    var place = cr_part_frame(
      x: frame.origin.x, y: frame.origin.y, across_x: across.x, across_y: across.y,
      down_x: down.x, down_y: down.y)
    var part = [UInt8](repeating: 0, count: width * height)
    // Sound: both images have the sizes that are passed, and C clamps every place to the first.
    unsafe values.withUnsafeBufferPointer { values in
      unsafe part.withUnsafeMutableBufferPointer { part in
        var image = unsafe cr_gray_image(
          gray: values.baseAddress, width: self.width, height: self.height)
        unsafe cr_part(&image, &place, UInt32(width), UInt32(height), part.baseAddress)
      }
    }
    return part
  }
}

/// The loops over pixels, which are in C. Each checks that the memory has as many bytes as C reads and writes.
enum CodeLoops {
  /// Writes the lightness of a row of four bytes a pixel.
  static func gray(
    _ row: Span<UInt8>, into gray: inout [UInt8], at start: Int, _ width: Int
  ) {
    precondition(row.count >= 4 * width && start >= 0 && start + width <= gray.count)
    unsafe row.withUnsafeBufferPointer { row in
      unsafe gray.withUnsafeMutableBufferPointer { gray in
        unsafe cr_gray(row.baseAddress, width, gray.baseAddress! + start)
      }
    }
  }

  /// Returns the sums of the steps within a block.
  ///
  /// - Parameters:
  ///   - start: The index of its first pixel.
  ///   - columns: The number of corners of four pixels across, at most 16.
  ///   - rows: Their number down, at most 16.
  static func edges(
    in gray: [UInt8], width: Int, from start: Int, columns: Int, rows: Int
  ) -> cr_edge_sums {
    precondition((0...16).contains(columns) && (0...16).contains(rows))
    precondition(start >= 0 && start + rows * width + columns < gray.count)
    var sums = cr_edge_sums()
    unsafe gray.withUnsafeBufferPointer { gray in
      unsafe cr_edges(gray.baseAddress! + start, width, columns, rows, &sums)
    }
    return sums
  }

  /// Returns an image of half the width and height: each pixel is the mean of four.
  static func half(of gray: [UInt8], width: Int, height: Int) -> [UInt8] {
    precondition(width >= 0 && height >= 0 && gray.count >= width * height)
    var half = [UInt8](repeating: 0, count: (width / 2) * (height / 2))
    unsafe gray.withUnsafeBufferPointer { gray in
      unsafe half.withUnsafeMutableBufferPointer { half in
        unsafe cr_half(gray.baseAddress, width, height, half.baseAddress)
      }
    }
    return half
  }

  /// Writes whether each of some pixels is darker than a mean: 1 or 0.
  static func dark(
    _ gray: [UInt8], _ pixels: Range<Int>, than mean: Int, into isDark: inout [UInt8]
  ) {
    precondition(pixels.lowerBound >= 0 && pixels.upperBound <= min(gray.count, isDark.count))
    unsafe gray.withUnsafeBufferPointer { gray in
      unsafe isDark.withUnsafeMutableBufferPointer { isDark in
        unsafe cr_dark(
          gray.baseAddress! + pixels.lowerBound, pixels.count, Int32(mean),
          isDark.baseAddress! + pixels.lowerBound)
      }
    }
  }

  /// Returns the number of edges of a line: its falls and rises by at least `step`, but for a rise at its start.
  static func edgeCount(of line: ArraySlice<UInt8>, atLeast step: Int) -> Int {
    unsafe line.withUnsafeBufferPointer {
      unsafe cr_edge_count($0.baseAddress, $0.count, Int32(step))
    }
  }

  /// Finds the finder patterns along a line of `count` bytes, `step` apart.
  ///
  /// - Parameter runs: Room for half as many patterns as the line has bytes.
  /// - Returns: The number of patterns.
  static func finderRuns(
    in isDark: [UInt8], from start: Int, step: Int, count: Int, into runs: inout [cr_finder_run]
  ) -> Int {
    precondition(start >= 0 && step > 0 && count > 0)
    precondition(start + step * (count - 1) < isDark.count)
    return unsafe isDark.withUnsafeBufferPointer { isDark in
      unsafe runs.withUnsafeMutableBufferPointer { runs in
        unsafe cr_finder_runs(
          isDark.baseAddress! + start, step, count, runs.baseAddress, runs.count)
      }
    }
  }
}
