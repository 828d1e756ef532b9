internal import PixelMatch

/// The embeddings that an entity brings for its images, in the field `embeddings`:
/// `{"model":"…","vectors":["…",null,…]}`, a vector or `null` for each image.
///
/// The field of a stored entity has a digest in place of the vectors, which are in the signatures:
/// `{"model":"…","digest":"…"}`.
struct SuppliedEmbeddings {
  static let field = "embeddings"

  let model: String
  /// One for each image; `nil` for an image without one.
  private(set) var vectors: [ImageEmbedding?]
  /// The faults of single vectors.
  private(set) var faults: [FieldError] = []

  /// Reads the vectors of an entity; `nil` if it has none, or their digest instead.
  ///
  /// - Throws: ``FieldError`` if no vector can be read.
  init?(of value: EntityValue) throws(FieldError) {
    guard let json = value.extra[Self.field], value.embeddingsDigest == nil else { return nil }
    func fault(_ reason: String, of part: String = "") -> FieldError {
      FieldError(field: Self.field + part, reason: reason)
    }
    guard case .object(let fields) = json else {
      throw fault("must be an object with 'model' and 'vectors'; found \(json.kind)")
    }
    guard case .string(let model)? = fields["model"] else {
      throw fault("must be a string", of: ".model")
    }
    guard case .array(let list)? = fields["vectors"] else {
      throw fault("must be a list", of: ".vectors")
    }
    self.model = model
    let imageCount = value.imagePaths.count
    vectors = [ImageEmbedding?](repeating: nil, count: imageCount)
    if list.count != imageCount {
      faults.append(fault("has \(list.count) vectors for \(imageCount) images", of: ".vectors"))
    }
    for (position, value) in list.prefix(imageCount).enumerated() where value != .null {
      let part = ".vectors[\(position)]"
      guard case .string(let text) = value else {
        faults.append(fault("must be a string or null", of: part))
        continue
      }
      do throws(FieldError) {
        vectors[position] = try ImageEmbedding(
          model: model, vector: text, field: Self.field + part)
      } catch {
        guard error.field != "model" else { throw fault(error.reason, of: ".model") }
        faults.append(error)
      }
    }
  }

  /// Returns a digest of the vectors and of the images that they are for, or `nil` if there are none.
  func digest(of images: [(position: Int, contentHash: Int)]) -> String? {
    var bytes: [UInt8] = []
    for image in images {
      guard let vector = vectors[image.position] else { continue }
      bytes += Array("\(image.position) \(image.contentHash) ".utf8) + vector.stored
    }
    return bytes.isEmpty ? nil : String(ContentHash.of(bytes), radix: 16)
  }
}

extension EntityValue {
  /// Whether there is a field with embeddings, or with their digest.
  var namesEmbeddings: Bool { extra[SuppliedEmbeddings.field] != nil }

  /// The digest of the embeddings of a stored entity.
  var embeddingsDigest: String? {
    guard case .object(let fields)? = extra[SuppliedEmbeddings.field],
      case .string(let digest)? = fields["digest"], fields["vectors"] == nil
    else { return nil }
    return digest
  }

  /// Returns the entity with a digest in place of the vectors; without the field if it is `nil`.
  func with(embeddingsDigest digest: String?, model: String) -> EntityValue {
    with(
      extra: SuppliedEmbeddings.field,
      digest.map { .object(["model": .string(model), "digest": .string($0)]) })
  }

  /// Returns the entity with the digest of another one.
  func with(embeddingsOf other: EntityValue?) -> EntityValue {
    with(
      extra: SuppliedEmbeddings.field,
      other.flatMap { $0.embeddingsDigest == nil ? nil : $0.extra[SuppliedEmbeddings.field] })
  }
}
