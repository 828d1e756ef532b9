/// What a run remembers of the addresses that it asked.
struct RunMemory {
  /// A new version of an image, which may be the same for many.
  struct Candidate: Sendable {
    let host: String
    let content: ReadingTable.ImageContent
    let had: ReadingTable.ImageContent
  }

  /// The number of images that must become the same picture for it to be a placeholder, if there are many others.
  private static let placeholderCount = 5
  /// The most addresses whose failures are remembered.
  private static let errorLimit = 1 << 17
  /// The most bytes of the images of a dry run, which stores none.
  private static let byteLimit = 64 << 20

  /// The number of images that came, by host.
  var came: [String: Int] = [:]
  /// What became of images that entities have.
  var standings: [String: FetchedPictures.Standing] = [:]
  /// The images of which the server says that there are none, with its words.
  var gone: [String: String] = [:]
  /// The images that failed before, with the number of days on which they were gone.
  var goneDays: [String: Int]
  var candidates: [String: Candidate] = [:]
  /// The failures, so that an address is asked once.
  private(set) var errors: [String: FetchError] = [:]
  /// The images that are not stored for this run.
  private(set) var pictures: [String: FetchedPictures.Picture] = [:]
  private var byteCount = 0
  /// The images that were not asked about, by host: those that no entity has, and the others.
  private var waiting: [String: Waiting] = [:]

  /// The addresses of a host, each once.
  private struct Waiting {
    var images: Set<Int> = []
    var checks: Set<Int> = []

    mutating func insert(_ url: String, isCheck: Bool) {
      // Hashes take less memory; two that are equal are one image less in a message.
      if isCheck { checks.insert(url.hashValue) } else { images.insert(url.hashValue) }
    }
  }

  init(failures: [PictureStore.Failure]) {
    goneDays = Dictionary(uniqueKeysWithValues: failures.map { ($0.url, $0.goneDays) })
  }

  /// Returns what is known about an image that an entity has, or `nil` if it was not asked about.
  func check(_ url: String) -> FetchedPictures.Check? {
    if standings[url] != nil || candidates[url] != nil { return .different }
    return errors[url]?.code == .later ? .later : nil
  }

  mutating func remember(_ picture: FetchedPictures.Picture, of url: String) {
    let count = picture.bytes?.count ?? 0
    guard byteCount + count <= Self.byteLimit else { return }
    byteCount += count
    pictures[url] = picture
  }

  mutating func remember(_ error: FetchError, of url: String) {
    if errors.count < Self.errorLimit { errors[url] = error }
  }

  /// Notes a failure.
  ///
  /// - Parameter had: True if an earlier version is kept because of it.
  mutating func note(_ error: FetchError, of url: String, host: String, had: Bool) {
    if error.code == .later || error.code == .busy && !had {
      waiting[host, default: Waiting()].insert(url, isCheck: had)
      return
    }
    guard had else { return }
    standings[url] = .kept(error.message)
    if error.code == .missing { gone[url] = error.message }
  }

  /// Returns the addresses whose new picture is also that of many others that had different ones, with the reason.
  func placeholders() -> [String: String] {
    struct Sent: Hashable {
      let host: String
      let content: ReadingTable.ImageContent
    }
    var reasons: [String: String] = [:]
    let byPicture = Dictionary(grouping: candidates) {
      Sent(host: $0.value.host, content: $0.value.content)
    }
    for (sent, images) in byPicture {
      let different = Set(images.map(\.value.had)).count
      let changed = candidates.values.count { $0.host == sent.host }
      let isMost = 2 * images.count >= changed + (came[sent.host] ?? 0)
      guard different >= (isMost ? 2 : Self.placeholderCount) else { continue }
      for (url, _) in images {
        reasons[url] =
          "the server sends one picture for \(images.count) images that were different"
      }
    }
    return reasons
  }

  func backlog(_ rates: [String: Double?]) -> FetchBacklog {
    FetchBacklog(
      hosts: waiting.sorted { $0.key < $1.key }.map { host, count in
        FetchBacklog.Host(
          name: host, images: count.images.count, checks: count.checks.count,
          rate: rates[host] ?? nil)
      })
  }
}

/// The images that a run did not come to.
package struct FetchBacklog: Sendable, Hashable {
  package struct Host: Sendable, Hashable {
    package let name: String
    /// The number of images that no entity has yet.
    package let images: Int
    /// The number of images that entities have, and that were not asked about.
    package let checks: Int
    /// The number of images a second that the host sent, or `nil` if there were too few.
    package let rate: Double?

    package init(name: String, images: Int, checks: Int, rate: Double?) {
      (self.name, self.images, self.checks, self.rate) = (name, images, checks, rate)
    }
  }

  package let hosts: [Host]

  package init(hosts: [Host] = []) { self.hosts = hosts }

  package var images: Int { hosts.reduce(0) { $0 + $1.images } }
  package var checks: Int { hosts.reduce(0) { $0 + $1.checks } }
  /// The seconds that the images take at the rates of their hosts, or `nil` if no rate is known.
  package var seconds: Int? {
    hosts.compactMap { host in
      host.rate.map { Int((Double(host.images + host.checks) / $0).rounded(.up)) }
    }.max()
  }
}
