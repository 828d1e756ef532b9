import HTTPServer
import PixelMatch
import Reading
import Synchronization
import VisualQuery

/// Numbers that are kept in memory until they are put on disk: of searches, and of labels that the catalogue lacks.
extension ShopContext {
  /// Returns the circumstances by which a search is counted, and whether it counts for no side of an experiment since its client has
  /// asked too often; `nil` if no numbers are kept.
  func counted(
    _ question: Question, _ content: SemanticContent, arm: String?, _ catalogue: Catalogue,
    _ request: HTTPRequest
  ) -> (answer: CountedAnswer, isSideless: Bool)? {
    guard settings.keepsNumbers, let names = countedNames(catalogue) else { return nil }
    let key = key(of: request.info.head)?.name ?? ""
    let day = Self.today
    let client = "\(key) \(request.info.peer.name)"
    let isSideless = arm != nil && !sides.withLock { $0.takes(client, on: day) }
    let model =
      content.embedding.map { names.model($0.model) }
      ?? (content.pixelBuffer == nil ? nil : settings.models?.image?.name)
    return (
      CountedAnswer(
        number: .random(in: 0 ... .max), day: day, key: key,
        language: names.language(question.locale), arm: isSideless ? "" : arm ?? "",
        model: model ?? ""),
      isSideless
    )
  }

  /// The time for which the names of a shop are used before they are looked up again. Changes of entities may come every second.
  private static let namesLifetime = Duration.seconds(60)

  /// Returns the names that searches are counted by, or `nil` if the catalogue cannot be read at the moment.
  private func countedNames(_ catalogue: Catalogue) -> CountedNames? {
    names.withLock { names in
      if let known = names, known.identity == catalogue.identity,
        known.generation == catalogue.generation
          || known.made.duration(to: .now) < Self.namesLifetime
      {
        return known.names
      }
      let models = [settings.models?.image?.name].compactMap(\.self)
      guard
        let found = try? CountedNames(
          of: catalogue, rules: settings.trialRules ?? ShopRules(), languages: ShopWords.languages,
          models: models)
      else { return names?.names }
      names = KnownNames(
        names: found, identity: catalogue.identity, generation: catalogue.generation, made: .now)
      return found
    }
  }

  /// Remembers a search until it is counted.
  func note(
    _ response: MatchResponse, of question: Question,
    _ counted: (answer: CountedAnswer, isSideless: Bool)?
  ) {
    guard let counted else { return }
    let search = SearchNumbers.Search(
      response, labels: question.labels ?? [], region: question.region,
      isSideless: counted.isSideless, counted.answer)
    if searches.withLock({ $0.add(search) }) { countSearches() }
  }

  /// Puts the searches since the last time into the numbers.
  func countSearches() {
    guard settings.keepsNumbers else { return }
    let waiting = searches.withLock { $0.take() }
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

/// The names of a shop with the generation that they are of.
struct KnownNames: Sendable {
  let names: CountedNames
  let identity: String
  let generation: Int
  let made: ContinuousClock.Instant
}

/// Searches that wait to be counted.
struct WaitingSearches: Sendable {
  /// The most different searches, and the most bytes of their labels, that wait.
  private static let (countLimit, byteLimit) = (10_000, 4_000_000)

  private var searches: [SearchNumbers.Search: Int] = [:]
  private var byteCount = 0

  /// Adds a search, and returns whether no more should wait.
  mutating func add(_ search: SearchNumbers.Search) -> Bool {
    if searches[search] == nil {
      byteCount += search.emptyLabels.reduce(0) { $0 + $1.utf8.count }
    }
    searches[search, default: 0] += 1
    return searches.count >= Self.countLimit || byteCount >= Self.byteLimit
  }

  /// Returns all of them and is then empty.
  mutating func take() -> [SearchNumbers.Search: Int] {
    defer { self = WaitingSearches() }
    return searches
  }
}

/// The searches of each client that counted for a side of an experiment today, so that no single client decides it. They are kept in
/// memory only.
struct ClientSides: Sendable {
  /// The most clients that are remembered. Beyond it, those with the fewest searches are forgotten, which makes the least difference.
  static let clientLimit = 10_000

  private var day = ""
  private var counts: [String: Int] = [:]

  /// Counts a search of a client, and returns whether it counts for a side.
  mutating func takes(_ client: String, on day: String) -> Bool {
    if day != self.day { (self.day, counts) = (day, [:]) }
    if counts[client] == nil, counts.count >= Self.clientLimit {
      let rarest = counts.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
      for (client, _) in rarest.prefix(Self.clientLimit / 2) { counts[client] = nil }
    }
    let count = counts[client] ?? 0
    guard count < SearchNumbers.sideLimit else { return false }
    counts[client] = count + 1
    return true
  }
}
