internal import CKernels

/// The planes of brightness from which corners, their hashes and textures are computed: row-major
/// without padding, at most 2048 pixels wide and high.
extension Kernels {
  /// The length of the longest side of a plane.
  static let planeSideLimit = 2048

  /// Appends the brightness of a row of RGBA pixels, `(77 R + 150 G + 29 B + 128) / 256`.
  ///
  /// - Parameter rgba: Four bytes a pixel.
  func appendLuma(of rgba: Span<UInt8>, to plane: inout [UInt8]) {
    let count = Self.pixelCount(rgba)
    guard count > 0 else { return }
    plane.append(addingCapacity: count) { free in
      // Sound: the row has four bytes a pixel, and there is room for all of them.
      unsafe rgba.withUnsafeBufferPointer { rgba in
        unsafe free.withUnsafeMutableBufferPointer { free, filled in
          unsafe ck_luma(rgba.baseAddress!, count, free.baseAddress!, level)
          filled += count
        }
      }
    }
  }

  /// Averages squares of 2 × 2 pixels to `width / 2` × `height / 2` pixels.
  func reducedBy2(_ luma: Span<UInt8>, width: Int, height: Int) -> [UInt8] {
    Self.checkPlane(luma.count, width, height)
    let count = width / 2 * (height / 2)
    guard count > 0 else { return [] }
    // Sound: the plane has `width * height` pixels, and `count` pixels are written.
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { out, outCount in
      unsafe luma.withUnsafeBufferPointer { luma in
        unsafe ck_reduce_by_2(luma.baseAddress!, width, height, out.baseAddress!, level)
      }
      outCount = count
    }
  }

  /// Reduces three columns and rows to two, by area: `width / 3 * 2` × `height / 3 * 2` pixels.
  func reducedBy3To2(_ luma: Span<UInt8>, width: Int, height: Int) -> [UInt8] {
    Self.checkPlane(luma.count, width, height)
    let count = width / 3 * 2 * (height / 3 * 2)
    guard count > 0 else { return [] }
    // Sound: the plane has `width * height` pixels, and `count` pixels are written.
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { out, outCount in
      unsafe luma.withUnsafeBufferPointer { luma in
        unsafe ck_reduce_by_3_2(luma.baseAddress!, width, height, out.baseAddress!, level)
      }
      outCount = count
    }
  }

  /// Sums the 5 × 5 pixels around each pixel. The pixels of the edge are repeated beyond it.
  func boxSums(_ luma: Span<UInt8>, width: Int, height: Int) -> [UInt16] {
    Self.checkPlane(luma.count, width, height)
    var columns = [UInt16](repeating: 0, count: width + 2 * Int(CK_BOX_RADIUS))
    // Sound: the plane has `width * height` pixels, as many sums are written, and `columns` has the
    // required room for two more columns on each side.
    return unsafe [UInt16](unsafeUninitializedCapacity: width * height) { out, outCount in
      unsafe luma.withUnsafeBufferPointer { luma in
        unsafe ck_box_sums(
          luma.baseAddress!, width, height, &columns, out.baseAddress!, level)
      }
      outCount = width * height
    }
  }

  /// Calls `body` with each corner of a plane, row by row, up to the first `limit` corners.
  ///
  /// A corner is a pixel at which twice the smaller eigenvalue of the gradient's second moments
  /// over 7 × 7 pixels exceeds `threshold` and the values of the eight pixels around it. Of equal
  /// neighbors, the first one counts.
  ///
  /// - Parameter body: Receives `y * width + x` and the corner's response.
  func forEachCorner(
    of luma: Span<UInt8>, width: Int, height: Int, threshold: Float, limit: Int,
    _ body: (_ place: Int, _ response: Float) -> Void
  ) {
    Self.checkPlane(luma.count, width, height)
    precondition(limit >= 1, "a limit of \(limit) corners")
    let scratchCount = Int(CK_CORNER_SCRATCH) * (width + Int(CK_CORNER_PADDING))
    // Sound: the plane has `width * height` pixels, the scratch space has the required size, and
    // both results have room for `limit` corners.
    unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: scratchCount) { scratch in
      unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: limit) { places in
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: limit) { responses in
          let count = unsafe luma.withUnsafeBufferPointer { luma in
            unsafe ck_corners(
              luma.baseAddress!, width, height, threshold, scratch.baseAddress!,
              places.baseAddress!, responses.baseAddress!, limit, level)
          }
          for index in 0..<count { unsafe body(Int(places[index]), responses[index]) }
        }
      }
    }
  }

  /// Returns the angle of the patch around a position: the direction of most of its gradients, in 256 steps of a turn.
  ///
  /// - Parameter sums: The sums of 5 × 5 pixels around each pixel.
  func patchAngle(_ sums: Span<UInt16>, width: Int, height: Int, x: Int, y: Int) -> UInt8 {
    Self.checkPlane(sums.count, width, height, x: x, y: y)
    // Sound: the span has a value for each pixel, and the function moves positions beyond the edge
    // to it.
    return unsafe sums.withUnsafeBufferPointer { sums in
      unsafe UInt8(
        ck_patch_angle(
          sums.baseAddress!, Int32(width), Int32(height), Int32(x), Int32(y), level))
    }
  }

  /// The number of samples along each side of a patch.
  static let patchSide = Int(CK_PATCH_SIDE)
  /// The number of pixels from one sample to the next.
  static let patchStep = Int(CK_PATCH_STEP)

  /// Computes the hash of the patch around a position, turned by an angle. A pixel beyond the edge is replaced by the nearest
  /// pixel of the edge.
  ///
  /// - Parameters:
  ///   - sums: The sums of 5 × 5 pixels around each pixel.
  ///   - direction: The cosine and the sine of the angle, times 2¹⁴.
  ///   - doubts: Receives the ``knownDoubts`` least certain of the first 24 bits, the least certain first, ties by bit.
  func patchHash(
    _ sums: Span<UInt16>, width: Int, height: Int, x: Int, y: Int,
    direction: (cosine: Int, sine: Int), doubts: inout [UInt8]
  ) -> SIMD3<UInt32> {
    Self.checkPlane(sums.count, width, height, x: x, y: y)
    let start = doubts.count
    doubts.append(contentsOf: repeatElement(0, count: Self.knownDoubts))
    var hash = SIMD3<UInt32>.zero
    // Sound: there is a value for each pixel, positions beyond the edge are moved to it, the patch has room for all samples,
    // room for the bits was just appended, and the hash is at least three words in memory.
    unsafe withUnsafeTemporaryAllocation(
      of: Int16.self, capacity: Self.patchSide * Self.patchSide
    ) { samples in
      unsafe sums.withUnsafeBufferPointer { sums in
        unsafe ck_turned_patch(
          sums.baseAddress!, Int32(width), Int32(height), Int32(x), Int32(y),
          Int32(direction.cosine), Int32(direction.sine), samples.baseAddress!, level)
      }
      unsafe withUnsafeMutableBytes(of: &hash) { hash in
        unsafe doubts.withUnsafeMutableBufferPointer { doubts in
          unsafe ck_patch_hash(
            samples.baseAddress!, hash.baseAddress!.assumingMemoryBound(to: UInt32.self),
            doubts.baseAddress! + start, level)
        }
      }
    }
    return hash
  }

  /// Computes the hash of the samples of a patch, row by row, each a sum of 5 × 5 pixels.
  func patchHash(_ samples: Span<Int16>) -> SIMD3<UInt32> {
    precondition(
      samples.count == Self.patchSide * Self.patchSide, "\(samples.count) samples of a patch")
    var hash = SIMD3<UInt32>.zero
    // Sound: the patch has all samples, and the hash is at least three words in memory.
    unsafe samples.withUnsafeBufferPointer { samples in
      unsafe withUnsafeMutableBytes(of: &hash) { hash in
        unsafe ck_patch_hash(
          samples.baseAddress!, hash.baseAddress!.assumingMemoryBound(to: UInt32.self), nil, level)
      }
    }
    return hash
  }

  /// Counts the local binary patterns of all pixels except those at the edge.
  ///
  /// - Returns: The number of pixels by how many of the eight neighbors are at least as bright, 0
  ///   to 8; at index 9, the pixels whose pattern changes more than twice around the circle; at
  ///   index 10, the pixels without contrast.
  /// - Precondition: Both sides are at least 3.
  func textureCounts(_ luma: Span<UInt8>, width: Int, height: Int) -> [UInt32] {
    Self.checkPlane(luma.count, width, height)
    precondition(min(width, height) >= 3, "a plane of \(width) × \(height) has no inner pixels")
    var classes = [UInt8](repeating: 0, count: width)
    var counts = [UInt32](repeating: 0, count: Int(CK_TEXTURE_CLASSES))
    // Sound: the plane has `width * height` pixels, and both other buffers have the required room.
    unsafe luma.withUnsafeBufferPointer { luma in
      unsafe ck_texture_counts(luma.baseAddress!, width, height, &classes, &counts, level)
    }
    return counts
  }

  private static func checkPlane(_ count: Int, _ width: Int, _ height: Int) {
    precondition(
      (1...planeSideLimit).contains(width) && (1...planeSideLimit).contains(height)
        && count == width * height, "\(count) values for a plane of \(width) × \(height)")
  }

  private static func checkPlane(_ count: Int, _ width: Int, _ height: Int, x: Int, y: Int) {
    checkPlane(count, width, height)
    precondition((0..<width).contains(x) && (0..<height).contains(y), "a place outside the plane")
  }
}
