internal import PixelMatch

/// Signs the pictures of entities, those alone that are new or have changed.
struct EntitySigner: Sendable {
  let decoder: ImageDecoder
  /// Where pictures of other servers come from; `nil` where none are fetched.
  let pictures: FetchedPictures?
  /// The places that pictures are read from.
  let folders: PictureFolders
  /// The longer sides of the thumbnails to keep of each picture.
  let thumbnailSides: Set<Int>
  /// The directory of the catalogue.
  let directory: String
  /// Whether a picture stays whose file has gone.
  let keepsMissing: Bool

  /// Whether a picture is what it was, as far as can be told without reading it.
  func isUntouched(_ image: CatalogueDatabase.ImageRecord) -> Bool {
    if FetchedPictures.isAddress(image.path) { return pictures == nil }
    return (try? folders.status(of: image.path)).map(image.isOf) ?? false
  }

  /// Signs the pictures of one entity.
  ///
  /// - Parameter kept: The sides of the thumbnails that are kept already, by the content of the picture.
  /// - Throws: ``CatalogueError`` where what was fetched cannot be kept.
  func sign(
    _ value: EntityValue, line: Int, rowHash: Int?, existing: CatalogueDatabase.Existing?,
    kept: [Int: Set<Int>]
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
        ? try await fetched(name, position, existing, kept)
        : file(name, position, existing, kept)
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
    _ name: String, _ position: Int, _ existing: CatalogueDatabase.Existing?,
    _ kept: [Int: Set<Int>]
  ) -> Outcome {
    do {
      let file = try folders.open(name)
      let untouched = existing?.images.first {
        $0.path.hasSameBytes(as: name) && $0.isOf(file.status)
      }
      if let untouched, hasAllThumbnails(untouched, kept) {
        return .image(SignedEntity.Image(untouched, position: position))
      }
      let bytes = try decoder.contents(ofDescriptor: file.descriptor)
      let hash = Int(bitPattern: UInt(ContentHash.of(bytes)))
      // A file that was written again, or has another name, may hold what it held.
      let former = untouched?.contentHash == hash ? untouched : same(bytes.count, hash, existing)
      return .image(
        SignedEntity.Image(
          position: position, path: name, byteCount: bytes.count, modified: file.status.modified,
          contentHash: hash, signature: former == nil ? try signature(of: bytes) : nil,
          former: former, thumbnails: try thumbnails(of: bytes, hash, kept)))
    } catch let error as PictureFileError {
      let former = existing?.images.first {
        $0.position == position && $0.path.hasSameBytes(as: name)
      }
      if let former, keepsMissing, error.code == .missing {
        return .image(SignedEntity.Image(former))
      }
      return .refused(error.message)
    } catch let error as DecodeError {
      return outcome(of: error)
    } catch {
      return .refused("\(error)")
    }
  }

  private func hasAllThumbnails(
    _ image: CatalogueDatabase.ImageRecord, _ kept: [Int: Set<Int>]
  ) -> Bool {
    thumbnailSides.isSubset(of: kept[image.contentHash] ?? [])
  }

  /// The thumbnails of a picture that are to be kept and are not yet.
  private func thumbnails(
    of bytes: [UInt8], _ hash: Int, _ kept: [Int: Set<Int>]
  ) throws(DecodeError) -> [KeptThumbnails.Thumbnail] {
    var thumbnails: [KeptThumbnails.Thumbnail] = []
    for side in thumbnailSides.subtracting(kept[hash] ?? []).sorted() {
      thumbnails.append(try KeptThumbnails.Thumbnail(of: bytes, side: side, decoder: decoder))
    }
    return thumbnails
  }

  /// A picture of a server.
  private func fetched(
    _ url: String, _ position: Int, _ existing: CatalogueDatabase.Existing?,
    _ kept: [Int: Set<Int>]
  ) async throws -> Outcome {
    let former = existing?.images.first { $0.path.hasSameBytes(as: url) }
    func unchanged(_ former: CatalogueDatabase.ImageRecord) -> SignedEntity.Image {
      SignedEntity.Image(former, position: position)
    }
    do {
      guard let pictures else {
        guard let former else {
          return .refused("it is on a server, and fetched only with 'vq index --fetch'")
        }
        var image = unchanged(former)
        // What is not here any more has no thumbnail until it is fetched again.
        if !hasAllThumbnails(former, kept),
          let bytes = try FetchedPictures.bytes(of: url, in: directory)
        {
          image.thumbnails = try thumbnails(of: bytes, former.contentHash, kept)
        }
        return .image(image)
      }
      let picture = try await pictures.current(url)
      let same = same(picture.byteCount, picture.contentHash, existing)
      var image = SignedEntity.Image(
        position: position, path: url, byteCount: picture.byteCount, modified: 0,
        contentHash: picture.contentHash, signature: nil, former: same)
      if same.map({ hasAllThumbnails($0, kept) }) != true {
        guard let bytes = try picture.bytes ?? pictures.bytes(of: url) else {
          return .refused("it was fetched and is not there any more")
        }
        if same == nil { image.signature = try signature(of: bytes) }
        image.thumbnails = try thumbnails(of: bytes, picture.contentHash, kept)
      }
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
    _ byteCount: Int, _ hash: Int, _ existing: CatalogueDatabase.Existing?
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
    /// Where it is: a path as the row has it, or an address of the web.
    let path: String
    let byteCount: Int
    let modified: Int
    let contentHash: Int
    /// The signature, unless the picture has not changed.
    var signature: Signature?
    /// Where the unchanged picture's signature stands.
    let former: CatalogueDatabase.ImageRecord?
    /// Thumbnails to keep that are not kept yet.
    var thumbnails: [KeptThumbnails.Thumbnail] = []
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

  /// Whether there is something to write: the entity, or thumbnails of pictures that have not changed.
  var isToBeWritten: Bool {
    change != .none || (isWhole && images.contains { !$0.thumbnails.isEmpty })
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
  /// A picture as it is there already, at the same position or another.
  init(_ former: CatalogueDatabase.ImageRecord, position: Int? = nil) {
    self.init(
      position: position ?? former.position, path: former.path, byteCount: former.byteCount,
      modified: former.modified, contentHash: former.contentHash, signature: nil, former: former)
  }
}

extension CatalogueDatabase.ImageRecord {
  /// Whether a file's size and time are those of this picture.
  func isOf(_ status: FileStatus) -> Bool {
    status.byteCount == byteCount && status.modified == modified
  }
}
