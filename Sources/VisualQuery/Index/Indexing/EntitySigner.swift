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
  /// True if servers are asked about images that entities have only when all new ones are there.
  let checksLater: Bool
  /// A time before which files were read for the last time, in nanoseconds since 1970, or `nil` if it is not known. The content of
  /// a file that changed later is compared, even if its size and time are the same.
  let filesReadAfter: Int?
  /// The analyses of the images of a run, or `nil` if each change has its own.
  private let analyses: ImageAnalyses?
  /// The files that vectors are read from, which are in the same folders.
  private let arrays: EmbeddingArrays

  init(
    decoder: ImageDecoder, pictures: FetchedPictures?, folders: PictureFolders,
    thumbnailSides: Set<Int>, directory: String, keepsMissing: Bool, checksLater: Bool = false,
    filesReadAfter: Int? = nil, analyses: ImageAnalyses? = nil
  ) {
    self.checksLater = checksLater
    self.filesReadAfter = filesReadAfter
    self.analyses = analyses
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
    if FetchedPictures.isAddress(image.path) { return pictures == nil || checksLater }
    if UploadedImage.isName(image.path) { return true }
    return (try? folders.status(of: image.path)).map { isSame(image, $0) } ?? false
  }

  /// Returns whether a file is that of an image, as far as its size and times tell.
  private func isSame(_ image: ImageTable.Record, _ file: FileStatus) -> Bool {
    image.isOf(file) && filesReadAfter.map { file.changed < $0 } != false
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
      kept: kept, analyses: analyses ?? ImageAnalyses())
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
          Self.isFile(name) ? folders.nameOfFile(name) : folders.relativeName(name)
        } else {
          content?.name ?? ""
        }
      })
    var images: [SignedEntity.Image] = []
    var refused: [RefusedRow] = []
    var hosts: [String] = []
    var missing = 0
    var (keptCount, checkCount) = (0, 0)
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
      func add(_ image: SignedEntity.Image) {
        images += image.withSquares(among: existing?.images ?? [])
      }
      let outcome =
        if let content = contents[position] {
          await fromMemory(content, position, existing, kept, analyses)
        } else if FetchedPictures.isAddress(name) {
          try await fetched(name, position, value, existing, kept, analyses)
        } else if UploadedImage.isName(name) {
          uploadedBefore(name, position, existing)
        } else {
          await file(name, position, existing, kept, analyses)
        }
      switch outcome {
      case .image(let image): add(image)
      case .laterImage(let image):
        add(image)
        checkCount += 1
      case .waiting(let image, let reason):
        if let image { add(image) }
        refuse("it is still to come: \(reason)", .unfetchedImage)
      case .staleImage(let image, let reason):
        add(image)
        keptCount += 1
        refuse("\(reason); its previous version is kept")
      case .refused(let reason): refuse(reason)
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
    images.sort { $0.position < $1.position }
    var signed = SignedEntity(
      value: value, images: images, refused: refused, existing: existing, isWhole: true,
      line: line, unfetchedHosts: hosts, missingFileCount: missing)
    (signed.keptImageCount, signed.imagesToCheck) = (keptCount, checkCount)
    signed.takeEmbeddings(from: arrays)
    return signed
  }

  /// Returns an entity whose images stay as they are stored, also those that could not be read again.
  func keepingImages(
    _ value: EntityValue, line: Int, existing: CatalogueTables.Existing
  ) -> SignedEntity {
    var signed = SignedEntity(
      value: value, images: existing.images.map { SignedEntity.Image($0) }, refused: [],
      existing: existing, isWhole: true, line: line)
    signed.takeEmbeddings(from: arrays)
    return signed
  }

  /// The outcome of one image.
  private enum Outcome {
    case image(SignedEntity.Image)
    /// The image is as it was, and its server is asked about it later.
    case laterImage(SignedEntity.Image)
    /// The image was not fetched in this run; what stands in for it, and the reason.
    case waiting(SignedEntity.Image?, String)
    /// The image could not be read again, so its previous version is used.
    case staleImage(SignedEntity.Image, String)
    case refused(String)
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
  ) async -> Outcome {
    do {
      let (status, content, bytes) = try read(name, existing, kept, analyses)
      guard let content else {
        let untouched = existing?.images.first {
          $0.path.hasSameBytes(as: name) && $0.isOf(status)
        }
        guard let untouched else { return .refused("its file changed while it was read") }
        return .image(SignedEntity.Image(untouched, position: position))
      }
      // A file that was rewritten or renamed may have the same content.
      let previous =
        existing?.images.first {
          $0.path.hasSameBytes(as: name) && $0.isOf(status) && $0.contentHash == content.hash
        } ?? same(content.byteCount, content.hash, existing)
      var image = SignedEntity.Image(
        position: position, path: name, byteCount: content.byteCount, modified: status.modified,
        contentHash: content.hash, signature: nil, previous: previous)
      func load() throws(DecodeError) -> [UInt8] {
        if let bytes { return bytes }
        return try readAgain(name, status)
      }
      try await analyze(&image, content, kept, analyses, load)
      return .image(image)
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

  /// Opens a file, and reads it unless the entity's image is from it, or another row of the run has read it.
  private func read(
    _ name: String, _ existing: CatalogueTables.Existing?, _ kept: [Int: Set<Int>],
    _ analyses: ImageAnalyses
  ) throws -> (status: FileStatus, content: ImageAnalyses.Content?, bytes: [UInt8]?) {
    let file = try folders.open(name)
    let status = file.status
    let untouched = existing?.images.first {
      $0.path.hasSameBytes(as: name) && isSame($0, status)
    }
    if let untouched, hasAllThumbnails(untouched, kept) { return (status, nil, nil) }
    if let known = analyses.content(of: status) { return (status, known, nil) }
    let bytes = try decoder.contents(ofDescriptor: file.descriptor) { Task.isCancelled }
    // Keeps the descriptor open until the bytes are read.
    _ = consume file
    let content = ImageAnalyses.Content(
      byteCount: bytes.count, hash: Int(bitPattern: UInt(ContentHash.of(bytes))))
    analyses.note(content, of: status)
    return (status, content, bytes)
  }

  /// Reads a file again that was read before, whose analysis is no longer known.
  private func readAgain(
    _ name: String, _ status: FileStatus
  ) throws(DecodeError) -> [UInt8] {
    let file: OpenFile
    do throws(PictureFileError) {
      file = try folders.open(name)
    } catch {
      throw DecodeError(code: .unreadable, message: error.message)
    }
    guard file.status == status else {
      throw DecodeError(code: .unreadable, message: "its file changed while it was read")
    }
    let bytes = try decoder.contents(ofDescriptor: file.descriptor) { Task.isCancelled }
    _ = consume file
    return bytes
  }

  /// Gives an image the signature, unless it has one that is stored, and the missing thumbnails.
  private func analyze(
    _ image: inout SignedEntity.Image, _ content: ImageAnalyses.Content, _ kept: [Int: Set<Int>],
    _ analyses: ImageAnalyses, _ load: () throws(DecodeError) -> [UInt8]
  ) async throws(DecodeError) {
    if image.previous == nil {
      let (signatures, isNew) = try await analyses.signatures(of: content) {
        () throws(DecodeError) in try LongImage.signatures(of: load(), decoder)
      }
      image.take(signatures)
      // An analysis that was made before a change counts for that change.
      image.isShared = !isNew && analyses === self.analyses
    }
    for side in missingSides(content.hash, kept) {
      image.thumbnails.append(
        try await analyses.thumbnail(of: content, side: side) { () throws(DecodeError) in
          try KeptThumbnails.Thumbnail(of: load(), side: side, decoder: decoder)
        })
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
  ) async -> Outcome {
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
          try await analyses.thumbnail(of: content, side: side) { () throws(DecodeError) in
            try image.thumbnail(side: side, decoder: decoder)
          })
      }
      var signed = SignedEntity.Image(
        position: position, path: image.name, byteCount: byteCount, modified: 0,
        contentHash: hash, signature: nil, previous: previous, thumbnails: thumbnails)
      if previous == nil {
        signed.take(
          try await analyses.signatures(of: content) { () throws(DecodeError) in
            try image.signatures(decoder)
          }.signatures)
      }
      return .image(signed)
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

  /// Returns the outcome of an image on a server.
  private func fetched(
    _ url: String, _ position: Int, _ value: EntityValue, _ existing: CatalogueTables.Existing?,
    _ kept: [Int: Set<Int>], _ analyses: ImageAnalyses
  ) async throws -> Outcome {
    let record = existing?.images.first { $0.path.hasSameBytes(as: url) }
    let previous = record.map { SignedEntity.Image($0, position: position) }
    // An image whose address is another one now stays until the new one is there.
    let fallback = previous ?? standIn(for: position, value, existing)
    do {
      guard let pictures else {
        guard let record else { return .unfetched }
        return .image(try await withStoredThumbnails(record, position, kept, analyses))
      }
      if checksLater, let record, let previous {
        switch pictures.standing(of: url) {
        case nil:
          return .laterImage(try await withStoredThumbnails(record, position, kept, analyses))
        case .kept(let reason)?: return .staleImage(previous, reason)
        case .left(let reason)?: return keepsMissing ? .image(previous) : .refused(reason)
        case .changed?: break
        }
      }
      let picture = try await pictures.current(url, had: fallback != nil)
      let same = same(picture.byteCount, picture.contentHash, existing)
      var image = SignedEntity.Image(
        position: position, path: url, byteCount: picture.byteCount, modified: 0,
        contentHash: picture.contentHash, signature: nil, previous: same)
      if same.map({ hasAllThumbnails($0, kept) }) != true {
        guard let bytes = try picture.bytes ?? pictures.bytes(of: url) else {
          return .refused("it was fetched, but its bytes are no longer stored")
        }
        let content = ImageAnalyses.Content(
          byteCount: picture.byteCount, hash: picture.contentHash)
        try await analyze(&image, content, kept, analyses) { bytes }
      }
      return picture.staleReason.map { .staleImage(image, $0) } ?? .image(image)
    } catch let error as FetchError {
      return outcome(of: error, url, previous, fallback)
    } catch let error as DecodeError {
      if error.code == .cancelled { return .cancelled }
      return fallback.map { .staleImage($0, error.message) } ?? .refused(error.message)
    }
  }

  /// Returns the outcome of an image that could not be fetched.
  private func outcome(
    of error: FetchError, _ url: String, _ previous: SignedEntity.Image?,
    _ fallback: SignedEntity.Image?
  ) -> Outcome {
    switch error.code {
    case .cancelled: return .cancelled
    case .later: return .waiting(fallback, error.message)
    case .busy where fallback == nil: return .waiting(nil, error.message)
    case .missing where keepsMissing && previous != nil:
      return previous.map { .image($0) } ?? .refused(error.message)
    case .missing where pictures?.hasLeft(url) == true && !keepsMissing:
      return .refused(error.message)
    case .missing, .unavailable, .unusable, .busy, .notAllowed:
      return fallback.map { .staleImage($0, error.message) } ?? .refused(error.message)
    }
  }

  /// Returns the entity's image at a position from an address that its row no longer has.
  private func standIn(
    for position: Int, _ value: EntityValue, _ existing: CatalogueTables.Existing?
  ) -> SignedEntity.Image? {
    existing?.images.first { image in
      image.position == position && FetchedPictures.isAddress(image.path)
        && !value.imagePaths.contains { $0.hasSameBytes(as: image.path) }
    }.map { SignedEntity.Image($0, position: position) }
  }

  /// Returns an image as it is stored, with its missing thumbnails. One whose bytes are no longer stored has none until it is
  /// fetched again.
  private func withStoredThumbnails(
    _ record: ImageTable.Record, _ position: Int, _ kept: [Int: Set<Int>],
    _ analyses: ImageAnalyses
  ) async throws -> SignedEntity.Image {
    var image = SignedEntity.Image(record, position: position)
    if !hasAllThumbnails(record, kept),
      let bytes = try FetchedPictures.bytes(of: record.path, in: directory),
      Int(bitPattern: UInt(ContentHash.of(bytes))) == record.contentHash
    {
      let content = ImageAnalyses.Content(byteCount: record.byteCount, hash: record.contentHash)
      try await analyze(&image, content, kept, analyses) { bytes }
    }
    return image
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
}

extension ImageTable.Record {
  /// Returns whether the size and time of a file are those of this image.
  func isOf(_ status: FileStatus) -> Bool {
    status.byteCount == byteCount && status.modified == modified
  }
}
