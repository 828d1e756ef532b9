#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Synchronization
import VisualQuery

/// The report of a run of `vq index`, for the morning.
final class NightReport: Sendable {
  /// The most images that cannot be used and are kept for the report.
  private static let imageLimit = 20_000

  private struct State {
    var failing: [NightPage.FailingImage] = []
    var omitted = 0
  }

  private let file: ReportFile
  private let directory: String
  private let state = Mutex(State())

  /// Opens the file.
  ///
  /// - Parameter directory: The directory of the index.
  init(path: String, directory: String) throws {
    file = try ReportFile(path: path)
    self.directory = directory
  }

  /// Takes an image that cannot be used.
  func take(_ row: RefusedRow) {
    guard row.kind == .image, let image = row.subject else { return }
    let reason =
      row.reason.hasPrefix(image + ": ")
      ? String(row.reason.dropFirst(image.count + 2)) : row.reason
    state.withLock { state in
      guard state.failing.count < Self.imageLimit else { return state.omitted += 1 }
      state.failing.append(
        NightPage.FailingImage(entity: row.id ?? "", image: image, reason: reason))
    }
  }

  /// Writes the report of a run that reached its end.
  func write(_ progress: Indexer.Progress, _ rejections: [String], outcome: String) async throws {
    guard progress.generation > 0 else {
      return try file.write(NightPage.page(ofFailure: outcome))
    }
    let pool = WorkerPool()
    let catalogue = try Catalogue(directory: directory)
    let findings = try await CatalogueDoctor(catalogue: catalogue, pool: pool).findings()
    let earlier = NightNotes(index: directory)
    var notes = earlier ?? NightNotes()
    let newFindings = notes.take(findings)
    var failing = state.withLock(\.failing)
    let omitted = state.withLock(\.omitted)
    let day = Date().formatted(Date.ISO8601FormatStyle().year().month().day())
    for (index, since) in notes.take(images: failing.map(\.key), on: day).enumerated() {
      failing[index].since = since
    }
    let source = ReportSource(catalogue: catalogue, pool: pool)
    let (file, images) = (self.file, failing)
    func write(_ previous: ReportSource?) async throws {
      let page = NightPage(
        outcome: outcome, progress: progress, rejections: rejections, failing: images,
        failingOmitted: omitted, findingCount: findings.count, newFindings: newFindings,
        hasEarlier: earlier != nil, source: source, previous: previous)
      try file.write(try await page.page())
    }
    if progress.removed > 0 {
      // Entities that the run removed are read from the state before it.
      try await CatalogueUpkeep(directory: directory, pool: pool).withPrevious { previous in
        try await write(ReportSource(catalogue: previous, pool: pool))
      }
    } else {
      try await write(nil)
    }
    try notes.write(index: directory)
  }

  /// Writes the report of a run that failed.
  func write(failure: any Error) throws {
    if failure is CancellationError { return file.discard() }
    let message =
      (failure as? CatalogueError)?.message ?? (failure as? CommandFailure)?.message
      ?? (failure as? FeedRefusal)?.message
      ?? "\(failure)"
    try file.write(NightPage.page(ofFailure: message))
  }
}
