import Foundation
import PixelMatch
import Testing
import VisualQuery

/// The examples of the articles and of the landing page, run on the sample shop: each line of
/// theirs is here (`DocumentationTests` compares), with `directory` and `photo` in place of their
/// paths.
enum ArticleExamples {
  /// "Match your first image", from its beginning to its end.
  static func matchYourFirstPicture(directory: String, photo: String) async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: photo)))
    let content = try await matcher.content(decoding: bytes, labels: ["mug"])
    let answer = try await matcher.values(
      for: content,
      options: MatchOptions(
        near: GeoPoint(latitude: 53.55, longitude: 10), date: Date(), locale: "de"))
    // The number of matches within the default deadline depends on the machine.
    #expect(answer.matches.count <= 8)

    var options = MatchOptions(types: [.product])
    options.filters[.product] = EntityFilter(
      labels: ["drinkware"],
      comparators: [
        EntityComparator("price", .lessThan(20)),
        EntityComparator("brand", .equalTo("Northlight")),
      ])
    #expect(try await matcher.values(for: content, options: options).matches.count <= 5)

    if answer.hasMore, let token = answer.continuation {
      let next = try await matcher.values(continuing: token)
      #expect(next.generation == answer.generation)
    }
  }

  /// The program of README.md; returns the ids that it prints the titles of.
  static func readme(directory: String, photo: String) async throws -> [String] {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let jpeg = [UInt8](try Data(contentsOf: URL(fileURLWithPath: photo)))
    let answer = try await matcher.values(for: matcher.content(decoding: jpeg, labels: ["mug"]))
    for match in answer.matches {
      print(match.confidence, match.display.title, match.handoff.url ?? "")
    }
    return answer.matches.map(\.value.id.value)
  }

  /// "Supply embeddings".
  static func supplyEmbeddings(
    matcher: Matcher, jpeg: [UInt8], features: [Float]
  ) async throws -> Bool? {
    var content = try await matcher.content(decoding: jpeg, labels: ["mug"])
    content.embedding = try ImageEmbedding(model: "my-model-1", vector: features)
    let answer = try await matcher.values(for: content)
    if answer.isEmbeddingCompared == false {
      print("the catalogue has none of this model")
    }
    return answer.isEmbeddingCompared
  }

  /// "Update single entities", with a mug that has `jpeg`.
  static func updateEntities(
    directory: String, jpeg: [UInt8], changes: [EntityChange]
  ) async throws -> EntityChange {
    let indexer = Indexer(directory: directory)
    var mug = Product(id: "mug-red", title: "Camp mug", labels: ["mug"])
    mug.price = try Price(amount: "14.90", currency: "EUR")
    let progress = try await indexer.update(with: [
      .put(.product(mug), images: [.encoded(jpeg)]),
      .remove(EntityID(type: .product, value: "mug-blue")),
    ])
    print(progress.added, progress.changed, progress.removed, progress.generation)
    _ = try await indexer.update(
      with: changes, options: UpdateOptions(requiresAllImages: true),
      outcome: { outcome in
        for row in outcome.refused { print(outcome.id, row.field ?? "", row.reason) }
      })
    let id = EntityID(type: .product, value: "mug-red")
    let cheaper = EntityChange.patch(id, .object(["price": .object(["amount": .string("12.90")])]))
    _ = try await indexer.update(with: [cheaper])
    mug.images = ["upload:cb7c5fa5bd180174"]
    mug.price = try Price(amount: "12.90", currency: "EUR")
    let change = EntityChange.put(.product(mug))
    return change
  }

  /// The landing page.
  static func landingPage(directory: String, jpeg: [UInt8]) async throws {
    let matcher = Matcher(catalogue: try Catalogue(directory: directory))
    let content = try await matcher.content(decoding: jpeg, labels: ["mug"])
    let answer = try await matcher.values(for: content)
    for match in answer.matches {
      print(match.rank, match.confidence, match.display.title, match.handoff.url ?? "")
    }
  }

  /// "An index on the device".
  static func indexOnTheDevice(_ lookup: EntityLookup, _ stored: StoredEntities) async throws {
    var state = stored.state
    while true {
      let changes = try await lookup.changes(since: state)
      try stored.apply(changes.upserts, changes.tombstones, state: changes.state)
      state = changes.state
      if !changes.hasMore { break }
    }
  }

  /// The entities that an app keeps.
  final class StoredEntities {
    private(set) var state: String?
    private(set) var entities: [EntityID: EntityValue] = [:]

    func apply(_ upserts: [EntityValue], _ tombstones: [EntityID], state: String) throws {
      for value in upserts { entities[value.id] = value }
      for id in tombstones { entities[id] = nil }
      self.state = state
    }
  }
}
