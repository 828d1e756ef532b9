package import PixelMatch
internal import Synchronization

/// Detection of files that other programs change while they are open.
extension Catalogue {
  /// Returns the error of a damaged segment.
  package static func damage(
    _ error: SegmentError, of file: String, in directory: String
  ) -> CatalogueError {
    let code: CatalogueError.Code =
      switch error.code {
      case .missing, .corrupt, .notASegment, .otherFormatVersion: .corrupt
      case .truncated: .truncated
      case .otherSignatureVersion: .otherSignatureVersion
      case .unreadable: .notPermitted
      case .exhausted: .exhausted
      }
    let remedy: String? =
      switch code {
      case .notPermitted: "let the user of this process read it"
      case .exhausted: nil
      case .otherSignatureVersion: "index the feed into a new directory"
      default: CatalogueError.remedy
      }
    let isDamage = code != .notPermitted && code != .exhausted
    return CatalogueError(
      code: code,
      message: "'\(directory)/\(file)': \(error.message)" + (remedy.map { "; \($0)" } ?? ""),
      file: isDamage ? file : nil)
  }

  /// Reads all segments and compares their checksums. What is damaged is noted, so that ``checkUnchanged()`` throws.
  ///
  /// - Parameters:
  ///   - isDue: Returns whether to read a segment.
  ///   - goesOn: Returns whether to read a further number of bytes.
  package func verifySegments(
    where isDue: (SignatureSegment) -> Bool, goingOnIf goesOn: (_ byteCount: Int) -> Bool
  ) {
    for (_, segment) in files.sorted(by: { $0.key < $1.key }) where isDue(segment) {
      _ = try? segment.verify(goingOnIf: goesOn)
    }
  }

  /// Checks that no file of this generation was truncated or written to since it was opened, and that none is damaged
  /// as far as it was read.
  ///
  /// An answer that was computed from such files is wrong, so code that reads segments calls this
  /// before it returns an answer.
  ///
  /// - Throws: ``CatalogueError`` that names the file and this generation.
  /// - Complexity: O(segments), with one system call for each.
  package func checkUnchanged() throws(CatalogueError) {
    try checkSegments()
    try read { database throws(CatalogueError) in try database.connection.checkSharedMemory() }
  }

  /// Checks the segments, and that no earlier read found a damaged file. Does not block.
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
  package static func checkUnchanged(
    _ segment: SignatureSegment, of file: String, in directory: String
  ) throws(CatalogueError) {
    do throws(SegmentError) {
      try segment.checkUnchanged()
    } catch {
      throw damage(error, of: file, in: directory)
    }
  }

  /// Reads all of a segment and checks its checksums.
  ///
  /// - Throws: ``CatalogueError`` with the code `corrupt`.
  package static func verify(
    _ segment: SignatureSegment, of file: String, in directory: String
  ) throws(CatalogueError) {
    do throws(SegmentError) {
      try segment.verify()
    } catch {
      throw damage(error, of: file, in: directory)
    }
  }

  /// Reads a segment and checks its checksums and its fingerprint.
  func checkContents(
    of segment: SignatureSegment, _ file: String, fingerprint: UInt64
  ) throws(CatalogueError) {
    do throws(CatalogueError) {
      try Self.verify(segment, of: file, in: directory)
    } catch {
      throw Self.error(error, inGeneration: generation)
    }
    guard segment.fingerprint == fingerprint else {
      throw CatalogueError(
        code: .corrupt,
        message: """
          '\(directory)/\(file)' was replaced by another segment; restore it, or index \
          the feed again
          """,
        file: file, generation: generation)
    }
  }

  /// Returns the same error with the generation added.
  static func error(
    _ error: CatalogueError, inGeneration generation: Int
  ) -> CatalogueError {
    var error = error
    error.generation = generation
    return error
  }

  /// Records the error of a read that found a damaged file.
  func noted(_ error: CatalogueError) -> CatalogueError {
    guard error.file != nil else { return error }
    let damaged = Self.error(error, inGeneration: generation)
    readDamage.withLock { $0 = damaged }
    return damaged
  }
}
