import Testing
@testable import PixelMatch

/// A buffer of the wrong size must stop the program before a C function reads or writes outside it.
@Suite struct KernelFenceTests {
  /// One wrong argument for each kernel that takes buffers, and the message that reports it.
  enum Misuse: String, Codable, CaseIterable {
    case hammingScanWithoutRoom = "there is no room for every hit"
    case hammingScanOfHalfABlock = "a block has 32 words"
    case hammingScanWithoutQuery = "a query has four words"
    case l1FilterOfHalfARow = "a row has 288 bins in 144 bytes"
    case l1FilterOfAMissingRow = "there is no row of one of the indices"
    case sumScanOfHalfARow = "a row of sums has 32 bytes"
    case cosineScanOfANarrowRow = "a query has a head and components, and a row has room for them"
    case nearestOfTooManyCodes = "the blocks do not hold 9 codes"
    case pdqLumaWithoutRoom = "there is no room for the row"
    case boxRowsOfOneRow = "64 values for 16 rows of 64"
    case boxColumnsOfOtherWidth = "rows of different widths"
    case stepsOfASmallPlane = "a PDQ plane has 64 × 64 values"
    case areaOfAShortRow = "7 bytes for 8 sums"
    case areaCutsOfAnotherRow = "four sums for each source pixel"
    case colorsWithoutWeights = "1 weights for 2 colors"
    case stepsOfAnotherPicture = "4 colors and 4 weights for 3 × 2 pixels"
    case planeOfAnotherSize = "99 values for a plane of 10 × 10"
    case patchOutsideThePlane = "a place outside the plane"
    case patchWithoutItsLastSample = "323 samples of a patch"
    case textureOfTwoRows = "a plane of 10 × 2 has no inner pixels"
    case votesWithoutStarts = "the starts are not those of the words"
    case votesWithoutAngles = "the keypoints of a view do not fit together"
    case votesOfAnotherSegment = "there is no bit for row 64"
    case missingInstructionSet = "the processor has no instructions of level 4"

    func commit() {
      let kernels = Kernels(level: 0)
      let (words, bytes, floats) = (
        [UInt64](repeating: 0, count: 33), [UInt8](repeating: 0, count: 287),
        [Float](repeating: 0, count: 64)
      )
      var (indices, distances) = (
        [UInt32](repeating: 0, count: 7), [UInt32](repeating: 0, count: 8)
      )
      var (row, sums, output) = (floats, floats, floats)
      let colors = [SIMD3<Float>](repeating: .zero, count: 4)
      var pixels = [UInt8](repeating: 0, count: 40)
      switch self {
      case .hammingScanWithoutRoom:
        _ = kernels.hammingScan(
          words.span.extracting(first: 32), queries: words.span.extracting(first: 4), limit: 0,
          indices: &indices, distances: &distances)
      case .hammingScanOfHalfABlock:
        _ = kernels.hammingScan(
          words.span, queries: words.span.extracting(first: 4), limit: 0, indices: &distances,
          distances: &indices)
      case .hammingScanWithoutQuery:
        _ = kernels.hammingScan(
          words.span.extracting(first: 32), queries: words.span.extracting(first: 0), limit: 0,
          indices: &distances, distances: &indices)
      case .l1FilterOfHalfARow:
        _ = kernels.l1Filter(
          bytes.span, query: bytes.span, limit: 0, indices: &indices, count: 1,
          distances: &distances)
      case .l1FilterOfAMissingRow:
        indices[0] = 2
        _ = kernels.l1Filter(
          [UInt8](repeating: 0, count: 288).span, query: [UInt8](repeating: 0, count: 288).span,
          limit: 0, indices: &indices, count: 1, distances: &distances)
      case .sumScanOfHalfARow:
        _ = kernels.sumScan(
          bytes.span.extracting(first: 48), query: bytes.span.extracting(first: 32), limit: 0,
          indices: &indices)
      case .cosineScanOfANarrowRow:
        _ = kernels.cosineScan(
          bytes.span.extracting(first: 24), rowByteCount: 24,
          query: bytes.span.extracting(first: 32),
          limit: 0, indices: &indices, distances: &distances)
      case .nearestOfTooManyCodes:
        _ = kernels.nearestCodes(
          to: distances.span.extracting(first: 3), in: [UInt32](repeating: 0, count: 24).span,
          count: 9)
      case .pdqLumaWithoutRoom:
        kernels.pdqLuma(bytes.span.extracting(first: 8), into: &row, at: 63)
      case .boxRowsOfOneRow: kernels.pdqBoxRows(&row, width: 64, window: 1)
      case .boxColumnsOfOtherWidth:
        kernels.pdqBoxColumns(
          floats.span.extracting(first: 63), window: 1, oldest: &row, at: 0, sums: &sums,
          output: &output, at: 0)
      case .stepsOfASmallPlane: _ = kernels.pdqSteps(floats.span)
      case .areaOfAShortRow:
        kernels.areaAdd(bytes.span.extracting(first: 7), times: 1, to: &distances)
      case .areaCutsOfAnotherRow:
        kernels.areaFinish(
          distances, AreaCuts(sourceWidth: 3, width: 2), area: 3, into: &pixels, at: 0)
      case .colorsWithoutWeights:
        _ = kernels.colorBins(
          colors.span.extracting(first: 2), weights: floats.span.extracting(first: 1))
      case .stepsOfAnotherPicture:
        _ = kernels.stepBins(
          colors.span, weights: floats.span.extracting(first: 4), width: 3, height: 2, reach: 1)
      case .planeOfAnotherSize:
        _ = kernels.boxSums(bytes.span.extracting(first: 99), width: 10, height: 10)
      case .patchOutsideThePlane:
        _ = kernels.patchAngle(
          [UInt16](repeating: 0, count: 100).span, width: 10, height: 10, x: 10, y: 0)
      case .patchWithoutItsLastSample:
        _ = kernels.patchHash([Int16](repeating: 0, count: 323).span)
      case .textureOfTwoRows:
        _ = kernels.textureCounts(bytes.span.extracting(first: 20), width: 10, height: 2)
      case .votesWithoutStarts:
        _ = kernels.hits(
          of: [.init(hashes: [], angles: [], doubts: [], isMirrored: false)],
          starts: indices.span, postings: words.span,
          index: .init(wordBits: 3, rowCount: 1, longest: 1))
      case .votesWithoutAngles:
        _ = kernels.hits(
          of: [.init(hashes: [1], angles: [], doubts: [], isMirrored: false)],
          starts: [UInt32](repeating: 0, count: 9).span, postings: words.span,
          index: .init(wordBits: 3, rowCount: 1, longest: 1))
      case .votesOfAnotherSegment:
        _ = kernels.rankedVotes([64 << 40], limit: 1, dead: [0])
      case .missingInstructionSet: _ = Kernels(level: 4)
      }
    }
  }

  @Test(arguments: Misuse.allCases)
  func `a buffer of the wrong size traps`(misuse: Misuse) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [misuse] in
      misuse.commit()
    }
    let written = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(written.contains(misuse.rawValue))
  }
}
