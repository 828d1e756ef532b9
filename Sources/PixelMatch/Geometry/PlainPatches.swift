/// The parts of a query image that are of one color, such as a sticker, a finger or a blank in front of a thing.
///
/// A part of a thing can be of one color, too. So a patch is said to cover another image only if it is of
/// another color than the aligned part of that image, and that part has several: a bottle whose cap has another
/// color is another product, a bottle of which a blank hides the cap and what is beside it is not.
struct PlainPatches: Sendable {
  /// The distance in Oklab within which a cell is of the color of its patch.
  private static let plainDistance: Float = 0.03
  /// The number of cells of a patch. A smaller one says nothing, and a larger one is a
  /// background.
  private static let counts =
    QueryColors.side * QueryColors.side / 50...QueryColors.side * QueryColors.side / 3
  /// The distance in Oklab above which a cell of the other image has another color than the
  /// patch.
  private static let otherDistance: Float = 0.08
  /// The share of a patch that must be of another color in the other image.
  private static let otherShare = 0.75
  /// The number of cells inside a patch, away from its edge, that are needed to tell whether the
  /// other image has several colors there.
  private static let leastInner = 6
  /// The root mean square distance of colors from their mean, in Oklab, above which they count as
  /// several colors.
  private static let variedDistance: Float = 0.06

  /// Cells of one color that are connected.
  private struct Patch {
    /// The indices of the cells.
    var cells: [Int]
    /// The cells of the patch whose neighbors all belong to it. Cells at its edge are left out, because a plain part
    /// of a thing has the other colors of the thing there.
    var inner: [Int] = []
    let color: SIMD3<Float>
  }

  private let patches: [Patch]

  /// Finds the patches of an image.
  ///
  /// - Parameter colors: The colors of the cells of ``QueryColors``.
  init(_ colors: [SIMD3<Float>]) {
    let side = QueryColors.side
    var isTaken = [Bool](repeating: false, count: colors.count)
    var patches: [Patch] = []
    for first in colors.indices where !isTaken[first] {
      var patch = Patch(cells: [first], color: colors[first])
      isTaken[first] = true
      var next = 0
      while next < patch.cells.count {
        let cell = patch.cells[next]
        next += 1
        let (row, column) = (cell / side, cell % side)
        for (down, across) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
          let (i, j) = (row + down, column + across)
          guard (0..<side).contains(i), (0..<side).contains(j), !isTaken[i * side + j],
            ColorLayout.length(colors[i * side + j] - patch.color) < Self.plainDistance
          else { continue }
          isTaken[i * side + j] = true
          patch.cells.append(i * side + j)
        }
      }
      guard Self.counts.contains(patch.cells.count) else { continue }
      let cells = Set(patch.cells)
      patch.inner = patch.cells.filter { Self.around($0).allSatisfy(cells.contains) }
      patches.append(patch)
    }
    self.patches = patches
  }

  /// Returns the indices of a cell and those around it.
  private static func around(_ cell: Int) -> [Int] {
    let (side, row, column) = (QueryColors.side, cell / QueryColors.side, cell % QueryColors.side)
    return (max(0, row - 1)...min(side - 1, row + 1)).flatMap { row in
      (max(0, column - 1)...min(side - 1, column + 1)).map { row * side + $0 }
    }
  }

  /// Returns which cells of the query show something in front of another image, those next to it included;
  /// `nil` if none does.
  ///
  /// - Parameter color: The color of the other image where a cell of the query lies in it.
  func covering(_ color: (_ row: Int, _ column: Int) -> SIMD3<Float>?) -> [Bool]? {
    let side = QueryColors.side
    var isCovered: [Bool]?
    for patch in patches {
      let behind = patch.cells.compactMap { color($0 / side, $0 % side) }
      guard behind.count >= Self.counts.lowerBound else { continue }
      let others = behind.count { ColorLayout.length($0 - patch.color) > Self.otherDistance }
      // Only inner cells are compared. Those at the edge of the patch may show what is beside
      // the thing in the query.
      let inner = patch.inner.compactMap { color($0 / side, $0 % side) }
      guard inner.count >= Self.leastInner else { continue }
      let mean = inner.reduce(.zero, +) / Float(inner.count)
      let variance =
        inner.reduce(0) { $0 + (($1 - mean) * ($1 - mean)).sum() } / Float(inner.count)
      guard Double(others) >= Self.otherShare * Double(behind.count),
        variance > Self.variedDistance * Self.variedDistance
      else { continue }
      var covered = isCovered ?? [Bool](repeating: false, count: side * side)
      for cell in patch.cells {
        for other in Self.around(cell) { covered[other] = true }
      }
      isCovered = covered
    }
    return isCovered
  }
}
