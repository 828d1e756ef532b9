internal import PixelMatch

/// Extracts the signatures of the images of entities that are new or have changed.
struct EntitySigner: Sendable {
  let decoder: ImageDecoder
  /// The source of images on servers, or `nil` if none are fetched.
  let pictures: FetchedPictures?
  /// The folders that images are read from.
  let folders: PictureFolders
  /// The longer sides of the thumbnails to store for each image.
  let thumbnailSides: Set<Int>
  /// The directory of the catalogue.
  let directory: String
  /// True if an image is kept after its file has disappeared.
  let keepsMissing: Bool
  /// The files that vectors are read from, which are in the same folders.
  private let arrays: EmbeddingArrays

  init(
    decoder: ImageDecoder, pictures: FetchedPictures?, folders: PictureFolders,
    thumbnailSides: Set<Int>, directory: String, keepsMissing: Bool
  ) {
    self.decoder = decoder
    self.pictures = pictures
    self.folders = folders
    self.thumbnailSides = thumbnailSides
    self.directory = directory
    self.keepsMissing = keepsMissing
    arrays = EmbeddingArrays(folders)
  }

  /// Returns whether the name of an image is that of a file, rather than of one on a server or from memory.
  static func isFile(_ name: String) -> Bool {
    !FetchedPictures.isAddress(name) && !UploadedImage.isName(name)
  }

  /// Returns whether an image is unchanged, as far as can be determined without reading it.
  func isUntouched(_ image: ImageTable.Record) -> Bool {
    if FetchedPictures.isAddress(image.path) { return pictures == nil }
    if UploadedImage.isName(image.path) { return true }
    return (try? folders.status(of: image.path)).map(image.isOf) ?? false
  }

  /// Extracts the signatures of the images of one entity, whose names the entity has.
  ///
  /// - Parameter kept: The sides of the stored thumbnails, by the content hash of the image.
  /// - Throws: ``CatalogueError`` if a fetched image cannot be stored.
  func sign(
    _ value: EntityValue, line: Int, rowHash: Int?, existing: CatalogueTables.Existing?,
    kept: [Int: Set<Int>]
  ) async throws -> SignedEntity {
    var signed = try await sign(
      value, images: value.imagePaths.map { .reference($0) }, line: line, existing: existing,
      kept: kept)
    // The hash of the row does not cover vectors in another file, so a row with changed vectors
    // would be taken for an unchanged one.
    signed.rowHash = value.hasEmbeddingsInFile ? nil : rowHash
    return signed
  }

  /// Extracts the signatures of the images of one entity. The names of the images become those of
  /// the entity.
  ///
  /// - Parameters:
  ///   - kept: The sides of the stored thumbnails, by the content hash of the image.
  ///   - analyses: The analyses of a change, to which those of these images are added.
  /// - Throws: ``CatalogueError`` if a fetched image cannot be stored.
  func sign(
    _ value: EntityValue, images given: [EntityImage], line: Int,
    existing: CatalogueTables.Existing?, kept: [Int: Set<Int>],
    analyses: ImageAnalyses = ImageAnalyses()
  ) async throws -> SignedEntity {
    let contents = given.map(MemoryImage.init)
    let value = value.with(
      imagePaths: zip(given, contents).map { image, content in
        if case .reference(let name) = image {
          folders.relativeName(name)
        } else {
          content?.name ?? ""
        }
      })
    var images: [SignedEntity.Image] = []
    var refused: [RefusedRow] = []
    var hosts: [String] = []
    var missing = 0
    var failedFetches = 0
    var firstUnfetched: (position: Int, name: String)?
    for (position, name) in value.imagePaths.enumerated() {
      if Task.isCancelled {
        return SignedEntity(
          value: value, images: [], refused: [], existing: existing, isWhole: false)
      }
      // Yields between two images, so that changes of other clients are not delayed by an
      // entity with many images.
      if position > 0 { await Task.yield() }
      func refuse(_ reason: String, _ kind: RefusedRow.Kind = .image) {
        let isNamed = contents[position] == nil
        refused.append(
          RefusedRow(
            kind: kind, line: line, id: value.id.value, field: "images[\(position)]",
            reason: isNamed ? "\(name): \(reason)" : reason, subject: isNamed ? name : nil,
            // Only the first report has the row, which would otherwise be repeated for
            // each image.
            row: refused.isEmpty ? value.json : nil))
      }
      let outcome =
        if let content = contents[position] {
          fromMemory(content, position, existing, kept, analyses)
        } else if FetchedPictures.isAddress(name) {
          try await fetched(name, position, existing, kept, analyses)
        } else if UploadedImage.isName(name) {
          uploadedBefore(name, position, existing)
        } else {
          file(name, position, existing, kept, analyses)
        }
      switch outcome {
      case .image(let image): images.append(image)
      case .staleImage(let image, let reason):
        images.append(image)
        refuse("\(reason); its previous version is kept")
      case .refused(let reason): refuse(reason)
      case .failedFetch(let reason):
        failedFetches += 1
        refuse(reason)
      case .missingFile(let reason):
        missing += 1
        refuse(reason)
      case .unfetched:
        hosts.append(Self.host(of: name))
        firstUnfetched = firstUnfetched ?? (position, name)
      case .cancelled:
        return SignedEntity(
          value: value, images: [], refused: [], existing: existing, isWhole: false)
      }
    }
    if let (position, name) = firstUnfetched {
      // One report covers all of these images. It lacks the row, because nothing in the row
      // has to be corrected.
      let others = hosts.count > 1 ? ", as \(hosts.count - 1) more are" : ""
      refused.append(
        RefusedRow(
          kind: .unfetchedImage, line: line, id: value.id.value, field: "images[\(position)]",
          reason:
            "\(name): it is on a server\(others); to fetch it, use --fetch and --allow-host HOST",
          subject: name, count: hosts.count))
    }
    var signed = SignedEntity(
      value: value, images: images, refused: refused, existing: existing, isWhole: true,
      line: line, unfetchedHosts: hosts, missingFileCount: missing)
    signed.failedFetchCount = failedFetches
    signed.takeEmbeddings(from: arrays)
    return signed
  }

  /// The outcome of one image.
  private enum Outcome {
    case image(SignedEntity.Image)
    /// The image could not be read again, so its previous version is used.
    case staleImage(SignedEntity.Image, String)
    case refused(String)
    /// The image is on a server and could not be fetched.
    case failedFetch(String)
    /// There is no such file, and the entity has images from files.
    case missingFile(String)
    /// The image is on a server, and none are fetched.
    case unfetched
    case cancelled
  }

  /// Returns the host of an address, with its port.
  private static func host(of address: String) -> String {
    let shown = ShownAddress.of(address)
    let rest = shown.firstRange(of: "://").map { shown[$0.upperBound...] } ?? shown[...]
    let authority = rest.prefix { !"/?#".contains($0) }
    // Limits the text to a host name, of at most 253 characters, and a port.
    return String((authority.split(separator: "@").last ?? "").prefix(260)).lowercased()
  }

  /// Returns the outcome of an image in a file.
  private func file(
    _ name: String, _ position: Int, _ existing: CatalogueTables.Existing?,
    _ kept: [Int: Set<Int>], _ analyses: ImageAnalyses
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
      // A file that was rewritten or renamed may have the same content.
      let previous = untouched?.contentHash == hash ? untouched : same(bytes.count, hash, existing)
      return .image(
        SignedEntity.Image(
          position: position, path: name, byteCount: bytes.count, modified: file.status.modified,
          contentHash: hash,
          signature: previous == nil ? try signature(of: bytes, hash, analyses) : nil,
          previous: previous, thumbnails: try thumbnails(of: bytes, hash, kept, analyses)))
    } catch let error as PictureFileError {
      let previous = previousImage(name, position, existing)
      switch error.code {
      case .missing:
        if keepsMissing, let previous { return .image(previous) }
        let hasFiles = existing?.images.contains { Self.isFile($0.path) } == true
        return hasFiles ? .missingFile(error.message) : .refused(error.message)
      case .unreadable:
        return previous.map { .staleImage($0, error.message) } ?? .refused(error.message)
      case .refused: return .refused(error.message)
      }
    } catch let error as DecodeError {
      return outcome(of: error, previous: previousImage(name, position, existing))
    } catch {
      return .refused("\(error)")
    }
  }

  /// Returns the stored image of a name, if there are several that of the same position.
  private func previousImage(
    _ name: String, _ position: Int, _ existing: CatalogueTables.Existing?
  ) -> SignedEntity.Image? {
    let own = existing?.images.filter { $0.path.hasSameBytes(as: name) } ?? []
    let previous = own.first { $0.position == position } ?? own.first
    return previous.map { SignedEntity.Image($0, position: position) }
  }

  /// Returns the outcome of an image in memory.
  private func fromMemory(
    _ image: MemoryImage, _ position: Int, _ existing: CatalogueTables.Existing?,
    _ kept: [Int: Set<Int>], _ analyses: ImageAnalyses
  ) -> Outcome {
    if let address = image.address, !FetchedPictures.isAddress(address) {
      return .refused(
        "its address is '\(ShownAddress.of(address))'; expected an http or https URL")
    }
    let (byteCount, hash) = (image.byteCount, image.contentHash)
    let content = ImageAnalyses.Content(byteCount: byteCount, hash: hash)
    let previous =
      existing?.images.first {
        $0.position == position && $0.byteCount == byteCount && $0.contentHash == hash
      } ?? same(byteCount, hash, existing)
    do throws(DecodeError) {
      var thumbnails: [KeptThumbnails.Thumbnail] = []
      for side in missingSides(hash, kept) {
        thumbnails.append(
          try analyses.thumbnail(of: content, side: side) { () throws(DecodeError) in
            try image.thumbnail(side: side, decoder: decoder)
          })
      }
      return .image(
        SignedEntity.Image(
          position: position, path: image.name, byteCount: byteCount, modified: 0,
          contentHash: hash,
          signature: previous == nil
            ? try analyses.signature(of: content) { () throws(DecodeError) in
              try image.signature(decoder)
            } : nil,
          previous: previous, thumbnails: thumbnails))
    } catch {
      return outcome(of: error)
    }
  }

  /// Returns the outcome of the name of an image that came from memory before, of which only the
  /// signature is stored.
  private func uploadedBefore(
    _ name: String, _ position: Int, _ existing: CatalogueTables.Existing?
  ) -> Outcome {
    guard let previous = previousImage(name, position, existing) else {
      return .refused("the entity has no such uploaded image; send the image again")
    }
    return .image(previous)
  }

  private func hasAllThumbnails(
    _ image: ImageTable.Record, _ kept: [Int: Set<Int>]
  ) -> Bool {
    thumbnailSides.isSubset(of: kept[image.contentHash] ?? [])
  }

  /// Returns the sides of the missing thumbnails of an image.
  private func missingSides(_ hash: Int, _ kept: [Int: Set<Int>]) -> [Int] {
    thumbnailSides.subtracting(kept[hash] ?? []).sorted()
  }

  /// Returns the missing thumbnails of an image.
  private func thumbnails(
    of bytes: [UInt8], _ hash: Int, _ kept: [Int: Set<Int>], _ analyses: ImageAnalyses
  ) throws(DecodeError) -> [KeptThumbnails.Thumbnail] {
    var thumbnails: [KeptThumbnails.Thumbnail] = []
    let content = ImageAnalyses.Content(byteCount: bytes.count, hash: hash)
    for side in missingSides(hash, kept) {
      thumbnails.append(
        try analyses.thumbnail(of: content, side: side) { () throws(DecodeError) in
          try KeptThumbnails.Thumbnail(of: bytes, side: side, decoder: decoder)
        })
    }
    return thumbnails
  }

  /// Returns the outcome of an image on a server.
  private func fetched(
    _ url: String, _ position: Int, _ existing: CatalogueTables.Existing?,
    _ kept: [Int: Set<Int>], _ analyses: ImageAnalyses
  ) async throws -> Outcome {
    let previous = existing?.images.first { $0.path.hasSameBytes(as: url) }
    func unchanged(_ previous: ImageTable.Record) -> SignedEntity.Image {
      SignedEntity.Image(previous, position: position)
    }
    do {
      guard let pictures else {
        guard let previous else {
          return .unfetched
        }
        var image = unchanged(previous)
        // An image whose bytes are no longer stored has no thumbnail until it is fetched again.
        if !hasAllThumbnails(previous, kept),
          let bytes = try FetchedPictures.bytes(of: url, in: directory)
        {
          image.thumbnails = try thumbnails(of: bytes, previous.contentHash, kept, analyses)
        }
        return .image(image)
      }
      let picture = try await pictures.current(url)
      let same = same(picture.byteCount, picture.contentHash, existing)
      var image = SignedEntity.Image(
        position: position, path: url, byteCount: picture.byteCount, modified: 0,
        contentHash: picture.contentHash, signature: nil, previous: same)
      if same.map({ hasAllThumbnails($0, kept) }) != true {
        guard let bytes = try picture.bytes ?? pictures.bytes(of: url) else {
          return .refused("it was fetched, but its bytes are no longer stored")
        }
        let hash = picture.contentHash
        if same == nil { image.signature = try signature(of: bytes, hash, analyses) }
        image.thumbnails = try thumbnails(of: bytes, hash, kept, analyses)
      }
      return picture.staleReason.map { .staleImage(image, $0) } ?? .image(image)
    } catch let error as FetchError {
      if error.code == .cancelled { return .cancelled }
      if error.code == .unavailable, let previous {
        return .staleImage(unchanged(previous), error.message)
      }
      if error.code == .missing, keepsMissing, let previous { return .image(unchanged(previous)) }
      // An address that the policy does not permit is rejected; it is not a failure of the server.
      return error.code == .notAllowed ? .refused(error.message) : .failedFetch(error.message)
    } catch let error as DecodeError {
      return outcome(of: error, previous: previous.map(unchanged))
    }
  }

  /// Returns the outcome of an image that cannot be decoded: damaged bytes, such as those of a file that is being
  /// written, leave the previous version as it is.
  private func outcome(of error: DecodeError, previous: SignedEntity.Image? = nil) -> Outcome {
    switch error.code {
    case .cancelled: return .cancelled
    case .empty, .truncated, .corrupt, .unreadable:
      return previous.map { .staleImage($0, error.message) } ?? .refused(error.message)
    case .unsupportedFormat, .tooManyBytes, .tooManyPixels, .tooMuchWork:
      return .refused(error.message)
    }
  }

  /// Returns an image of the entity with the same content.
  private func same(
    _ byteCount: Int, _ hash: Int, _ existing: CatalogueTables.Existing?
  ) -> ImageTable.Record? {
    existing?.images.first { $0.byteCount == byteCount && $0.contentHash == hash }
  }

  private func signature(
    of bytes: [UInt8], _ hash: Int, _ analyses: ImageAnalyses
  ) throws(DecodeError) -> Signature {
    let content = ImageAnalyses.Content(byteCount: bytes.count, hash: hash)
    return try analyses.signature(of: content) { () throws(DecodeError) in
      Signature(try decoder.decode(bytes, longerSide: Signature.workingSide))
    }
  }
}

extension ImageTable.Record {
  /// Returns whether the size and time of a file are those of this image.
  func isOf(_ status: FileStatus) -> Bool {
    status.byteCount == byteCount && status.modified == modified
  }
}
