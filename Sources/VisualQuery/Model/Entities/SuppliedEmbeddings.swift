package import PixelMatch

/// The embeddings that an entity brings for its images, in the field `embeddings`:
/// `{"model":"…","vectors":["…",null,…]}`, a vector or `null` for each image; or `{"model":"…","file":"….npy","vectors":[0,null,…]}` with
/// the rows of an array in a file.
///
/// The field of a stored entity has a digest in place of the vectors, which are in the signatures:
/// `{"model":"…","digest":"…"}`. A vector stays as long as its image does: until another one comes for it, or `null` in
/// place of the whole field.
package struct SuppliedEmbeddings {
  package static let field = "embeddings"
  package static let fileField = field + ".file"

  package let model: String
  /// One for each image; `nil` for an image without one.
  package private(set) var vectors: [ImageEmbedding?]
  /// The faults of single vectors.
  package private(set) var faults: [FieldError] = []

  /// Reads the vectors of an entity; `nil` if it has no field, or a digest or `null` in it.
  ///
  /// - Parameter row: Returns a row of the array in a file; throws the fault of the field ``fileField``.
  /// - Throws: ``FieldError`` if no vector can be read.
  package init?(
    of value: EntityValue, row: (_ index: Int, _ file: String) throws(FieldError) -> [Float]
  ) throws(FieldError) {
    guard let json = value.extra[Self.field], json != .null, value.embeddingsDigest == nil else {
      return nil
    }
    func fault(_ reason: String, of part: String = "") -> FieldError {
      FieldError(field: Self.field + part, reason: reason)
    }
    guard case .object(let fields) = json else {
      throw fault("must be an object with 'model' and 'vectors'; found \(json.kind)")
    }
    guard case .string(let model)? = fields["model"] else {
      throw fault("must be a string", of: ".model")
    }
    let file: String?
    switch fields["file"] {
    case nil, .null?: file = nil
    case .string(let name)?: file = name
    case let other?: throw fault("must be a string; found \(other.kind)", of: ".file")
    }
    guard case .array(let list)? = fields["vectors"] else {
      throw fault("must be a list", of: ".vectors")
    }
    self.model = model
    let imageCount = value.imagePaths.count
    vectors = [ImageEmbedding?](repeating: nil, count: imageCount)
    // If the numbers of vectors and images differ, it is unknown which vector belongs to which
    // image.
    guard list.count == imageCount else {
      throw fault(
        "must have a vector or null for each image; found \(list.count) for \(imageCount)",
        of: ".vectors")
    }
    for (position, value) in list.enumerated() where value != .null {
      let part = ".vectors[\(position)]"
      do throws(FieldError) {
        vectors[position] =
          switch (value, file) {
          case (.string(let text), nil):
            try ImageEmbedding(model: model, vector: text, field: Self.field + part)
          case (.integer(let index), let file?):
            try ImageEmbedding(
              model: model, numbers: try row(Int(index), file), field: Self.field + part)
          case (_, nil): throw fault("must be a string or null", of: part)
          case (_, _?): throw fault("must be the number of a row or null", of: part)
          }
      } catch {
        guard error.field != "model" else { throw fault(error.reason, of: ".model") }
        // An error of the file is reported once, not for each image.
        if faults.last != error { faults.append(error) }
      }
    }
  }

  /// Returns a digest of the vectors and of the images that they are for, or `nil` if there are none.
  ///
  /// - Parameter hashes: The hash of each image's content by its position; images that cannot be read are missing.
  package func digest(of hashes: [Int: Int]) -> String? {
    var bytes: [UInt8] = []
    for (position, vector) in vectors.enumerated() {
      guard let vector, let hash = hashes[position] else { continue }
      bytes += Array("\(position) \(hash) ".utf8) + vector.stored
    }
    return bytes.isEmpty ? nil : Self.text(of: bytes)
  }

  fileprivate static func text(of bytes: [UInt8]) -> String {
    String(ContentHash.of(bytes), radix: 16)
  }
}

extension EntityValue {
  /// A Boolean value that indicates whether the vectors are in a file. Its contents may change while the row stays the same.
  package var hasEmbeddingsInFile: Bool {
    guard case .object(let fields)? = extra[SuppliedEmbeddings.field] else { return false }
    return fields["file"] ?? .null != .null
  }

  /// True if the field is `null`, which removes the stored embeddings.
  package var dropsEmbeddings: Bool { extra[SuppliedEmbeddings.field] == .null }

  /// The digest of the embeddings of a stored entity.
  package var embeddingsDigest: String? {
    guard case .object(let fields)? = extra[SuppliedEmbeddings.field],
      case .string(let digest)? = fields["digest"], fields["vectors"] == nil
    else { return nil }
    return digest
  }

  /// Returns the entity with a digest in place of the vectors; without the field if it is `nil`.
  package func with(embeddingsDigest digest: String?, model: String) -> EntityValue {
    with(
      extra: SuppliedEmbeddings.field,
      digest.map { .object(["model": .string(model), "digest": .string($0)]) })
  }

  /// Returns the entity without the field.
  package var withoutEmbeddings: EntityValue { with(extra: SuppliedEmbeddings.field, nil) }

  /// Returns the entity with the embeddings of the stored one. Images that have changed get no embedding. The digest
  /// is then another one, so that the same vectors count as new if they are supplied again.
  ///
  /// - Parameter changes: The hashes of the images by their position, if some have changed.
  package func with(embeddingsOf stored: EntityValue, changes: [Int: Int]?) -> EntityValue {
    guard case .object(var fields)? = stored.extra[SuppliedEmbeddings.field],
      case .string(let digest)? = fields["digest"]
    else { return withoutEmbeddings }
    if let changes {
      let images = changes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let text = ([digest] + images).joined(separator: " ")
      fields["digest"] = .string(SuppliedEmbeddings.text(of: Array(text.utf8)))
    }
    return with(extra: SuppliedEmbeddings.field, .object(fields))
  }
}
