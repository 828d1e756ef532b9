#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The evidence measured for one candidate: one vector lane for each kind.
struct MeasuredEvidence: Sendable, Hashable {
  /// The kinds of evidence that a score is made of, in the order of the lanes and the coefficients.
  enum Lane: Int, Sendable, CaseIterable {
    case hash, color, texture, votes, inliers, agreement, alignedColor, labels

    /// The name of the evidence in an answer.
    var kind: Evidence.Kind {
      switch self {
      case .hash: .hash
      case .color: .color
      case .texture: .texture
      case .votes: .votes
      case .inliers: .inliers
      case .agreement: .agreement
      case .alignedColor: .alignedColor
      case .labels: .labels
      }
    }
  }

  /// One number for each lane, in the unit of its ``Evidence/Kind``; 0 where nothing was measured.
  private var values = SIMD8<Double>()
  /// One bit for each lane that was measured.
  private var measuredLanes: UInt8 = 0

  /// Collects what was measured.
  ///
  /// - Parameters:
  ///   - alignedColor: `nil` if nothing aligns the images.
  ///   - labels: `nil` if no label of the query is known.
  init(
    hash: Double, color: Double, texture: Double, votes: Int = 0, inliers: Int = 0,
    agreement: Double = 0, alignedColor: Double? = nil, labels: Double? = nil
  ) {
    self[.hash] = hash
    self[.color] = color
    self[.texture] = texture
    self[.votes] = Double(votes)
    self[.inliers] = Double(inliers)
    self[.agreement] = agreement
    self[.alignedColor] = alignedColor
    self[.labels] = labels
  }

  /// The number in a lane, or `nil` if it was not measured.
  subscript(lane: Lane) -> Double? {
    get { measuredLanes >> lane.rawValue & 1 == 1 ? values[lane.rawValue] : nil }
    set {
      values[lane.rawValue] = newValue ?? 0
      let bit: UInt8 = 1 << lane.rawValue
      measuredLanes = newValue == nil ? measuredLanes & ~bit : measuredLanes | bit
    }
  }

  /// The score that orders candidates; it grows with every lane.
  var score: Double { features.dot(Calibration.coefficients.step1) }

  /// The score without the labels.
  var scoreWithoutLabels: Double {
    var evidence = self
    evidence[.labels] = nil
    return evidence.score
  }

  /// The regressors of the first step. Four keypoints may agree by chance.
  var features: SIMD8<Double> { regressors(inliersFrom: 4) }

  /// The regressors of the second step. Fourteen keypoints agree if only a brand's logo is the same:
  /// that makes an answer likely, not sure.
  var certainties: SIMD8<Double> { regressors(inliersFrom: 14) }

  /// The lanes on the scales that the coefficients are for. Each grows with its measurement and is
  /// 0 if there is none.
  private func regressors(inliersFrom least: Double) -> SIMD8<Double> {
    func value(_ lane: Lane) -> Double { values[lane.rawValue] }
    return SIMD8(
      value(.hash), Self.likeness(value(.color)), Self.likeness(value(.texture)),
      log(1 + value(.votes) / 1000), log(1 + max(0, value(.inliers) - least)), value(.agreement),
      value(.alignedColor), value(.labels))
  }

  /// Grows ever faster as histograms become equal. The cap keeps rounding from mattering.
  private static func likeness(_ similarity: Double) -> Double { -log(max(0.02, 1 - similarity)) }
}

extension SIMD8<Double> {
  /// The sum of the products, added lane by lane so that the bits are the same on every processor.
  func dot(_ other: Self) -> Double {
    var sum = 0.0
    for lane in indices { sum += self[lane] * other[lane] }
    return sum
  }
}
