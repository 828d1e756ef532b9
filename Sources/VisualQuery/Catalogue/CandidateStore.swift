internal import PixelMatch

/// A place outside the directory of a catalogue that keeps the posting lists and the signatures of its
/// segments, in parts that can fail on their own.
package protocol CandidateStore: Sendable {
  /// Fetches the posting lists of some words.
  ///
  /// - Parameters:
  ///   - words: The words for each segment, by the names of their files.
  ///   - limit: The longest time to take, or `nil` for that of the store.
  /// - Throws: ``CatalogueError``: `unreachable` if no part can be reached; `CancellationError`.
  func lists(
    _ words: [String: [UInt32]], within limit: Duration?
  ) async throws -> StoredLists

  /// Fetches the encoded signatures of some rows.
  ///
  /// - Parameter rows: The rows of each segment, by the names of their files.
  /// - Throws: Like ``lists(_:within:)``.
  func signatures(
    _ rows: [String: [Int]], within limit: Duration?
  ) async throws -> StoredSignatures
}

/// The posting lists that a ``CandidateStore`` has found.
package struct StoredLists: Sendable {
  /// The lists of each segment.
  var lists: [String: PostingLists] = [:]
  /// The number of rows of each segment in the parts that answered.
  var rowCounts: [String: Int] = [:]
  /// The numbers of the parts that did not answer, with the reason.
  var missing: [Int: CatalogueError] = [:]
}

/// The signatures that a ``CandidateStore`` has found.
package struct StoredSignatures: Sendable {
  /// The encoded signatures of the rows of each segment.
  var signatures: [String: [Int: [UInt8]]] = [:]
  /// The numbers of the parts that did not answer, with the reason.
  var missing: [Int: CatalogueError] = [:]
}
