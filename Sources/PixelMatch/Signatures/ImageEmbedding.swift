/// The features that a model computed for an image, reduced to at most 512 bytes.
///
/// The model is the caller's: a network that a shop runs over its images, or the feature print of a phone. Only
/// embeddings of one model are comparable.
///
/// A vector of more than 512 dimensions is projected onto 512 of them by a subsampled randomized Hadamard transform
/// (Tropp, "Improved analysis of the subsampled randomized Hadamard transform", 2011,
/// <https://doi.org/10.1142/S1793536911000787>), which keeps the angles between vectors within some 4 %. Each component
/// is then kept in eight bits, as a share of the largest one.
public struct ImageEmbedding: Sendable, Hashable {
  /// The numbers of dimensions that a vector may have.
  package static let dimensions = 2...4096
  /// The largest number of components that are kept.
  package static let componentLimit = 512
  /// The largest length of a model's name in Unicode scalars.
  package static let modelLengthLimit = 200

  /// The 64-bit FNV-1a of the model's name; never 0.
  package let model: UInt64
  /// The components; the one of the largest magnitude is 127 or -127.
  package let components: [Int8]

  /// Reduces a vector.
  ///
  /// - Parameters:
  ///   - model: The name of the model with its version, which stands for its vectors.
  ///   - vector: The features, of any length but zero.
  /// - Throws: ``EmbeddingError``.
  /// - Complexity: O(*n* log *n*) for *n* dimensions.
  public init(model: String, vector: [Float]) throws(EmbeddingError) {
    guard !model.isEmpty, model.unicodeScalars.count <= Self.modelLengthLimit else {
      throw EmbeddingError(
        code: .invalidModel,
        message:
          "the name of a model has 1 to \(Self.modelLengthLimit) characters; "
          + "found \(model.unicodeScalars.count)")
    }
    guard Self.dimensions.contains(vector.count) else {
      throw EmbeddingError(
        code: .wrongDimensions,
        message:
          "a vector has \(Self.dimensions.lowerBound) to \(Self.dimensions.upperBound) dimensions; "
          + "found \(vector.count)")
    }
    guard vector.allSatisfy(\.isFinite), vector.contains(where: { $0 != 0 }) else {
      throw EmbeddingError(
        code: .invalidVector, message: "a vector has finite numbers that are not all zero")
    }
    let largest = vector.reduce(0) { max($0, $1.magnitude) }
    let scaled = vector.map { $0 / largest }
    let reduced = vector.count > Self.componentLimit ? Self.projected(scaled) : scaled
    let peak = reduced.reduce(0) { max($0, $1.magnitude) }
    // The projection keeps only some components, so a crafted vector may become zero.
    guard peak > 0 else {
      throw EmbeddingError(
        code: .invalidVector, message: "nothing is left of the vector when it is reduced")
    }
    self.init(
      model: Self.fingerprint(of: model),
      components: reduced.map { Int8(($0 / peak * 127).rounded()) })
  }

  /// Makes an embedding of stored parts.
  init(model: UInt64, components: [Int8]) {
    self.model = model
    self.components = components
  }

  /// Returns the number that stands for the name of a model.
  ///
  /// Source: <https://datatracker.ietf.org/doc/html/rfc9923>.
  package static func fingerprint(of model: String) -> UInt64 {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in model.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return max(1, value)
  }

  /// Returns the cosine of the angle to another embedding, `-1...1`; `nil` if it is of another model.
  public func similarity(to other: ImageEmbedding) -> Double? {
    guard model == other.model, components.count == other.components.count else { return nil }
    var (dot, own, others) = (0, 0, 0)
    for (a, b) in zip(components, other.components) {
      dot += Int(a) * Int(b)
      own += Int(a) * Int(a)
      others += Int(b) * Int(b)
    }
    return Double(dot) / (Double(own) * Double(others)).squareRoot()
  }

  /// Returns the direction of the sum of the directions of two embeddings, or itself if the other is of another model or nothing is left.
  ///
  /// - Parameter weight: The length of the other one, where this one has the length 1.
  package func adding(_ other: ImageEmbedding, weight: Double) -> ImageEmbedding {
    guard model == other.model, components.count == other.components.count else { return self }
    let scale = weight * Double(other.inverseLength) / Double(inverseLength)
    let sum = zip(components, other.components).map { Double($0) + scale * Double($1) }
    let peak = sum.reduce(0) { max($0, $1.magnitude) }
    guard peak.isFinite, peak > 1e-6 else { return self }
    return ImageEmbedding(
      model: model, components: sum.map { Int8(($0 / peak * 127).rounded()) })
  }

  // MARK: Projection

  /// Returns 512 components of a vector whose signs were changed at random and that was then transformed.
  private static func projected(_ vector: [Float]) -> [Float] {
    var count = componentLimit
    while count < vector.count { count *= 2 }
    var random = SplitMix(state: UInt64(count))
    var values = [Float](repeating: 0, count: count)
    for index in values.indices {
      let isNegative = random.next() & 1 == 1
      if index < vector.count { values[index] = isNegative ? -vector[index] : vector[index] }
    }
    transform(&values)
    // The first steps of a Fisher–Yates shuffle choose which components are kept.
    var places = Array(0..<count)
    for index in 0..<componentLimit {
      places.swapAt(index, index + Int(random.next() % UInt64(count - index)))
    }
    return places[..<componentLimit].map { values[$0] }
  }

  /// The Walsh–Hadamard transform, without its factor.
  private static func transform(_ values: inout [Float]) {
    var half = 1
    while half < values.count {
      for start in stride(from: 0, to: values.count, by: 2 * half) {
        for index in start..<start + half {
          let (a, b) = (values[index], values[index + half])
          values[index] = a + b
          values[index + half] = a - b
        }
      }
      half *= 2
    }
  }
}

/// The reason why a vector is not an embedding.
public struct EmbeddingError: Error, Sendable, Hashable {
  /// The kind of the error, stable, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The name of the model is empty or too long.
    case invalidModel
    /// The vector is too short or too long.
    case wrongDimensions
    /// A number is infinite or not a number, or all numbers are zero.
    case invalidVector
  }
  /// The kind of the error.
  public let code: Code
  /// The text for people.
  public let message: String
}

// MARK: Stored form

/// The stored form of an embedding: 16 bytes, then one per component.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 8 | ``ImageEmbedding/model`` |
/// | 8 | 4 | one over the length of the components, in single precision |
/// | 12 | 2 | number of components |
/// | 14 | 2 | zero |
/// | 16 | 1 × components | the components, padded with zeros to a multiple of eight |
extension ImageEmbedding {
  static let headByteCount = 16
  /// The largest number of bytes of the stored form.
  static let storedByteLimit = headByteCount + componentLimit

  /// The number of bytes of the stored form.
  var storedByteCount: Int { Self.headByteCount + (components.count + 7) / 8 * 8 }

  /// One over the length of the components.
  var inverseLength: Float {
    1 / Float(components.reduce(0) { $0 + Int($1) * Int($1) }).squareRoot()
  }

  /// The stored form.
  package var stored: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(storedByteCount)
    bytes.append(littleEndian: model)
    bytes.append(littleEndian: inverseLength.bitPattern)
    bytes.append(littleEndian: UInt16(components.count))
    bytes.append(littleEndian: UInt16(0))
    for component in components { bytes.append(UInt8(bitPattern: component)) }
    bytes.append(contentsOf: repeatElement(0, count: storedByteCount - bytes.count))
    return bytes
  }

  /// Reads the stored form, which may be followed by other bytes.
  ///
  /// - Returns: `nil` if the bytes are not those of an embedding.
  init?(stored bytes: [UInt8]) {
    guard bytes.count >= Self.headByteCount else { return nil }
    let model = bytes.littleEndian(at: 0, as: UInt64.self)
    let count = Int(bytes.littleEndian(at: 12, as: UInt16.self))
    guard model != 0, count >= Self.dimensions.lowerBound, count <= Self.componentLimit,
      Self.headByteCount + count <= bytes.count
    else { return nil }
    let components = bytes[Self.headByteCount..<Self.headByteCount + count].map {
      Int8(bitPattern: $0)
    }
    guard components.contains(where: { $0 != 0 }) else { return nil }
    self.init(model: model, components: components)
  }
}
