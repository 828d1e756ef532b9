import Foundation
import TestSupport
import Testing
import VisualQuery

@testable import HTTPServer
@testable import vq

/// Health checks and metrics.
@Suite struct HealthTests {
  /// Would hang if the event loop looked for a generation for one of these answers: the thread that does so is blocked.
  @Test func `health and metrics are answered while the catalogue is being opened`() async throws {
    let (isBlocked, blocked) = AsyncStream.makeStream(of: Void.self)
    let mayGoOn = DispatchSemaphore(value: 0)
    let shop = try await ServedShop(
      appIDs: ["TEAM.app"],
      onCatalogueError: { _ in
        blocked.yield()
        mayGoOn.wait()
      })
    func status(_ path: String) throws -> Int? {
      try shop.immediateAnswer(to: "GET /\(path)")?.status
    }
    let paths = ["livez", "readyz", "metrics", ".well-known/apple-app-site-association"]
    #expect(try paths.map(status) == [200, 200, 200, 200])
    try FileManager.default.removeItem(atPath: shop.index)
    let service = shop.service
    let search = Task(executorPreference: service.shop.pool) {
      try? service.shop.catalogue.newest()
    }
    for await _ in isBlocked { break }
    // The newest generation is gone, and the one that is open goes on answering.
    #expect(try paths.map(status) == [200, 200, 200, 200])
    mayGoOn.signal()
    #expect(await search.value != nil)
    let answer = try #require(try shop.immediateAnswer(to: "GET /readyz"))
    #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix("degraded: "))
  }

  /// Would break if nobody who watches the figures saw that a night has failed, or a name of a feed broke their lines.
  @Test func `the last run of each feed is told`() throws {
    let folder = try TemporaryDirectory()
    let history = RunHistory(directory: folder.path, now: { 1_700_000_000 })
    let runs = ServedRuns(directory: folder.path)
    #expect(runs.figures.isEmpty)
    var result = RunRecord.Result()
    result.after[.product, .entities] = 3
    result.kept[.product, .image] = 2
    let name = #"/srv/a "b"\c.csv"#
    try history.end(try history.begin(feed: name), .done, generation: 4, result)
    try history.end(try history.begin(feed: name), .refused, generation: 4, result)
    runs.refresh()
    let lines = Metrics().text(nil, runs: runs.figures).split(separator: "\n")
    let label = #"feed="a \"b\"\\c.csv""#
    #expect(lines.contains("vq_index_last_run_timestamp_seconds{\(label)} 1700000000"))
    #expect(lines.contains("vq_index_last_run_success{\(label),outcome=\"refused\"} 0"))
    #expect(lines.contains("vq_index_last_success_timestamp_seconds{\(label)} 1700000000"))
    #expect(
      lines.contains("vq_index_kept_values{\(label),type=\"product\",field=\"image\"} 2"))
    #expect(
      lines.contains("vq_index_coverage{\(label),type=\"product\",field=\"entities\"} 3"))
    _ = try history.begin(feed: name)
    runs.refresh()
    #expect(Metrics().text(nil, runs: runs.figures).contains(#"outcome="unfinished"} 0"#))
  }

  /// Would break if a shard that is down or damaged were not seen by somebody who watches the figures, or if the
  /// figures of an index without shards had lines about them.
  @Test func `shards that fail are counted by their numbers`() {
    let metrics = Metrics()
    #expect(!metrics.text(nil).contains("shard"))
    metrics.countShard(2, isMissing: true)
    metrics.countShard(10, isMissing: true)
    metrics.countShard(2, isMissing: true)
    metrics.countShard(0, damagedRows: 3)
    metrics.countShard(0, damagedRows: 4)
    let lines = metrics.text(nil).split(separator: "\n").filter {
      $0.contains("shard") && !$0.hasPrefix("#")
    }
    #expect(
      lines == [
        #"vq_match_missing_shards_total{shard="2"} 2"#,
        #"vq_match_missing_shards_total{shard="10"} 1"#,
        #"vq_match_damaged_rows_total{shard="0"} 7"#,
      ])
  }

  /// Would break if a load balancer took away a server that still answers, or if an operator did not see why it is degraded.
  @Test func `a degraded server is ready and names its reasons`() async throws {
    let shop = try await ServedShop()
    func document() async throws -> [String: Any] {
      try await shop.json("GET /readyz", ["Accept: application/json"])
    }
    #expect(try await document()["status"] as? String == "ok")
    #expect(try await (document()["reasons"] as? [Any])?.isEmpty == true)
    let degradations = shop.service.shop.degradations
    degradations.report(.damagedShard, "shard 1 lacks rows")
    let answer = try await shop.ask("GET /readyz")
    #expect(answer.status == 200)
    #expect(answer.body == Array("degraded: shard 1 lacks rows\n".utf8))
    let degraded = try await document()
    #expect(degraded["status"] as? String == "degraded")
    #expect(
      degraded["reasons"] as? [[String: String]]
        == [["code": "damagedShard", "message": "shard 1 lacks rows"]])
    degradations.report(.damagedShard, "shard 1 lacked rows", for: .zero)
    #expect(try await shop.ask("GET /readyz").body == Array("ok\n".utf8))
    degradations.report(.damagedShard, "again")
    degradations.end(.damagedShard)
    #expect(try await document()["status"] as? String == "ok")
  }

  @Test func `readiness names the damaged file, and who asks gets 503 until it is restored`()
    async throws
  {
    let shop = try await ServedShop()
    #expect(try await shop.ask("GET /readyz").body == Array("ok\n".utf8))
    let generation = try shop.service.shop.catalogue.newest().generation
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: shop.index)
        .first { $0.hasSuffix(".segment") })
    let file = shop.index + "/" + name
    let bytes = try #require(FileManager.default.contents(atPath: file))
    let handle = try #require(FileHandle(forWritingAtPath: file))
    try handle.truncate(atOffset: 8192)
    let picture = try #require(
      FileManager.default.contents(atPath: SampleShop.image("oats.jpg")))
    func match() async throws -> Int {
      try await shop.ask("POST /v1/match", ["Content-Type: image/jpeg"], Array(picture)).status
    }
    #expect(try await match() == 503)
    let problem = try await shop.json("GET /readyz")
    #expect(problem["code"] as? String == "catalogueUnavailable")
    let detail = try #require(problem["detail"] as? String)
    #expect(detail.contains("generation \(generation) ") && detail.contains("'\(name)'"))
    #expect(!detail.contains(shop.folder.path))
    try handle.truncate(atOffset: 0)
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: bytes)
    #expect(try await match() == 200)
    #expect(try await shop.ask("GET /readyz").body == Array("ok\n".utf8))
  }

  @Test func `figures are in Prometheus's form`() async throws {
    let shop = try await ServedShop()
    for status in [200, 200, 404] {
      shop.service.record(
        Exchange(
          info: nil, identity: RequestIdentity(), route: "/v1/match", outcome: .answered,
          status: status, bytesIn: 10, bytesOut: 20, duration: .milliseconds(30),
          wait: .milliseconds(5), computing: .milliseconds(25)))
    }
    let text = String(decoding: try await shop.ask("GET /metrics").body, as: UTF8.self)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(
        line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+/) != nil)
    }
    #expect(text.contains(#"vq_requests_total{route="/v1/match",status="200"} 2"#))
    #expect(text.contains(#"vq_request_duration_seconds_bucket{route="/v1/match",le="0.05"} 3"#))
    #expect(text.contains(#"vq_request_duration_seconds_bucket{route="/v1/match",le="0.025"} 0"#))
    #expect(text.contains("vq_catalogue_entities{type=\"product\"} 28"))
    #expect(!text.contains("vq_match_step"))
  }

  /// Would break if an operator did not see answers that end after their deadline, or if those in time counted as late.
  @Test func `answers after their deadline are counted by how late they are`() async throws {
    let metrics = Metrics()
    #expect(!metrics.text(nil).contains("overrun"))
    for milliseconds in [-200, -1, 3, 30, 2000] {
      metrics.countOverrun(.milliseconds(milliseconds))
    }
    let lines = metrics.text(nil).split(separator: "\n")
    for line in [
      "# TYPE vq_match_overrun_seconds histogram", #"vq_match_overrun_seconds_bucket{le="0.0"} 2"#,
      #"vq_match_overrun_seconds_bucket{le="0.025"} 3"#,
      #"vq_match_overrun_seconds_bucket{le="1.0"} 4"#,
      #"vq_match_overrun_seconds_bucket{le="+Inf"} 5"#, "vq_match_overrun_seconds_sum 2.033",
      "vq_match_overrun_seconds_count 5",
    ] { #expect(lines.contains(Substring(line)), "\(line)") }
  }

  /// Would break if an operator did not see which step of a match is slow.
  @Test func `the steps of a match have histograms`() async throws {
    let shop = try await ServedShop()
    let picture = try #require(
      FileManager.default.contents(atPath: SampleShop.query("q06-oats.jpg")))
    for _ in 1...2 {
      let answer = try await shop.ask(
        "POST /v1/match", ["Content-Type: image/jpeg"], Array(picture))
      #expect(answer.status == 200)
    }
    let text = String(decoding: try await shop.ask("GET /metrics").body, as: UTF8.self)
    for step in ["decoding", "glance", "signature", "hashes", "geometry", "ranking", "lookup"] {
      #expect(text.contains("vq_match_step_seconds_count{step=\"\(step)\"} 2\n"), "\(step)")
      #expect(text.contains("vq_match_step_seconds_bucket{step=\"\(step)\",le=\"+Inf\"} 2\n"))
      #expect(text.contains("vq_match_step_seconds_sum{step=\"\(step)\"} "))
    }
    #expect(text.contains("vq_match_overrun_seconds_count 2\n"))
    #expect(!text.contains("step=\"text\"") && !text.contains("step=\"shards\""))
    #expect(text.components(separatedBy: "# TYPE vq_match_step_seconds histogram\n").count == 2)
    // Of a copy of the shop's own image, a glance is all.
    let own = try #require(FileManager.default.contents(atPath: SampleShop.image("kettle.jpg")))
    _ = try await shop.ask("POST /v1/match", ["Content-Type: image/jpeg"], Array(own))
    let after = String(decoding: try await shop.ask("GET /metrics").body, as: UTF8.self)
    for (step, count) in [("decoding", 3), ("glance", 3), ("signature", 2), ("geometry", 2)] {
      #expect(after.contains("vq_match_step_seconds_count{step=\"\(step)\"} \(count)\n"), "\(step)")
    }
  }
}
