package import PixelMatch

extension ImageEmbedding {
  /// Reads the JSON form of a query's embedding: an object with `model`, a name, and `vector`, base64 (RFC 4648) of
  /// numbers in half precision (IEEE 754 binary16), little-endian.
  ///
  /// - Throws: ``FieldError`` that names the first invalid field.
  package init(json: JSONValue) throws(FieldError) {
    guard case .object(let fields) = json else {
      throw FieldError(field: nil, reason: "must be an object; found \(json.kind)")
    }
    if let name = fields.keys.sorted().first(where: { $0 != "model" && $0 != "vector" }) {
      throw FieldError(field: name, reason: "is unknown; an embedding has 'model' and 'vector'")
    }
    guard case .string(let model)? = fields["model"] else {
      throw FieldError(field: "model", reason: "must be a string")
    }
    guard case .string(let text)? = fields["vector"] else {
      throw FieldError(field: "vector", reason: "must be a string")
    }
    try self.init(model: model, vector: text, field: "vector")
  }

  /// Reads a vector.
  ///
  /// - Parameter field: The name of the field, for errors.
  init(model: String, vector text: String, field: String) throws(FieldError) {
    // Checks the length before memory is allocated for the vector.
    guard text.utf8.count <= Self.dimensions.upperBound * 2 * 4 / 3 + 4,
      let bytes = Base64URL.decoded(anyAlphabet: text), bytes.count % 2 == 0
    else {
      throw FieldError(
        field: field,
        reason: "must be base64 of at most \(Self.dimensions.upperBound) numbers of two bytes")
    }
    let numbers = stride(from: 0, to: bytes.count, by: 2).map {
      Self.number(ofHalf: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
    try self.init(model: model, numbers: numbers, field: field)
  }

  /// Reduces a vector.
  ///
  /// - Parameter field: The name of the field, for errors.
  init(model: String, numbers: [Float], field: String) throws(FieldError) {
    do throws(EmbeddingError) {
      try self.init(model: model, vector: numbers)
    } catch {
      throw FieldError(
        field: error.code == .invalidModel ? "model" : field, reason: "is wrong: \(error.message)")
    }
  }

  /// Returns the number of a half-precision pattern. (`Float16` is missing on some platforms.)
  package static func number(ofHalf bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 31)
    let fraction = Float(bits & 1023)
    switch exponent {
    case 0: return sign * fraction * Float(sign: .plus, exponent: -24, significand: 1)
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default: return sign * Float(sign: .plus, exponent: exponent - 25, significand: 1024 + fraction)
    }
  }
}
