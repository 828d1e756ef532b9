package import PixelMatch
private import Synchronization

/// A place outside the directory of a catalogue that keeps the posting lists and the signatures of its
/// segments, in parts that can fail on their own.
package protocol CandidateStore: Sendable {
  /// Fetches the posting lists of some words.
  ///
  /// - Parameters:
  ///   - words: The words for each segment, by the names of their files.
  ///   - limit: The longest time to take, or `nil` for that of the store.
  /// - Throws: ``CatalogueError`` if the parts are not known; `CancellationError`.
  func lists(
    _ words: [String: WordQuestion], within limit: Duration?
  ) async throws -> StoredLists

  /// Fetches the signatures of some rows.
  ///
  /// - Parameter rows: The rows of each segment, by the names of their files.
  /// - Throws: Like ``lists(_:within:)``.
  func signatures(
    _ rows: [String: [Int]], within limit: Duration?
  ) async throws -> StoredSignatures

  /// True if every part has an index of the vectors of images; `nil` as long as that is not known.
  var hasVectors: Bool? { get }

  /// Finds the rows whose vectors are nearest to one, by an index that may miss some.
  ///
  /// - Parameters:
  ///   - rowCounts: The number of rows of each segment that is searched, by the names of their files.
  ///   - count: The most rows that each part gives.
  /// - Returns: `nil` if a part has no index of vectors.
  /// - Throws: Like ``lists(_:within:)``.
  func nearest(
    to embedding: ImageEmbedding, in rowCounts: [String: Int], count: Int, within limit: Duration?
  ) async throws -> StoredNeighbors?
}

/// The segments of a catalogue whose posting lists and signatures are in a store.
package struct StoredSegments: Sendable {
  package let store: any CandidateStore
  fileprivate let names: [EntityType: [String]]
  /// The signatures that say how near vectors usually are.
  package let samples = VectorSamples()

  init(store: any CandidateStore, names: [EntityType: [String]]) {
    self.store = store
    self.names = names
  }

  /// Returns the names of ``Catalogue/segments(of:)`` in the store.
  package func names(of type: EntityType) -> [String] { names[type] ?? [] }
}

/// The words that are looked up in a segment, and what their posting lists can be.
package struct WordQuestion: Sendable {
  /// The words, each once.
  package let words: [UInt32]
  package let bounds: PostingBounds

  package init(words: [UInt32], bounds: PostingBounds) {
    self.words = words
    self.bounds = bounds
  }
}

/// The parts of a store that a question went to, and what each of them failed to do.
package struct StoreOutcome: Sendable {
  /// The number of parts of the store.
  var partCount = 0
  /// The numbers of the parts that did not answer, with the reason.
  package var missing: [Int: CatalogueError] = [:]
  /// The rows that were left out of the answers, by the numbers of the parts.
  package var damaged: [Int: DamagedRows] = [:]

  package init(
    partCount: Int = 0, missing: [Int: CatalogueError] = [:], damaged: [Int: DamagedRows] = [:]
  ) {
    self.partCount = partCount
    self.missing = missing
    self.damaged = damaged
  }

  /// True if every part answered completely.
  package var isWhole: Bool { missing.isEmpty && damaged.isEmpty }

  /// The reason why nothing can be found, or `nil` if a part has answered or only the time was short.
  package var failure: CatalogueError? {
    guard missing.count == partCount else { return nil }
    return missing.sorted { $0.key < $1.key }.map(\.value).first { $0.code != .timedOut }
  }
}

/// The posting lists that a ``CandidateStore`` has found.
package struct StoredLists: Sendable {
  /// The lists of each segment.
  package var lists: [String: PostingLists] = [:]
  /// The number of rows of each segment in the parts that answered.
  package var rowCounts: [String: Int] = [:]
  package var outcome = StoreOutcome()

  package init(
    lists: [String: PostingLists] = [:], rowCounts: [String: Int] = [:],
    outcome: StoreOutcome = StoreOutcome()
  ) {
    self.lists = lists
    self.rowCounts = rowCounts
    self.outcome = outcome
  }
}

/// The signatures that a ``CandidateStore`` has found.
package struct StoredSignatures: Sendable {
  /// The signatures of the rows of each segment.
  package var signatures: [String: [Int: Signature]] = [:]
  package var outcome = StoreOutcome()

  package init(signatures: [String: [Int: Signature]] = [:], outcome: StoreOutcome = StoreOutcome())
  {
    self.signatures = signatures
    self.outcome = outcome
  }
}

/// The rows that a ``CandidateStore`` has found by their vectors.
package struct StoredNeighbors: Sendable {
  /// A row of a segment.
  package struct Row: Sendable, Hashable {
    package let row: Int
    /// One minus the cosine of the angle to the vector that was asked for.
    package let distance: Double

    package init(row: Int, distance: Double) { (self.row, self.distance) = (row, distance) }
  }

  /// The rows of each segment.
  package var rows: [String: [Row]] = [:]
  package var outcome = StoreOutcome()

  package init(rows: [String: [Row]] = [:], outcome: StoreOutcome = StoreOutcome()) {
    (self.rows, self.outcome) = (rows, outcome)
  }
}

/// A sample of the signatures of each type, which is fetched once for a generation.
package final class VectorSamples: Sendable {
  private let segments = Mutex<[EntityType: SignatureSegment]>([:])

  /// Returns the sample of a type, or `nil` if it was not fetched.
  package func sample(of type: EntityType) -> SignatureSegment? { segments.withLock { $0[type] } }

  package func keep(_ sample: SignatureSegment, of type: EntityType) {
    segments.withLock { $0[type] = sample }
  }
}

/// Rows of a shard that were left out of an answer, since they are not what they should be.
package struct DamagedRows: Sendable, Hashable {
  /// The number of rows.
  package private(set) var count: Int
  /// The fault of the first row.
  package let example: String

  /// Makes a record of one row.
  package init(_ example: String) {
    count = 1
    self.example = example
  }

  /// Adds others.
  package static func += (rows: inout DamagedRows, others: DamagedRows) {
    rows.count += others.count
  }
}
