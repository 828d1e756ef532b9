internal import CKernels

/// The division of a row of source pixels among the columns of a smaller image.
struct AreaCuts: Sendable {
  /// The number of source pixels.
  let sourceWidth: Int
  fileprivate let cuts: [ck_area_cut]

  /// Divides `sourceWidth` pixels among `width` columns.
  ///
  /// - Precondition: There is at least one column, and there are at least as many pixels.
  init(sourceWidth: Int, width: Int) {
    precondition(width >= 1 && width <= sourceWidth, "\(width) columns of \(sourceWidth) pixels")
    self.sourceWidth = sourceWidth
    var start = 0
    cuts = (1...width).map { column in
      // The last pixel that reaches into the column, and how much of it lies there.
      let end = column * sourceWidth
      let last = (end - 1) / width
      defer { start = last + 1 }
      return ck_area_cut(whole: UInt32(last - start), share: UInt32(end - last * width))
    }
  }
}

/// Reduction of an image by area.
extension Kernels {
  /// Adds the bytes of a row, each times `share`, to the sums, one for each byte.
  ///
  /// - Parameter isFirst: True if the row is the first one, which replaces the sums.
  func areaAdd(
    _ row: Span<UInt8>, times share: UInt32, to sums: inout [UInt32], isFirst: Bool = false
  ) {
    let count = sums.count
    precondition(row.count == count, "\(row.count) bytes for \(count) sums")
    guard count > 0 else { return }
    // Sound: the row has a byte for each sum.
    unsafe row.withUnsafeBufferPointer { row in
      unsafe sums.withUnsafeMutableBufferPointer { sums in
        let add = unsafe isFirst ? ck_area_start_row : ck_area_add_row
        unsafe add(row.baseAddress!, count, share, sums.baseAddress!, level)
      }
    }
  }

  /// Makes a row of the smaller image from the sums of the source rows that it covers.
  ///
  /// - Parameters:
  ///   - sums: Four for each source pixel, below 2²⁸.
  ///   - area: The number of pixels of the source, below 2⁴³.
  ///   - out: Receives four bytes for each column, the first at `start`.
  func areaFinish(
    _ sums: [UInt32], _ cuts: AreaCuts, area: Int, into out: inout [UInt8], at start: Int
  ) {
    let width = cuts.cuts.count
    precondition(sums.count == 4 * cuts.sourceWidth, "four sums for each source pixel")
    precondition(area >= 1 && area < 1 << 43, "an area of \(area) pixels")
    precondition(start >= 0 && start <= out.count - 4 * width, "there is no room for the row")
    // Sound: the initializer of the cuts makes them cover as many pixels as there are sums of four,
    // and `out` has room for all columns from `start` on.
    unsafe out.withUnsafeMutableBufferPointer { out in
      unsafe ck_area_finish_row(
        sums, cuts.cuts, width, UInt64(area), out.baseAddress! + start, level)
    }
  }
}

/// The pixels of a line that each pixel of a longer line is mixed of.
struct CubicPlaces: Sendable {
  /// The sum of the weights of a pixel.
  static let one = Int32(CK_CUBIC_ONE)

  /// The number of pixels of the line.
  let sourceCount: Int
  fileprivate let places: [ck_cubic_place]

  /// - Parameter sources: For each new pixel the indices of four pixels, all below `sourceCount`, and their weights.
  init(of sourceCount: Int, _ sources: [(pixels: SIMD4<Int>, weights: SIMD4<Int32>)]) {
    self.sourceCount = sourceCount
    places = sources.map { source in
      let (pixels, weights) = source
      precondition(
        pixels.min() >= 0 && pixels.max() < sourceCount && weights.wrappedSum() == Self.one)
      let of = SIMD4<UInt32>(truncatingIfNeeded: pixels)
      return ck_cubic_place(
        sources: (of[0], of[1], of[2], of[3]),
        weights: (weights[0], weights[1], weights[2], weights[3]))
    }
  }

  /// The number of pixels of the longer line.
  var count: Int { places.count }
}

/// Enlargement of an image of four bytes a pixel.
extension Kernels {
  /// Returns the rows of an image, made longer.
  func lengthenedRows(_ pixels: [UInt8], _ across: CubicPlaces) -> [UInt8] {
    let rowBytes = 4 * across.sourceCount
    let rowCount = pixels.count / rowBytes
    precondition(pixels.count == rowCount * rowBytes)
    var longer = [UInt8](repeating: 0, count: 4 * across.count * rowCount)
    // Sound: each row has the pixels that the places name, and `longer` has room for all places of each row.
    unsafe pixels.withUnsafeBufferPointer { pixels in
      unsafe longer.withUnsafeMutableBufferPointer { longer in
        unsafe across.places.withUnsafeBufferPointer { places in
          for row in 0..<rowCount {
            unsafe ck_cubic_row(
              pixels.baseAddress! + row * rowBytes, places.baseAddress!, places.count,
              longer.baseAddress! + 4 * places.count * row, level)
          }
        }
      }
    }
    return longer
  }

  /// Returns an image with more rows.
  ///
  /// - Parameter rowBytes: The number of bytes of a row.
  func lengthenedColumns(_ pixels: [UInt8], rowBytes: Int, _ down: CubicPlaces) -> [UInt8] {
    precondition(pixels.count == rowBytes * down.sourceCount)
    var longer = [UInt8](repeating: 0, count: rowBytes * down.count)
    // Sound: the image has the rows that the places name, and `longer` has room for a row of each place.
    unsafe pixels.withUnsafeBufferPointer { pixels in
      unsafe longer.withUnsafeMutableBufferPointer { longer in
        unsafe down.places.withUnsafeBufferPointer { places in
          for row in 0..<places.count {
            unsafe ck_cubic_rows(
              pixels.baseAddress!, rowBytes, places.baseAddress! + row,
              longer.baseAddress! + rowBytes * row, level)
          }
        }
      }
    }
    return longer
  }
}
