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
