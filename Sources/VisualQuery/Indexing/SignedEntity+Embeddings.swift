internal import PixelMatch

extension SignedEntity {
  /// Moves the vectors of the entity to its images, and leaves their digest in the entity.
  ///
  /// An entity without the field has no embeddings any more. One with a digest, as an entity that was read from the
  /// catalogue has it, keeps those that are stored.
  mutating func takeEmbeddings() {
    let stored = existing?.embeddedEntity
    guard value.namesEmbeddings else {
      if stored != nil { embeddings = [] }
      return
    }
    if value.embeddingsDigest != nil {
      value = value.with(embeddingsOf: stored)
      if stored == nil {
        refuse(
          FieldError(field: "embeddings", reason: "has the digest of vectors that are not here"))
      }
      return
    }
    do throws(FieldError) {
      guard let supplied = try SuppliedEmbeddings(of: value) else { return }
      value = value.with(
        embeddingsDigest: supplied.digest(of: images.map { ($0.position, $0.contentHash) }),
        model: supplied.model)
      for index in images.indices {
        let position = images[index].position
        images[index].signature?.embedding = supplied.vectors[position]
      }
      if value.embeddingsDigest != stored?.embeddingsDigest { embeddings = supplied.vectors }
      for fault in supplied.faults { refuse(fault) }
    } catch {
      value = value.with(embeddingsOf: nil)
      if stored != nil { embeddings = [] }
      refuse(error)
    }
  }

  private mutating func refuse(_ fault: FieldError) {
    refused.append(
      RefusedRow(
        kind: .field, line: line, id: value.id.value, field: fault.field, reason: fault.reason,
        row: value.json))
  }
}

extension CatalogueDatabase.Existing {
  /// The entity, if it has embeddings.
  var embeddedEntity: EntityValue? {
    // Most have none, and need not be parsed.
    guard json.contains("\"\(SuppliedEmbeddings.field)\"") else { return nil }
    let entity = CatalogueDatabase.readableEntity(json)
    return entity?.embeddingsDigest == nil ? nil : entity
  }
}
