/// A number for each kind of evidence that is measured in an image.
struct EvidenceVector: Sendable, Hashable {
  typealias Lane = MeasuredEvidence.Lane

  /// Wide enough for ``MeasuredEvidence/Lane``, which a test checks; the further lanes are zero.
  private var lanes = SIMD16<Double>()

  /// The most kinds that there is room for. For more, ``lanes`` is to be a wider vector.
  static let capacity = SIMD16<Double>.scalarCount

  /// Makes zeros.
  init() {}

  /// Makes a number for each kind by a function.
  init(_ number: (Lane) -> Double) {
    for lane in Lane.allCases { self[lane] = number(lane) }
  }

  /// Makes numbers in the order of the kinds.
  init(_ numbers: some Collection<Double>) {
    for (lane, number) in zip(Lane.allCases, numbers) { self[lane] = number }
  }

  subscript(lane: Lane) -> Double {
    get { lanes[lane.rawValue] }
    set { lanes[lane.rawValue] = newValue }
  }

  /// The numbers in the order of the kinds.
  var numbers: [Double] { Lane.allCases.map { self[$0] } }

  /// The sum, added kind by kind so that the bits are the same on every processor.
  var sum: Double { Lane.allCases.reduce(0) { $0 + self[$1] } }

  /// Returns the products.
  func times(_ other: Self) -> Self {
    var product = self
    product.lanes *= other.lanes
    return product
  }

  /// Returns the sum of the products, added as in ``sum``.
  func dot(_ other: Self) -> Double {
    var sum = 0.0
    for index in lanes.indices { sum += lanes[index] * other.lanes[index] }
    return sum
  }

  /// Returns the greater number of each kind.
  func highest(with other: Self) -> Self {
    var highest = self
    highest.lanes = pointwiseMax(lanes, other.lanes)
    return highest
  }
}
