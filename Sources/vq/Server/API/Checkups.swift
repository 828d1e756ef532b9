import VisualQuery

/// The findings of the doctor, which take long to make, for the newest generation that was checked.
/// One checkup runs at a time.
actor Checkups {
  /// The largest number of images, which take about a minute.
  static let imageLimit = 1_000_000

  /// The most images whose files are looked at, some seconds long.
  private static let pictureLimit = 500

  private struct Checkup {
    let generation: Int
    /// See ``Catalogue/generationTag``, with the identity before it.
    let tag: String
    let findings: Task<[CatalogueDoctor.Finding], any Error>
  }

  private var last: Checkup?
  private let pool = WorkerPool(width: 1)

  /// The findings of a generation.
  typealias Findings = (generation: Int, findings: [CatalogueDoctor.Finding])

  /// Returns the findings of a generation, or of another one that was asked for meanwhile.
  func findings(of catalogue: Catalogue) async throws -> Findings {
    guard catalogue.imageCount <= Self.imageLimit else {
      throw Problem(
        .tooLargeToCheck,
        "\(catalogue.imageCount) images are too many to check here; run 'vq doctor'")
    }
    let tag = catalogue.identity + catalogue.generationTag
    if let last, last.tag == tag {
      return try await findings(of: last)
    }
    last?.findings.cancel()
    let doctor = CatalogueDoctor(
      catalogue: catalogue, pool: pool, pictureLimit: Self.pictureLimit)
    let task = Task { try await doctor.findings() }
    let checkup = Checkup(generation: catalogue.generation, tag: tag, findings: task)
    last = checkup
    return try await findings(of: checkup)
  }

  /// Waits for the findings of a checkup, or of the one that has taken its place.
  private func findings(of checkup: Checkup) async throws -> Findings {
    do {
      return (checkup.generation, try await checkup.findings.value)
    } catch is CancellationError {
      guard let last, last.findings != checkup.findings, !Task.isCancelled else {
        throw CancellationError()
      }
      return try await findings(of: last)
    } catch {
      if last?.findings == checkup.findings { last = nil }
      throw error
    }
  }
}
