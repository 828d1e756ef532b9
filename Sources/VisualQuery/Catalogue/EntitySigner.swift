internal import PixelMatch

/// Signs the pictures of entities, those alone that are new or have changed.
struct EntitySigner: Sendable {
  let decoder: ImageDecoder
  /// Where pictures of other servers come from; `nil` where none are fetched.
  let pictures: FetchedPictures?
  /// What relative paths start from.
  let imagesRoot: String
  /// Whether a picture stays whose file has gone.
  let keepsMissing: Bool

  /// Whether a picture is what it was, as far as can be told without reading it.
  func isUntouched(_ path: String, byteCount: Int, modified: Int) -> Bool {
    if FetchedPictures.isAddress(path) { return pictures == nil }
    guard let status = FileStatus(path) else { return false }
    return status.byteCount == byteCount && status.modified == modified
  }

  /// Signs the pictures of one entity.
  ///
  /// - Throws: ``CatalogueError`` where what was fetched cannot be kept.
  func sign(
    _ value: EntityValue, line: Int, rowHash: Int?, existing: CatalogueDatabase.Existing?
  ) async throws -> SignedEntity {
    var images: [SignedEntity.Image] = []
    var refused: [RefusedRow] = []
    for (position, name) in value.imagePaths.enumerated() {
      func refuse(_ reason: String) {
        refused.append(
          RefusedRow(
            line: line, id: value.id.value, field: "images[\(position)]",
            reason: "\(name): \(reason)", row: value.json))
      }
      let outcome =
        FetchedPictures.isAddress(name)
        ? try await fetched(name, position, existing) : file(name, position, existing)
      switch outcome {
      case .image(let image): images.append(image)
      case .staleImage(let image, let reason):
        images.append(image)
        refuse("\(reason); the picture of before stays")
      case .refused(let reason): refuse(reason)
      case .cancelled:
        return SignedEntity(
          value: value, images: [], refused: [], existing: existing, isWhole: false)
      }
    }
    return SignedEntity(
      value: value, images: images, refused: refused, existing: existing, isWhole: true,
      rowHash: rowHash)
  }

  /// What became of a picture.
  private enum Outcome {
    case image(SignedEntity.Image)
    /// It could not be fetched anew.
    case staleImage(SignedEntity.Image, String)
    case refused(String)
    case cancelled
  }

  /// A picture of a file.
  private func file(
    _ name: String, _ position: Int, _ existing: CatalogueDatabase.Existing?
  ) -> Outcome {
    let path = name.hasPrefix("/") ? name : imagesRoot + "/" + name
    guard let status = FileStatus(path) else {
      let former = existing?.images.first {
        keepsMissing && $0.position == position && $0.path.hasSuffix("/" + name)
      }
      return former.map { .image(SignedEntity.Image($0)) } ?? .refused("there is no such file")
    }
    let untouched = existing?.images.first {
      $0.path == path && $0.byteCount == status.byteCount && $0.modified == status.modified
    }
    if let untouched {
      return .image(
        SignedEntity.Image(
          position: position, path: path, byteCount: status.byteCount,
          modified: status.modified, contentHash: untouched.contentHash, signature: nil,
          former: untouched))
    }
    do throws(DecodeError) {
      let bytes = try decoder.contents(ofFile: path)
      let hash = Int(bitPattern: UInt(ContentHash.of(bytes)))
      // A file that was written again, or has another name, may hold what it held.
      let same = same(byteCount: bytes.count, hash, existing)
      return .image(
        SignedEntity.Image(
          position: position, path: path, byteCount: bytes.count, modified: status.modified,
          contentHash: hash, signature: same == nil ? try signature(of: bytes) : nil, former: same))
    } catch {
      return outcome(of: error)
    }
  }

  /// A picture of a server.
  private func fetched(
    _ url: String, _ position: Int, _ existing: CatalogueDatabase.Existing?
  ) async throws -> Outcome {
    let former = existing?.images.first { $0.path == url }
    func unchanged(_ former: CatalogueDatabase.ImageRecord) -> SignedEntity.Image {
      SignedEntity.Image(
        position: position, path: url, byteCount: former.byteCount, modified: 0,
        contentHash: former.contentHash, signature: nil, former: former)
    }
    guard let pictures else {
      return former.map { .image(unchanged($0)) }
        ?? .refused("it is on a server, and fetched only with 'vq index --fetch'")
    }
    do {
      let picture = try await pictures.current(url)
      let same = same(byteCount: picture.byteCount, picture.contentHash, existing)
      var signed: Signature?
      if same == nil {
        guard let bytes = try picture.bytes ?? pictures.bytes(of: url) else {
          return .refused("it was fetched and is not there any more")
        }
        signed = try signature(of: bytes)
      }
      let image = SignedEntity.Image(
        position: position, path: url, byteCount: picture.byteCount, modified: 0,
        contentHash: picture.contentHash, signature: signed, former: same)
      return picture.staleReason.map { .staleImage(image, $0) } ?? .image(image)
    } catch let error as FetchError {
      if error.code == .cancelled { return .cancelled }
      if error.code == .unavailable, let former {
        return .staleImage(unchanged(former), error.message)
      }
      if error.code == .missing, keepsMissing, let former { return .image(unchanged(former)) }
      return .refused(error.message)
    } catch let error as DecodeError {
      return outcome(of: error)
    }
  }

  private func outcome(of error: DecodeError) -> Outcome {
    error.code == .cancelled ? .cancelled : .refused(error.message)
  }

  /// A picture of the entity that holds the same bytes.
  private func same(
    byteCount: Int, _ hash: Int, _ existing: CatalogueDatabase.Existing?
  ) -> CatalogueDatabase.ImageRecord? {
    existing?.images.first { $0.byteCount == byteCount && $0.contentHash == hash }
  }

  private func signature(of bytes: [UInt8]) throws(DecodeError) -> Signature {
    Signature(try decoder.decode(bytes, longerSide: Signature.workingSide))
  }
}

/// An entity and what became of its pictures.
struct SignedEntity: Sendable {
  struct Image: Sendable {
    let position: Int
    /// Where it is: a file's full path, or an address of the web.
    let path: String
    let byteCount: Int
    let modified: Int
    let contentHash: Int
    /// The signature, unless the picture has not changed.
    let signature: Signature?
    /// Where the unchanged picture's signature stands.
    let former: CatalogueDatabase.ImageRecord?
  }

  let value: EntityValue
  let images: [Image]
  let refused: [RefusedRow]
  let existing: CatalogueDatabase.Existing?
  /// Whether all pictures were looked at; not so when the run was cancelled meanwhile.
  let isWhole: Bool
  /// That of the row that it came from.
  var rowHash: Int?
}

extension SignedEntity {
  /// What putting an entity in comes to.
  enum Change: Sendable {
    case added, changed, none
  }

  /// What putting this one in comes to.
  var change: Change {
    guard isWhole else { return .none }
    guard let existing else { return .added }
    let isUnchanged =
      existing.json.hasSameBytes(as: value.json.text)
      && existing.images.map(\.position) == images.map(\.position)
      && images.allSatisfy { image in
        guard let former = image.former else { return false }
        return former.position == image.position && former.path.hasSameBytes(as: image.path)
          && former.modified == image.modified
      }
    return isUnchanged ? .none : .changed
  }
}

extension SignedEntity.Image {
  /// A picture as it is there already.
  init(_ former: CatalogueDatabase.ImageRecord) {
    self.init(
      position: former.position, path: former.path, byteCount: former.byteCount,
      modified: former.modified, contentHash: former.contentHash, signature: nil, former: former)
  }
}
