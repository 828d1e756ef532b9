internal import CKernels

/// The blur of PDQ, in single precision and with additions in the order of the reference.
extension Kernels {
  /// The number of rows that are blurred together.
  static let pdqLanes = Int(CK_PDQ_LANES)

  /// Computes the brightness of a row of RGBA pixels, `0.299 R + 0.587 G + 0.114 B`, correctly rounded.
  ///
  /// - Parameters:
  ///   - rgba: Four bytes a pixel.
  ///   - out: Receives a value for each pixel, the first at `start`.
  func pdqLuma(_ rgba: Span<UInt8>, into out: inout [Float], at start: Int) {
    let count = Self.pixelCount(rgba)
    precondition(start >= 0 && start <= out.count - count, "there is no room for the row")
    guard count > 0 else { return }
    // Sound: the row has four bytes a pixel, and `out` has room for all of them from `start` on.
    unsafe rgba.withUnsafeBufferPointer { rgba in
      unsafe out.withUnsafeMutableBufferPointer { out in
        unsafe ck_pdq_luma(rgba.baseAddress!, count, out.baseAddress! + start, level)
      }
    }
  }

  /// Averages `window` neighbors along each of ``pdqLanes`` rows, in place; fewer at the ends of a
  /// row.
  ///
  /// - Parameter rows: `width` values for each row, one row after the other.
  func pdqBoxRows(_ rows: inout [Float], width: Int, window: Int) {
    Self.checkBoxRows(rows.count, width: width, window: window)
    // Sound: the rows have the size that was just checked, and the scratch space twice as much.
    unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * rows.count) { scratch in
      unsafe rows.withUnsafeMutableBufferPointer { rows in
        unsafe ck_pdq_box_rows(rows.baseAddress!, width, window, scratch.baseAddress!, level)
      }
    }
  }

  /// Averages like ``pdqBoxRows(_:width:window:)`` and returns the values at the given columns.
  ///
  /// - Returns: A value for each of `columns`, one row after the other.
  func pdqBoxRows(
    _ rows: Span<Float>, width: Int, window: Int, columns: Span<UInt32>
  ) -> [Float] {
    Self.checkBoxRows(rows.count, width: width, window: window)
    for index in columns.indices {
      precondition(columns[index] < width, "a column lies outside the rows")
    }
    let count = columns.count
    guard count > 0 else { return [] }
    let valueCount = Self.pdqLanes * count
    // Sound: the rows have the size that was just checked, the scratch space has twice that size,
    // every column lies within the rows, and the result has a value for each column of each row.
    return unsafe [Float](unsafeUninitializedCapacity: valueCount) { kept, keptCount in
      unsafe rows.withUnsafeBufferPointer { rows in
        unsafe columns.withUnsafeBufferPointer { columns in
          unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * rows.count) {
            scratch in
            unsafe ck_pdq_box_rows_at(
              rows.baseAddress!, width, window, columns.baseAddress!, count, scratch.baseAddress!,
              kept.baseAddress!, level)
          }
        }
      }
      keptCount = valueCount
    }
  }

  /// Moves a box down the columns by one row, which replaces the oldest row, and averages.
  ///
  /// - Parameters:
  ///   - row: The next row.
  ///   - window: The number of rows in the box.
  ///   - oldest: Holds the row that leaves the box, from `start` on; receives `row` in its place.
  ///   - sums: The sum of each column.
  ///   - output: Receives the average of each column, the first at `outputStart`.
  func pdqBoxColumns(
    _ row: Span<Float>, window: Int, oldest: inout [Float], at start: Int,
    sums: inout [Float], output: inout [Float], at outputStart: Int
  ) {
    let width = row.count
    precondition(
      sums.count == width && start >= 0 && start <= oldest.count - width && outputStart >= 0
        && outputStart <= output.count - width,
      "rows of different widths")
    guard width > 0 else { return }
    // Sound: all four rows have `width` values.
    unsafe row.withUnsafeBufferPointer { row in
      unsafe oldest.withUnsafeMutableBufferPointer { oldest in
        unsafe sums.withUnsafeMutableBufferPointer { sums in
          unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe ck_pdq_box_columns(
              row.baseAddress!, width, Float(window), oldest.baseAddress! + start,
              sums.baseAddress!, output.baseAddress! + outputStart, level)
          }
        }
      }
    }
  }

  /// Computes the cosine terms of a 64 × 64 plane, 16 × 16: the cosines times the plane, times the transposed cosines.
  ///
  /// - Parameter cosines: 16 rows of 64.
  func pdqTerms(_ plane: Span<Float>, cosines: Span<Float>) -> [Float] {
    precondition(plane.count == 64 * 64, "a PDQ plane has 64 × 64 values")
    let side = Int(CK_PDQ_TERMS)
    precondition(cosines.count == side * 64, "\(side) rows of 64 cosines")
    // Sound: the plane and the cosines have the values that are read, and as many terms are written as there is room
    // for.
    return unsafe [Float](unsafeUninitializedCapacity: side * side) { terms, count in
      unsafe plane.withUnsafeBufferPointer { plane in
        unsafe cosines.withUnsafeBufferPointer { cosines in
          unsafe ck_pdq_terms(
            plane.baseAddress!, cosines.baseAddress!, terms.baseAddress!, level)
        }
      }
      count = side * side
    }
  }

  /// Returns the sum of the differences between neighbors of a 64 × 64 plane, in whole hundredths
  /// of 255.
  func pdqSteps(_ plane: Span<Float>) -> Int {
    precondition(plane.count == 64 * 64, "a PDQ plane has 64 × 64 values")
    // Sound: the plane has the 64 × 64 values that are read.
    return unsafe plane.withUnsafeBufferPointer { plane in
      unsafe Int(ck_pdq_steps(plane.baseAddress!, level))
    }
  }

  private static func checkBoxRows(_ count: Int, width: Int, window: Int) {
    precondition(window >= 1 && window <= width, "a window of \(window) in rows of \(width) values")
    precondition(count == pdqLanes * width, "\(count) values for \(pdqLanes) rows of \(width)")
  }

  /// The number of pixels of an RGBA row.
  static func pixelCount(_ rgba: Span<UInt8>) -> Int {
    precondition(rgba.count % 4 == 0, "a row of RGBA has four bytes a pixel")
    return rgba.count / 4
  }
}
