import HTTPServer
import Reading
import Synchronization
import VisualQuery

/// The metrics of the server, in Prometheus's text format 0.0.4.
final class Metrics: Sendable {
  /// Seconds; a request's duration is counted under the first that is not below it.
  private static let buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
  /// The upper bounds of the same histogram for a step of a match.
  private static let stepBuckets = [
    0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
  ]

  /// The same for how far an answer ended past its deadline; those in time are at 0.
  private static let overrunBuckets = [0, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

  private struct Key: Hashable {
    let route: String
    let status: Int
  }

  private struct Histogram {
    let bounds: [Double]
    var counts: [Int]
    var count = 0
    var sum = 0.0

    init(_ bounds: [Double]) {
      self.bounds = bounds
      counts = [Int](repeating: 0, count: bounds.count)
    }

    mutating func add(_ duration: Duration) {
      let seconds = duration / .seconds(1)
      if let bucket = bounds.firstIndex(where: { seconds <= $0 }) { counts[bucket] += 1 }
      count += 1
      sum += seconds
    }
  }

  private struct State {
    var requests: [Key: Int] = [:]
    var cancelled: [String: Int] = [:]
    var durations: [String: Histogram] = [:]
    var steps: [QueryStep: Histogram] = [:]
    var overruns = Histogram(Metrics.overrunBuckets)
    var waitSeconds = 0.0
    var bytesIn = 0
    var bytesOut = 0
    var answers: [String: Int] = [:]
    var missingShards: [Int: Int] = [:]
    var damagedRows: [Int: Int] = [:]
    var droppedLogLines = 0
    var load = ServerLoad()
  }

  private let state = Mutex(State())
  private let start = HTTPDate.unixTime

  /// Counts a request that has ended.
  func count(_ exchange: Exchange) {
    state.withLock { state in
      switch exchange.outcome {
      case .clientGone: state.cancelled[exchange.route, default: 0] += 1
      case .answered:
        state.requests[Key(route: exchange.route, status: exchange.status), default: 0] += 1
        state.durations[exchange.route, default: Histogram(Self.buckets)].add(exchange.duration)
      }
      state.waitSeconds += exchange.wait / .seconds(1)
      state.bytesIn += exchange.bytesIn
      state.bytesOut += exchange.bytesOut
    }
  }

  /// Counts an answer of the matcher by its result: `matched`, `empty` or `incomplete`.
  func countAnswer(_ result: String) {
    state.withLock { $0.answers[result, default: 0] += 1 }
  }

  /// Counts the time of a step of a match.
  func count(_ step: QueryStep, _ time: Duration) {
    state.withLock { $0.steps[step, default: Histogram(Self.stepBuckets)].add(time) }
  }

  /// Counts how far the answer to a match ended past its deadline.
  func countOverrun(_ time: Duration) {
    state.withLock { $0.overruns.add(max(.zero, time)) }
  }

  /// Counts that a shard did not answer a query, or sent damaged rows.
  func countShard(_ number: Int, isMissing: Bool = false, damagedRows: Int = 0) {
    state.withLock { state in
      if isMissing { state.missingShards[number, default: 0] += 1 }
      if damagedRows > 0 { state.damagedRows[number, default: 0] += damagedRows }
    }
  }

  /// Records the load.
  func observe(_ load: ServerLoad) { state.withLock { $0.load = load } }

  /// Counts a line of the log that was dropped.
  func countDroppedLogLine() { state.withLock { $0.droppedLogLines += 1 } }

  /// The figures of a generation.
  struct CatalogueFigures: Sendable {
    let generation: Int
    let products: Int
    let stores: Int
    let images: Int
  }

  /// The figures of a copy of a catalogue in PostgreSQL.
  struct ReplicaFigures: Sendable {
    /// The newest generation in PostgreSQL.
    let generation: Int
    /// The seconds since the copy had the newest generation, or `nil` if it never had.
    let lag: Double?
    let isFollowing: Bool
  }

  /// Returns all figures.
  func text(
    _ catalogue: CatalogueFigures?, _ replica: ReplicaFigures? = nil, hasProcesses: Bool = false,
    runs: [RunFigures] = [], traces: Tracer.Counts? = nil, disk: DiskFigures? = nil
  ) -> String {
    let state = state.withLock { $0 }
    var lines: [String] = []
    func family(_ name: String, _ type: String, _ help: String, _ samples: [(String, String)]) {
      guard !samples.isEmpty else { return }
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
      lines += samples.map { "\(name)\($0.0) \($0.1)" }
    }
    family(
      "vq_requests_total", "counter", "Requests that were answered.",
      state.requests.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }.map {
        ("{route=\"\($0.key.route)\",status=\"\($0.key.status)\"}", "\($0.value)")
      })
    family(
      "vq_requests_cancelled_total", "counter", "Requests whose client hung up before the answer.",
      state.cancelled.sorted { $0.key < $1.key }.map { ("{route=\"\($0.key)\"}", "\($0.value)") })
    lines += histograms(
      "vq_request_duration_seconds", "From a request's last byte to its answer.", "route",
      state.durations.sorted { $0.key < $1.key })
    family(
      "vq_queue_seconds_total", "counter", "Time that requests waited for a thread.",
      [("", "\(state.waitSeconds)")])
    family(
      "vq_match_answers_total", "counter", "Answers to matches, by what came of them.",
      state.answers.sorted { $0.key < $1.key }.map { ("{result=\"\($0.key)\"}", "\($0.value)") })
    lines += histograms(
      "vq_match_step_seconds", "The time of each step of a match.", "step",
      QueryStep.allCases.compactMap { step in state.steps[step].map { (step.rawValue, $0) } })
    if state.overruns.count > 0 {
      lines += histograms(
        "vq_match_overrun_seconds",
        "From the deadline of a match, or its end for another client, to its answer; 0 if in time.",
        "", [("", state.overruns)])
    }
    func shards(_ counts: [Int: Int]) -> [(String, String)] {
      counts.sorted { $0.key < $1.key }.map { ("{shard=\"\($0.key)\"}", "\($0.value)") }
    }
    family(
      "vq_match_missing_shards_total", "counter",
      "Answers to matches that lack a shard of engine mode, by its number.",
      shards(state.missingShards))
    family(
      "vq_match_damaged_rows_total", "counter",
      "Rows of a shard that were left out of answers, by its number.", shards(state.damagedRows))
    family("vq_received_bytes_total", "counter", "Bytes of requests.", [("", "\(state.bytesIn)")])
    family("vq_sent_bytes_total", "counter", "Bytes of answers.", [("", "\(state.bytesOut)")])
    family(
      "vq_log_lines_dropped_total", "counter", "Lines of the log that nobody took in time.",
      [("", "\(state.droppedLogLines)")])
    if let traces {
      family(
        "vq_trace_spans_total", "counter", "Spans of traces, by what became of them.",
        [
          ("{result=\"sent\"}", "\(traces.sent)"),
          ("{result=\"crowdedOut\"}", "\(traces.crowdedOut)"),
          ("{result=\"refused\"}", "\(traces.refused)"),
        ])
    }
    family("vq_connections", "gauge", "Open connections.", [("", "\(state.load.connections)")])
    family("vq_requests_running", "gauge", "Requests at work.", [("", "\(state.load.running)")])
    family(
      "vq_requests_waiting", "gauge", "Requests that wait for a thread.",
      [("", "\(state.load.waiting)")])
    family(
      "vq_requests_cut_total", "counter", "Matches that ended early for another client.",
      [("", "\(state.load.cutCount)")])
    if let catalogue {
      family(
        "vq_catalogue_generation", "gauge", "The generation that is searched.",
        [("", "\(catalogue.generation)")])
      family(
        "vq_catalogue_entities", "gauge", "Entities in the catalogue.",
        [
          ("{type=\"product\"}", "\(catalogue.products)"),
          ("{type=\"store\"}", "\(catalogue.stores)"),
        ])
      family(
        "vq_catalogue_images", "gauge", "Images in the catalogue.", [("", "\(catalogue.images)")])
    }
    if let disk {
      family(
        "vq_index_disk_free_bytes", "gauge", "Bytes that are free on the disk of the index.",
        [("", "\(disk.freeBytes)")])
      family(
        "vq_index_disk_bytes", "gauge", "Bytes of the disk of the index.",
        [("", "\(disk.byteCount)")])
    }
    if let replica {
      family(
        "vq_replica_newest_generation", "gauge", "The newest generation in PostgreSQL.",
        [("", "\(replica.generation)")])
      family(
        "vq_replica_lag_seconds", "gauge", "Time since the copy had the newest generation.",
        replica.lag.map { [("", "\($0)")] } ?? [])
      family(
        "vq_replica_following", "gauge", "1 if PostgreSQL is followed.",
        [("", replica.isFollowing ? "1" : "0")])
    }
    if hasProcesses {
      family(
        "vq_workers", "gauge", "Processes that run libraries.", [("", "\(LibraryProcesses.count)")])
      family(
        "vq_model_workers", "gauge", "Processes that hold models.",
        [("", "\(LibraryProcesses.modelCount)")])
      family(
        "vq_worker_restarts_total", "counter",
        "Processes of libraries that were replaced, by the library and why.",
        LibraryProcesses.restarts.map {
          ("{library=\"\($0.library.rawValue)\",reason=\"\($0.end.rawValue)\"}", "\($0.count)")
        })
    }
    for metric in RunFigures.families(of: runs) {
      family(metric.name, "gauge", metric.help, metric.samples.map { ($0.labels, $0.value) })
    }
    family(
      "vq_build_info", "gauge", "1, with the version of the program.",
      [("{version=\"\(Version.current)\"}", "1")])
    let process = ProcessFigures()
    family(
      "process_resident_memory_bytes", "gauge", "Resident memory.",
      [("", "\(process.residentBytes)")])
    family(
      "process_cpu_seconds_total", "counter", "Processor time.", [("", "\(process.cpuSeconds)")])
    family(
      "process_start_time_seconds", "gauge", "When the server began, in Unix time.",
      [("", "\(start)")])
    return lines.joined(separator: "\n") + "\n"
  }

  /// - Parameter label: The name of the label, or an empty text for a single histogram without one.
  private func histograms(
    _ name: String, _ help: String, _ label: String, _ histograms: [(key: String, value: Histogram)]
  ) -> [String] {
    guard !histograms.isEmpty else { return [] }
    var lines = ["# HELP \(name) \(help)", "# TYPE \(name) histogram"]
    for (key, histogram) in histograms {
      let own = label.isEmpty ? "" : "\(label)=\"\(key)\""
      let (bucket, all) = own.isEmpty ? ("", "") : ("\(own),", "{\(own)}")
      var sum = 0
      for (bound, count) in zip(histogram.bounds, histogram.counts) {
        sum += count
        lines.append("\(name)_bucket{\(bucket)le=\"\(bound)\"} \(sum)")
      }
      lines.append("\(name)_bucket{\(bucket)le=\"+Inf\"} \(histogram.count)")
      lines.append("\(name)_sum\(all) \(histogram.sum)")
      lines.append("\(name)_count\(all) \(histogram.count)")
    }
    return lines
  }
}
