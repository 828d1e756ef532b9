import Foundation
import PixelMatch
import Synchronization
import TestSupport
import Testing
@testable import ShopSearch
import VisualQuery

/// Deadlines, cancellation and early answers, at every place where a query looks at the clock.
@Suite struct AnytimeTests {
  private static let shared = Task {
    let folder = try await CatalogueTests.sampleCatalogue()
    return (folder, try Catalogue(directory: folder.path + "/shop.vq"))
  }

  private func catalogue() async throws -> Catalogue { try await Self.shared.value.1 }

  /// Signed once: that takes longer than all the rest in a debug build.
  private static let signed = Result {
    let bytes = try ImageDecoder().contents(ofFile: SampleShop.query("q03-bottle.jpg"))
    return QuerySignature(
      try ImageDecoder().decode(bytes, longerSide: QuerySignature.workingSide))
  }

  private func content() throws -> SemanticContent {
    SemanticContent(labels: ["bottle"], signature: try Self.signed.get())
  }

  private let all = MatchOptions(limit: 100, typeLimits: [:], minimumConfidence: 0, timeout: nil)

  /// One thread, so that the places come in one order.
  private func matcher(_ clock: SteppingClock) async throws -> Matcher {
    Matcher(catalogue: try await catalogue(), pool: WorkerPool(width: 1), clock: clock)
  }

  /// Would break if a stage forgot the deadline, gave up what was found, or claimed to be done.
  @Test func `a deadline at any place gives a valid part of the answer`() async throws {
    let whole = SteppingClock()
    var options = all
    options.timeout = .seconds(1000)
    let complete = try await matcher(whole).values(for: content(), options: options)
    #expect(complete.isComplete && complete.coverage == 1)
    let looks = whole.lookCount
    #expect(looks > 100)
    let ids = Set(complete.matches.map(\.value.id))
    var coverages: [Double] = []
    // The clock is looked at twice before the deadline is known.
    for stop in stride(from: 0, to: looks - 3, by: max(1, looks / 40)) {
      options.timeout = .milliseconds(stop)
      let answer = try await matcher(SteppingClock()).values(for: content(), options: options)
      #expect(!answer.isComplete && answer.coverage < 1)
      coverages.append(answer.coverage)
      for match in answer.matches { #expect(match.confidence > 0 && match.confidence < 1) }
      #expect(
        zip(answer.matches, answer.matches.dropFirst()).allSatisfy {
          $0.confidence >= $1.confidence
        })
      #expect(Set(answer.matches.map(\.value.id)).count == answer.matches.count)
      #expect(answer.matches.map(\.rank) == Array(1..<answer.matches.count + 1))
      #expect(answer.matches.isEmpty || !ids.isDisjoint(with: answer.matches.map(\.value.id)))
    }
    // The labels are looked up whatever the deadline.
    #expect((coverages.first ?? 0) > 0)
    #expect(coverages == coverages.sorted())
    #expect(Set(coverages).count > 10)
  }

  /// Would break if scans and votes used up the time of a query: what they had found could not be told from what
  /// merely looks alike.
  @Test func `the likeliest candidates are verified, however long the scans take`() async throws {
    let clock = SteppingClock()
    var looks: [Int] = []
    var options = all
    options.timeout = .seconds(1000)
    for try await _ in try await matcher(clock).answers(for: content(), options: options) {
      looks.append(clock.lookCount)
    }
    // Labels, hashes, votes, appearance, geometry, patches, windows, regions, light: the time is that of the first three.
    #expect(looks.count == 9 && looks[4] > looks[3] + 10)
    options.timeout = .milliseconds(looks[2] - 3)
    let answer = try await matcher(SteppingClock()).values(for: content(), options: options)
    #expect(!answer.isComplete && answer.matches.contains { $0.alignment != nil })
  }

  /// Would break if the cut-off for images applied to an answer that no image has reached.
  @Test func `an image that the deadline left unsearched loses no label`() async throws {
    let labels = try await matcher(SteppingClock()).values(
      for: SemanticContent(labels: ["bottle"]), options: MatchOptions(timeout: nil))
    #expect(!labels.matches.isEmpty && labels.imageCoverage == nil)
    let answer = try await matcher(SteppingClock()).values(
      for: content(), options: MatchOptions(timeout: .zero))
    #expect(answer.matches == labels.matches)
    #expect(answer.minimumConfidence == labels.minimumConfidence)
    #expect(!answer.isComplete)
    #expect(answer.imageCoverage?.searched == 0 && answer.imageCoverage?.total == 34)
    // Somebody's own cut-off holds in either case.
    let strict = try await matcher(SteppingClock()).values(
      for: content(), options: MatchOptions(minimumConfidence: 0.9, timeout: .zero))
    #expect(strict.matches.isEmpty && strict.minimumConfidence == 0.9)
    // Whatever the place, there is an answer.
    let whole = SteppingClock()
    _ = try await matcher(whole).values(
      for: content(), options: MatchOptions(timeout: .seconds(1000)))
    for stop in stride(from: 0, to: whole.lookCount - 3, by: max(1, whole.lookCount / 10)) {
      let part = try await matcher(SteppingClock()).values(
        for: content(), options: MatchOptions(timeout: .milliseconds(stop)))
      #expect(!part.matches.isEmpty && !part.isComplete)
    }
  }

  /// Recall grows with the deadline: what is right is found by every search that is long enough.
  @Test func `the right answer comes early and stays`() async throws {
    let content = try content()
    var ranks: [Int?] = []
    for try await answer in try await matcher(SteppingClock()).answers(for: content, options: all) {
      ranks.append(answer.matches.first { $0.value.id.value == "bottle-orange" }?.rank)
    }
    // One answer after each of the nine stages.
    #expect(ranks.count == 9)
    #expect(ranks.last == 1)
    let found = ranks.map { ($0 ?? .max) <= 5 }
    #expect(found.firstIndex(of: true).map { found[$0...].allSatisfy(\.self) } == true)
  }

  @Test func `the last of the early answers is the answer`() async throws {
    let matcher = try await matcher(SteppingClock())
    let content = try content()
    var last: MatchResponse?
    var coverages: [Double] = []
    for try await answer in matcher.answers(for: content, options: all) {
      coverages.append(answer.coverage)
      last = answer
    }
    #expect(try await matcher.values(for: content, options: all) == last)
    #expect(coverages == coverages.sorted() && Set(coverages).count == coverages.count)
    #expect(last?.isComplete == true)
  }

  /// The task is cancelled by the clock itself, at one look after the other: no more than a few
  /// further looks may come before the query ends, each of which is a block of work.
  @Test func `a cancellation at any place ends the query there`() async throws {
    let whole = SteppingClock()
    var options = all
    options.timeout = .seconds(1000)
    _ = try await matcher(whole).values(for: content(), options: options)
    for stop in stride(from: 3, to: whole.lookCount, by: max(1, whole.lookCount / 40)) {
      let clock = SteppingClock { look in
        if look == stop { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
      let matcher = try await matcher(clock)
      let (content, options) = (try content(), options)
      let task = Task { try await matcher.values(for: content, options: options) }
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(clock.lookCount <= stop + 4)
    }
  }

  @Test func `a cancelled decoding throws like any other stage`() async throws {
    let matcher = try await matcher(SteppingClock())
    let bytes = try ImageDecoder().contents(ofFile: SampleShop.query("q03-bottle.jpg"))
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await matcher.content(decoding: bytes)
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test(arguments: [1, 2, 8])
  func `early answers are the same with any number of threads`(threads: Int) async throws {
    let catalogue = try await catalogue()
    let content = try content()
    func answers(_ width: Int) async throws -> [MatchResponse] {
      var all: [MatchResponse] = []
      let matcher = Matcher(unhurried: catalogue, pool: WorkerPool(width: width))
      for try await answer in matcher.answers(for: content, options: self.all) {
        all.append(answer)
      }
      return all
    }
    #expect(try await answers(threads) == answers(1))
  }

  /// Would break if a query kept its thread until it is done: when the first one ends, only two would then have got
  /// anywhere. How many have depends on when the system starts their tasks; on a quiet machine it is all of them.
  @Test func `many queries share two threads, finish and take turns`() async throws {
    let catalogue = try await catalogue()
    let pool = WorkerPool(width: 2)
    let content = try content()
    let log = Log()
    // Both threads are taken until all have asked: on a busy machine, the first would otherwise be done before the last has come.
    let gates = (0..<2).map { _ in
      Task(executorPreference: pool) {
        // Twice before the query goes to the pool.
        log.wait(until: 2, of: 64)
      }
    }
    let answers = try await withThrowingTaskGroup(of: MatchResponse.self) { group in
      for number in 0..<64 {
        group.addTask {
          let clock = SteppingClock { _ in log.add(number) }
          return try await Matcher(catalogue: catalogue, pool: pool, clock: clock)
            .values(
              for: content,
              options: MatchOptions(
                limit: 100, typeLimits: [:], minimumConfidence: 0,
                timeout: .seconds(100_000)))
        }
      }
      var answers: [MatchResponse] = []
      for try await answer in group { answers.append(answer) }
      return answers
    }
    for gate in gates { await gate.value }
    #expect(answers.count == 64 && answers.allSatisfy { $0 == answers[0] && $0.isComplete })
    let looks = log.numbers
    let firstEnd = (0..<64).map { looks.lastIndex(of: $0)! }.min()!
    // The call itself looks a few times; further looks come from stages.
    var counts = [Int](repeating: 0, count: 64)
    for number in looks[..<firstEnd] { counts[number] += 1 }
    #expect(counts.count { $0 >= 8 } > 4, "\(counts)")
  }

  /// While the pool computes, the caller's own threads must stay free.
  @Test func `a query computes on the pool alone`() async throws {
    let pool = WorkerPool(width: 1)
    let log = Log()
    let clock = SteppingClock { _ in log.add(Int(currentThread())) }
    let matcher = Matcher(catalogue: try await catalogue(), pool: pool, clock: clock)
    let before = log.numbers.count
    var options = all
    options.timeout = .seconds(1000)
    let content = try content()
    _ = try await withTaskExecutorPreference(pool) {
      try await matcher.values(for: content, options: options)
    }
    #expect(log.numbers.count > before + 100)
    #expect(Set(log.numbers[before...]).count == 1)
  }
}

/// Numbers in the order in which anybody adds them.
private final class Log: Sendable {
  private let all = Mutex<[Int]>([])

  var numbers: [Int] { all.withLock { $0 } }

  func add(_ number: Int) { all.withLock { $0.append(number) } }

  /// Waits until each number below a limit was added some times.
  func wait(until times: Int, of limit: Int) {
    while true {
      let numbers = numbers
      if (0..<limit).allSatisfy({ number in numbers.count { $0 == number } >= times }) { return }
      usleep(1000)
    }
  }
}
