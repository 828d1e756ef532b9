import Foundation
import PixelMatch
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

@Suite struct PossibleEntitiesTests {
  // MARK: The distribution

  /// Would break if the candidates and none of them did not exclude each other.
  @Test(arguments: [[], [0], [-3, 2, 2], [900, 899, -900], [-800, -900]] as [[Double]])
  func `the shares of the candidates and of none of them add up to one`(utilities: [Double]) {
    let none = 0.3
    let shares = PossibleEntities.probabilities(utilities, none: none)
    #expect(shares.count == utilities.count)
    #expect(shares.allSatisfy { (0...1).contains($0) })
    // A single candidate as likely as none of them has half.
    let rest = PossibleEntities.probabilities(utilities + [none], none: none)
    #expect(abs(rest.last! - (1 - rest.dropLast().reduce(0, +)) / 2) < 1e-12)
    #expect(abs(PossibleEntities.probabilities([none], none: none)[0] - 0.5) < 1e-12)
  }

  /// Would break if a list were longer than it must be, were given though it is likelier to be wrong, or had no limit.
  @Test(
    arguments: [
      ([], 0), ([0.49], 0), ([0.5], 1), ([0.9, 0.05], 1), ([0.5, 0.3, 0.1, 0.05], 3),
      ([0.3, 0.15], 0), ([0.3, 0.2], 2), ([0.2, 0.2, 0.2], 3),
      (Array(repeating: 0.1, count: 10), 8), (Array(repeating: 0.06, count: 10), 0),
    ] as [([Double], Int)])
  func `a list is the smallest that holds nine tenths, and at most eight`(
    shares: [Double], length: Int
  ) {
    #expect(PossibleEntities.length(shares) == length)
  }

  /// The evidence of a candidate for a list.
  private func evidence(
    inliers: Double = 10, votes: Double = 2000, lead: Double = 2, text: Double? = nil
  ) -> [Evidence] {
    [
      Evidence(kind: .prior, value: 1, weight: -2.6), Evidence(kind: .color, value: 0.7, weight: 0),
      Evidence(kind: .votes, value: votes, weight: 0),
      Evidence(kind: .inliers, value: inliers, weight: 0),
      Evidence(kind: .lead, value: lead, weight: lead),
    ] + (text.map { [Evidence(kind: .text, value: $0, weight: 0)] } ?? [])
  }

  /// Would break if a tree were read the wrong way round, or were fitted such that more agreement makes an entity less likely: what agrees
  /// more is never less likely, and what its rivals have makes it no likelier.
  @Test func `more agreement is never less likely`() {
    func utility(_ own: [Evidence], beside rival: [Evidence]? = nil) -> Double {
      PossibleEntities.utilities([own, rival ?? evidence(inliers: 4, votes: 900, lead: -2)])[0]
    }
    var utilities: [Double] = []
    for inliers in stride(from: 0, through: 60, by: 3) {
      utilities.append(utility(evidence(inliers: Double(inliers))))
    }
    #expect(utilities == utilities.sorted() && utilities.last! > utilities.first!)
    let byLead = [-3, -1, 0, 1, 2, 3, 4].map { utility(evidence(lead: $0)) }
    #expect(byLead == byLead.sorted() && byLead.last! > byLead.first! + 1)
    let strong = evidence(inliers: 30, votes: 9000, lead: 3)
    #expect(utility(evidence(), beside: strong) < utility(evidence()))
  }

  /// Would break if trees that know only images judged labels or words, or if the words of a brand, which are on all of its things, said as much as
  /// the rest, or a look-alike among the many images of an entity as much as the only image of another.
  @Test func `with words and labels, the log-odds count`() {
    func probability(_ label: Double, text: Double? = nil, isSeveral: Bool = false) -> Double {
      let own =
        evidence(text: text) + [Evidence(kind: .labels, value: 1, weight: label)]
        + (isSeveral ? [Evidence(kind: .support, value: 0, weight: 0)] : [])
      return PossibleEntities.probabilities(of: [own])[0]
    }
    // The log-odds are 1.4, times 0.97, and those of none are -0.1.
    #expect(abs(probability(2) - 1 / (1 + exp(-0.97 * 1.4 - 0.1))) < 1e-12)
    #expect(probability(3) > probability(2))
    // If text is compared, those of none are -0.45, and its agreement counts against it.
    #expect(abs(probability(2, text: 0) - 1 / (1 + exp(-0.97 * 1.4 - 0.45))) < 1e-12)
    #expect(probability(2, text: 3) < probability(2, text: 0))
    #expect(probability(2, isSeveral: true) < probability(2))
  }

  /// Would break if trees judged a lead that an embedding has changed, which they were fitted without, if the lead of an embedding counted for
  /// siblings that it does not tell apart, or for what is farther than they are.
  @Test func `an embedding adds its lead to what the image tells`() {
    func embedded(_ value: Double, lead: Double = 1) -> [Evidence] {
      evidence(lead: lead) + [Evidence(kind: .embedding, value: value, weight: 0)]
    }
    /// The log-odds of the first candidate against none of them.
    func odds(_ values: [Double], lead: Double = 1, of index: Int = 0) -> Double {
      let shares = PossibleEntities.probabilities(
        of: values.map { embedded($0, lead: lead) },
        withoutEmbedding: values.map { _ in evidence() })
      return log(shares[index] / (1 - shares.reduce(0, +)))
    }
    let utility = PossibleEntities.utilities(Array(repeating: evidence(), count: 5))[0]
    let none = 0.65
    #expect(abs(odds([1, 1, 1, 1, 1]) - (utility - none)) < 1e-9)
    #expect(abs(odds([3, 1, 1, 1, 1]) - (utility + 0.4 * 2 - none)) < 1e-9)
    #expect(odds([3, 1, 1, 1, 1], lead: 4) == odds([3, 1, 1, 1, 1]))
    // Four siblings, and what is farther than the others.
    #expect(abs(odds([3, 3, 3, 3, 1]) - (utility - none)) < 1e-9)
    #expect(abs(odds([3, 3, 3, 3, 1], of: 4) - (utility - none)) < 1e-9)
    // Of what is found in an outline, no embedding is compared.
    let outlined = PossibleEntities.probabilities(
      of: [embedded(3, lead: 4), evidence()], withoutEmbedding: [evidence(), nil])
    #expect(outlined[0] == outlined[1])
    // Three others tell what is usual, two do not.
    let few = PossibleEntities.utilities(Array(repeating: evidence(), count: 3))[0]
    #expect(abs(odds([3, 1, 1]) - (few - none)) < 1e-9)
    // In fitted directions, a lead says more, but must say so.
    let directed = PossibleEntities.probabilities(
      of: [3, 1, 1, 1, 1].map { embedded($0) }, withoutEmbedding: (0..<5).map { _ in evidence() },
      isDirected: true)
    let rest = 1 - directed.reduce(0, +)
    #expect(abs(log(directed[0] / rest) - (utility + 2 * 2 - 1.4)) < 1e-9)
    #expect(abs(log(directed[1] / rest) - (utility - 1.4)) < 1e-9)
    // Text and labels are judged by the log-odds without it.
    let labels = [Evidence(kind: .labels, value: 1, weight: 2)]
    #expect(
      PossibleEntities.probabilities(
        of: [embedded(2, lead: 3) + labels], withoutEmbedding: [evidence() + labels])
        == PossibleEntities.probabilities(of: [evidence() + labels]))
    #expect(PossibleEntities.probabilities(of: [], withoutEmbedding: []).isEmpty)
  }

  /// Would break if a question led nowhere or in a circle, or asked for what no candidate has.
  @Test func `the questions of each tree lead to its leaves`() {
    #expect(!PossibleEntities.coefficients.trees.isEmpty)
    for tree in PossibleEntities.coefficients.trees {
      var leaves = 0
      for (index, question) in tree.enumerated() {
        for case let step in [question.low, question.high] {
          switch step {
          case .leaf: leaves += 1
          // The next question has a higher index, so no tree contains a cycle.
          case .question(let next): #expect(tree.indices.contains(next) && next > index)
          }
        }
      }
      #expect(leaves == tree.count + 1)
    }
  }

  /// Would break if candidates without rivals, or without anything measured, had no utility.
  @Test func `any candidates have utilities`() {
    #expect(PossibleEntities.utilities([]).isEmpty)
    #expect(PossibleEntities.utilities([evidence()]).allSatisfy { $0.isFinite })
    #expect(PossibleEntities.utilities([[], []]).allSatisfy { $0.isFinite })
  }

  // MARK: Answers

  /// The sample shop, which sells what the photo shows, with a cut-off that nothing reaches.
  private func answer(
    _ query: String = "q06-oats.jpg", labels: [String] = [],
    change: (inout MatchOptions) -> Void = { _ in }
  ) async throws -> (response: MatchResponse, matcher: Matcher) {
    let matcher = Matcher(unhurried: try await MatcherTests().catalogue())
    var options = MatchOptions(minimumConfidence: 1, timeout: nil)
    change(&options)
    let content = try SemanticContent(
      decoding: ImageDecoder().contents(ofFile: SampleShop.query(query)), labels: labels)
    return (try await matcher.values(for: content, options: options), matcher)
  }

  private func ids(_ response: MatchResponse) -> [String] {
    response.possible.map(\.value.id.value)
  }

  private func json(_ response: MatchResponse) throws -> [String: Any] {
    let document = MatchDocument(response, query: "q", elapsed: .zero, projection: nil)
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(document))
    return try #require(object as? [String: Any])
  }

  @Test func `if nothing is sure, there is a list of what it may be`() async throws {
    let response = try await answer().response
    #expect(response.matches.isEmpty && response.emptyReason == .nothingAboveConfidence)
    #expect(ids(response).first == "oats" && ids(response).count <= PossibleEntities.limit)
    let shares = response.possible.map(\.confidence)
    #expect(shares == shares.sorted(by: >) && (0.5...1).contains(shares.reduce(0, +)))
    #expect(response.possible.map(\.rank) == Array(1...shares.count))
    #expect(response.possible.allSatisfy { $0.stocks == nil && $0.object == nil })
    #expect(response.entityIDs == response.possible.map(\.value.id))
    let values = try #require(try json(response)["possible"] as? [[String: Any]])
    #expect(values.map { $0["id"] as? String } == ids(response))
    #expect(try json(response)["nearMiss"] is NSNull)
    // The order of threads and of dictionaries must not show.
    #expect(try await answer().response == response)
  }

  /// Would break if the list repeated what is sure, or doubted it.
  @Test func `what is sure is not in the list`() async throws {
    let response = try await answer { $0.minimumConfidence = nil }.response
    #expect(response.matches.contains { $0.value.id.value == "oats" })
    let shown = response.matches.map(\.value.id)
    #expect(response.possible.allSatisfy { !shown.contains($0.value.id) })
    let all = try await answer { $0.minimumConfidence = 0 }.response
    #expect(!all.matches.isEmpty && all.possible.isEmpty)
  }

  @Test func `a thing that the shop does not sell has no list`() async throws {
    let response = try await answer("q10-plant.jpg").response
    #expect(response.matches.isEmpty && response.possible.isEmpty)
    #expect(try (json(response)["possible"] as? [Any])?.isEmpty == true)
  }

  /// Would break if a program that acts alone had to know of the list.
  @Test func `only sure answers have no list, also in their continuations`() async throws {
    let (response, matcher) = try await answer { $0.answers = .sure }
    #expect(response.matches.isEmpty && response.possible.isEmpty)
    #expect(try json(response)["possible"] == nil)
    let token = try #require(response.continuation)
    for refresh in [false, true] {
      let next = try await matcher.values(continuing: token, refresh: refresh, timeout: nil)
      #expect(next.possible.isEmpty)
      #expect(try json(next)["possible"] == nil)
    }
  }

  @Test func `filters and limits hold for the list`() async throws {
    let stores = try await answer { $0.types = [.store] }.response
    #expect(stores.possible.allSatisfy { $0.value.id.type == .store })
    let none = try await answer { $0.typeLimits = [.product: 0, .store: 0] }.response
    #expect(none.possible.isEmpty)
    let filter = EntityFilter(labels: [], comparators: [try #require(EntityComparator("price<1"))])
    let cheap = try await answer { $0.filters = [.product: filter, .store: filter] }.response
    #expect(cheap.possible.isEmpty)
  }

  @Test func `labels alone have no list`() async throws {
    let matcher = Matcher(unhurried: try await MatcherTests().catalogue())
    for cutOff in [nil, 0.9, 1] {
      let response = try await matcher.values(
        for: SemanticContent(labels: ["mug"]),
        options: MatchOptions(minimumConfidence: cutOff, timeout: nil))
      #expect(response.possible.isEmpty)
    }
  }

  /// Would break if the list were lost with the image, or kept an entity that is gone.
  @Test func `a continuation reproduces the list without the image`() async throws {
    let (response, matcher) = try await answer()
    let token = try #require(response.continuation)
    let first = try await matcher.values(continuing: token)
    let second = try #require(first.continuation)
    for next in [
      first, try await matcher.values(continuing: token, fromStart: true),
      try await matcher.values(continuing: second),
    ] {
      #expect(next.matches.isEmpty && ids(next) == ids(response))
      #expect(next.possible.map(\.confidence) == response.possible.map(\.confidence))
      #expect(next.possible.map(\.tier) == response.possible.map(\.tier))
    }
    let again = try await matcher.values(continuing: token, refresh: true, timeout: nil)
    #expect(again.possible.allSatisfy { $0.confidence < 1 })
  }

  /// Would break if tokens that an app holds were refused after an update of the server.
  @Test func `tokens of the version before have no list`() async throws {
    let (response, matcher) = try await answer("q10-plant.jpg")
    let token = try #require(response.continuation)
    let continuation = try Continuation(token: token, catalogue: matcher.catalogue)
    var bytes = try #require(continuation.bytes)
    #expect(bytes[0] == 3 && bytes.last == 0)
    bytes[0] = 2
    #expect(Continuation(bytes: bytes) == nil)
    let old = try #require(Continuation(bytes: bytes.dropLast()))
    #expect(old.possible.isEmpty && old.question == continuation.question)
    let sealed = SealedToken.seal(bytes.dropLast(), secret: matcher.catalogue.secret)
    #expect(try await matcher.values(continuing: sealed).matches.isEmpty)
  }
}
