internal import PixelMatch
internal import Synchronization

/// Files that other programs change while they are open.
extension Catalogue {
  /// The error of a segment as one of the catalogue.
  static func damage(
    _ error: SegmentError, of file: String, in directory: String
  ) -> CatalogueError {
    let code: CatalogueError.Code =
      switch error.code {
      case .missing, .corrupt, .notASegment, .otherFormatVersion: .corrupt
      case .truncated: .truncated
      case .otherSignatureVersion: .otherSignatureVersion
      case .unreadable: .notPermitted
      }
    return CatalogueError(
      code: code,
      message: "'\(directory)/\(file)': \(error.message); index the catalogue again", file: file)
  }

  /// Checks that no file of this generation was truncated or written to since it was opened.
  ///
  /// An answer that was computed from such files is wrong. Whoever reads segments calls this before giving
  /// an answer away.
  ///
  /// - Throws: ``CatalogueError`` that names the file and this generation.
  /// - Complexity: O(segments), one call of the system each.
  public func checkUnchanged() throws(CatalogueError) {
    try checkSegments()
    try read { database throws(CatalogueError) in try database.connection.checkSharedMemory() }
  }

  /// Checks the segments, and that no earlier read found a damaged file. Waits for nobody.
  func checkSegments() throws(CatalogueError) {
    if let damage = readDamage.withLock({ $0 }) { throw damage }
    for (file, segment) in files {
      do throws(CatalogueError) {
        try Self.checkUnchanged(segment, of: file, in: directory)
      } catch {
        throw Self.error(error, inGeneration: generation)
      }
    }
  }

  /// Checks that a segment's file was not truncated or written to since it was opened.
  static func checkUnchanged(
    _ segment: SignatureSegment, of file: String, in directory: String
  ) throws(CatalogueError) {
    do throws(SegmentError) {
      try segment.checkUnchanged()
    } catch {
      throw damage(error, of: file, in: directory)
    }
  }

  /// Reads a segment and checks that it is what it was: its checksums, and its fingerprint.
  func checkContents(
    of segment: SignatureSegment, _ file: String, fingerprint: UInt64
  ) throws(CatalogueError) {
    do throws(SegmentError) {
      try segment.verify()
    } catch {
      throw Self.error(Self.damage(error, of: file, in: directory), inGeneration: generation)
    }
    guard segment.fingerprint == fingerprint else {
      throw CatalogueError(
        code: .corrupt,
        message: """
          '\(directory)/\(file)' was replaced by another segment; restore it, or index the \
          catalogue again
          """,
        file: file, generation: generation)
    }
  }

  /// The same error, of a generation.
  static func error(
    _ error: CatalogueError, inGeneration generation: Int
  ) -> CatalogueError {
    var error = error
    error.generation = generation
    return error
  }

  /// Remembers an error of a read that found a damaged file.
  func noted(_ error: CatalogueError) -> CatalogueError {
    guard error.file != nil else { return error }
    let damaged = Self.error(error, inGeneration: generation)
    readDamage.withLock { $0 = damaged }
    return damaged
  }
}
