import HTTPServer
import PixelMatch
import Reading
import Synchronization
import VisualQuery

/// Numbers that are kept in memory until they are put on disk: of searches, and of labels that the catalogue lacks.
extension ShopContext {
  /// The most different searches that wait to be counted.
  private static let waitingLimit = 10_000

  /// Remembers a search until it is counted.
  func note(
    _ response: MatchResponse, of question: Question, _ options: MatchOptions,
    _ request: HTTPRequest
  ) {
    guard settings.keepsNumbers else { return }
    let search = SearchNumbers.Search(
      response, labels: question.labels ?? [], region: question.region,
      SearchNumbers.Circumstances(
        day: Self.today, key: key(of: request.info.head)?.name ?? "",
        language: question.locale ?? "", arm: options.arm ?? "",
        model: options.countedModel ?? ""))
    let isFull = searches.withLock { searches in
      searches[search, default: 0] += 1
      return searches.count >= Self.waitingLimit
    }
    if isFull { countSearches() }
  }

  /// Returns the name of the model by which the image of a question is compared, too, or `nil` without one or if no numbers are kept.
  /// A model that the catalogue does not name has a number in place of its name.
  func countedModel(_ content: SemanticContent, _ catalogue: Catalogue) -> String? {
    guard settings.keepsNumbers else { return nil }
    if let embedding = content.embedding {
      let name = catalogue.imageModel?.name
      return name.map(ImageEmbedding.fingerprint) == embedding.model
        ? name : String(embedding.model, radix: 16)
    }
    return content.pixelBuffer == nil ? nil : settings.models?.image?.name
  }

  /// Puts the searches since the last time into the numbers.
  func countSearches() {
    guard settings.keepsNumbers else { return }
    let waiting = searches.withLock { searches in
      defer { searches = [:] }
      return searches
    }
    if waiting.isEmpty { return }
    do throws(CatalogueError) {
      try SearchNumbers(directory: catalogue.directory).count(waiting)
    } catch {
      let lost = waiting.values.reduce(0, +)
      log.write("numbers", "\(lost) searches were not counted: \(error.message)", level: "error")
    }
  }

  /// The day of events and searches, in UTC.
  static var today: String { ReportDays.first(ofLast: 1) }

  /// Stores the counts of labels that the catalogue lacks in a file beside it. An index that is read-only has no such
  /// file.
  func countUnmatchedLabels() {
    let labels = unmatched.withLock { labels in
      defer { labels = [] }
      return labels
    }
    if !labels.isEmpty { try? UnmatchedLabels(directory: catalogue.directory).count(labels) }
  }
}
