import Synchronization
import Testing

@testable import vq

@Suite struct ProgressLineTests {
  struct Shown: Sendable, CustomTestStringConvertible {
    let progress: Progress
    let line: String
    var testDescription: String { line }

    init(_ done: Int, of total: Int?, refused: Int = 0, after elapsed: Duration, _ line: String) {
      progress = Progress(done: done, total: total, refused: refused, elapsed: elapsed)
      self.line = line
    }
  }

  @Test(arguments: [
    Shown(0, of: nil, after: .zero, "indexing 0"),
    Shown(0, of: 0, after: .seconds(1), "indexing 0/0"),
    Shown(3, of: 100, after: .milliseconds(100), "indexing 3/100  3 %"),
    Shown(50, of: nil, after: .seconds(10), "indexing 50  5.0/s"),
    Shown(
      50, of: 200, refused: 2, after: .seconds(10),
      "indexing 50/200  25 %  5.0/s  30 s left  2 rejected"),
    Shown(
      1000, of: 100_000, after: .seconds(10), "indexing 1000/100000  1 %  100/s  16 min 30 s left"),
    Shown(1, of: 1000, after: .seconds(10), "indexing 1/1000  0 %  0.1/s  2 h 46 min left"),
    Shown(200, of: 200, after: .seconds(10), "indexing 200/200  100 %  20/s"),
    // The total is an estimate, and may be too low.
    Shown(201, of: 200, after: .seconds(10), "indexing 201/200  100 %  20/s"),
  ])
  func `shows what is known`(shown: Shown) {
    #expect(shown.progress.rendered("indexing", width: 80) == shown.line)
  }

  @Test func `what matters least goes first where it is narrow`() {
    let progress = Progress(done: 50, total: 200, refused: 2, elapsed: .seconds(10))
    let lines = [51, 50, 40, 30, 20, 10].map { progress.rendered("indexing", width: $0) }
    #expect(
      lines == [
        "indexing 50/200  25 %  5.0/s  30 s left  2 rejected",
        "indexing 50/200  5.0/s  30 s left  2 rejected",
        "indexing 50/200  30 s left  2 rejected",
        "indexing 50/200  2 rejected",
        "indexing 50/200",
        "indexing …",
      ])
    for width in 0...60 {
      #expect(DisplayText.width(progress.rendered("indexing", width: width)) <= width)
    }
  }

  /// Returns what is written when a work of 100 s reports every 10 ms, in lines or redrawings.
  private func written(canRedraw: Bool) -> [String] {
    let sink = StandardOutputTests.Sink()
    let time = Mutex(Duration.zero)
    let diagnostics = Diagnostics(
      usesColor: false, canRedraw: canRedraw, columns: { 40 }, deliver: sink.take)
    let line = ProgressLine("indexing", on: diagnostics, elapsed: { time.withLock { $0 } })
    for step in 0..<10_000 {
      time.withLock { $0 = .milliseconds(10 * step) }
      line.update(done: step, total: 10_000, refused: 0)
    }
    line.finish()
    return sink.deliveries.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a terminal is redrawn ten times a second at most, and left clean`() {
    let lines = written(canRedraw: true)
    #expect(lines.count == 1001)
    #expect(lines.allSatisfy { $0.hasPrefix("\r\u{1B}[K") && !$0.contains("\n") })
    #expect(lines.allSatisfy { DisplayText.width(String($0.dropFirst(4))) < 40 })
    #expect(lines.last == "\r\u{1B}[K")
  }

  @Test func `elsewhere a plain line is written every five seconds`() {
    let lines = written(canRedraw: false)
    #expect(lines.count == 19)
    #expect(lines.first == "vq: indexing 500/10000  5 %  100/s  1 min 35 s left\n")
    #expect(lines.allSatisfy { !$0.contains("\u{1B}") && $0.hasSuffix("\n") })
  }
}
