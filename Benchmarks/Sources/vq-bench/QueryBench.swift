import Foundation
import PixelMatch
import Synchronization
import VisualQuery

/// Measures the promises of queries over a catalogue: the time of one query alone and of 64 at a
/// time, how soon they end when they are cancelled, and what they find within a deadline.
enum QueryBench {
  static func run(index: String, pictures paths: [String]) async throws {
    let catalogue = try Catalogue(directory: index)
    let pool = WorkerPool()
    let matcher = Matcher(catalogue: catalogue, pool: pool)
    let files = try paths.map { try ImageDecoder().contents(ofFile: $0) }
    var options = MatchOptions(timeout: nil)
    let alone = try await times(files.count) { try await ask(files[$0], matcher, options) }
    let together = try await times(1) { _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<64 {
          let (file, options) = (files[number % files.count], options)
          group.addTask { try await ask(file, matcher, options) }
        }
        try await group.waitForAll()
      }
    }
    let cancelled = try await cancellations(files, matcher, options, upTo: median(alone))
    let stages = try await stages(files, matcher, options)
    var shares: [String] = []
    for deadline in [1, 2, 5, 10, 20, 50] {
      options.timeout = .milliseconds(deadline)
      var coverage = 0.0
      for file in files {
        let content = try await matcher.content(decoding: file)
        coverage += try await matcher.values(for: content, options: options).coverage
      }
      shares.append("\"\(deadline)\": \(Bench.rounded(coverage / Double(files.count)))")
    }
    print(
      """
      {"pictures": \(catalogue.imageCount), "aloneMs": \(Bench.rounded(median(alone))), \
      "64TogetherMs": \(Bench.rounded(together[0])), "threads": \(pool.width), \
      "cancelMs": {"median": \(Bench.rounded(median(cancelled))), \
      "most": \(Bench.rounded(cancelled.max() ?? 0)), "of": \(cancelled.count)}, \
      "stageMs": \(stages.map(Bench.rounded)), \
      "coverageByDeadlineMs": {\(shares.joined(separator: ", "))}}
      """)
  }

  private static func ask(
    _ file: [UInt8], _ matcher: Matcher, _ options: MatchOptions
  ) async throws {
    let content = try await matcher.content(decoding: file)
    _ = try await matcher.values(for: content, options: options)
  }

  /// Returns the milliseconds from a cancellation, at any moment of decoding, signing and
  /// searching, to its error.
  private static func cancellations(
    _ files: [[UInt8]], _ matcher: Matcher, _ options: MatchOptions, upTo longest: Double
  ) async throws -> [Double] {
    var found: [Double] = []
    for number in 0..<400 {
      let file = files[number % files.count]
      let task = Task { try await ask(file, matcher, options) }
      try await Task.sleep(for: .microseconds(Int(longest * 1000 * Double(number % 97) / 97)))
      let start = ContinuousClock.now
      task.cancel()
      do {
        try await task.value
      } catch is CancellationError {
        found.append((ContinuousClock.now - start) / .milliseconds(1))
      }
    }
    return found
  }

  /// Returns the milliseconds of decoding, of reading the query and its labels, and of each
  /// following stage; the median of all images.
  private static func stages(
    _ files: [[UInt8]], _ matcher: Matcher, _ options: MatchOptions
  ) async throws -> [Double] {
    var all: [[Double]] = []
    for file in files {
      var last = ContinuousClock.now
      var times: [Double] = []
      func lap() {
        let now = ContinuousClock.now
        times.append((now - last) / .milliseconds(1))
        last = now
      }
      let content = try await matcher.content(decoding: file)
      lap()
      for try await _ in matcher.answers(for: content, options: options) { lap() }
      all.append(times)
    }
    return (0..<all[0].count).map { stage in median(all.map { $0[stage] }) }
  }

  private static func times(
    _ count: Int, _ body: (Int) async throws -> Void
  ) async throws -> [Double] {
    var found: [Double] = []
    for number in 0..<count {
      let start = ContinuousClock.now
      try await body(number)
      found.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    return found
  }
}
