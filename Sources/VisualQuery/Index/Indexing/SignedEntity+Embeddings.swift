internal import PixelMatch

extension SignedEntity {
  /// Moves the vectors of the entity to its images, and leaves their digest in the entity.
  ///
  /// Without vectors, those that are stored stay with the images that stay.
  ///
  /// - Parameter arrays: The files that vectors may be in.
  mutating func takeEmbeddings(from arrays: EmbeddingArrays) {
    let given = value
    let stored = existing?.embeddedEntity
    do throws(FieldError) {
      let supplied = try SuppliedEmbeddings(of: given) { (row, file) throws(FieldError) in
        do throws(EmbeddingArray.Failure) {
          return try arrays.vector(at: row, of: file)
        } catch {
          throw FieldError(
            field: SuppliedEmbeddings.fileField, reason: "names '\(file)', which \(error.reason)")
        }
      }
      if let supplied {
        take(supplied, stored)
        for fault in supplied.faults { refuse(fault, of: given) }
      } else if given.dropsEmbeddings {
        value = given.withoutEmbeddings
        if stored != nil { embeddings = [] }
      } else if let stored {
        let isSame =
          existing?.images.map(\.position) == images.map(\.position)
          && existing?.images.map(\.contentHash) == images.map(\.contentHash)
        let keepsAny = images.contains { $0.previous != nil }
        value =
          keepsAny
          ? given.with(embeddingsOf: stored, changes: isSame ? nil : imageHashes)
          : given.withoutEmbeddings
      } else if given.embeddingsDigest != nil {
        throw FieldError(
          field: SuppliedEmbeddings.field, reason: "has the digest of vectors that are not here")
      }
    } catch {
      value = given.withoutEmbeddings
      if stored != nil { embeddings = [] }
      refuse(error, of: given)
    }
  }

  private var imageHashes: [Int: Int] {
    Dictionary(images.map { ($0.position, $0.contentHash) }) { first, _ in first }
  }

  private mutating func take(_ supplied: SuppliedEmbeddings, _ stored: EntityValue?) {
    value = value.with(
      embeddingsDigest: supplied.digest(of: imageHashes), model: supplied.model)
    for index in images.indices {
      let position = images[index].position
      if images[index].isSquare { continue }
      images[index].signature?.embedding = supplied.vectors[position]
    }
    if value.embeddingsDigest != stored?.embeddingsDigest { embeddings = supplied.vectors }
  }

  /// The embedding that an image gets, if it gets another one than the stored one.
  func newEmbedding(of image: Image) -> ImageEmbedding? {
    guard let embeddings else { return image.signature?.embedding }
    return embeddings.indices.contains(image.position) ? embeddings[image.position] : nil
  }

  /// - Parameter given: The entity as it came, which is reported so that it can be corrected.
  private mutating func refuse(_ fault: FieldError, of given: EntityValue) {
    refused.append(
      RefusedRow(
        kind: .field, line: line, id: given.id.value, field: fault.field, reason: fault.reason,
        row: given.json))
  }
}

extension CatalogueTables.Existing {
  /// The entity, if it has embeddings.
  var embeddedEntity: EntityValue? {
    // Most entities have no embeddings, and this test avoids parsing their JSON.
    guard json.contains("\"\(SuppliedEmbeddings.field)\"") else { return nil }
    let entity = EntityTable.readableEntity(json)
    return entity?.embeddingsDigest == nil ? nil : entity
  }
}
