import Foundation

/// Measures the library from inside one process. `run.py` drives it beside the peers.
///
///     vq-bench signature IMAGE ROUNDS     one line of JSON: milliseconds by part, median of ROUNDS
///     vq-bench bits IMAGE…                bits between the PDQ of the working image and of all pixels
///     vq-bench scan CODES OUT             writes CODES hashes and 100 queries to OUT, then answers
///                                         each line of standard input by one timed scan
///     vq-bench growth COUNT,… IMAGE…      one line of JSON a catalogue size: milliseconds by stage
///     vq-bench segment FILE IMAGE…        the same for a segment of an index
///     vq-bench draw FILE COUNT SEED IMAGE…   writes such a segment; other seeds give other rows
///     vq-bench segments FILE,… IMAGE…     one line of JSON: whole searches in several segments
///     vq-bench embeddings COUNT           one line of JSON: milliseconds of a scan beside that of colors
///     vq-bench queries INDEX IMAGE…       one line of JSON: queries alone, 64 at a time, cancelled
@main
enum Bench {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("signature", 3):
      try SignatureBench(path: arguments[1]).run(rounds: Int(arguments[2]) ?? 15)
    case ("bits", 2...): try BitsBench.run(arguments.dropFirst())
    case ("scan", 3): try ScanBench(codes: Int(arguments[1]) ?? 0, path: arguments[2]).serve()
    case ("growth", 4...):
      try GrowthBench.run(
        counts: arguments[1].split(separator: ",").compactMap { Int($0) },
        pictures: Array(arguments.dropFirst(2)))
    case ("segment", 3...):
      try GrowthBench.run(segment: arguments[1], pictures: Array(arguments.dropFirst(2)))
    case ("draw", 5...):
      guard let count = Int(arguments[2]), let seed = UInt64(arguments[3]) else { usage() }
      try GrowthBench.draw(
        count, seed: seed, to: arguments[1], pictures: Array(arguments.dropFirst(4)))
    case ("segments", 3...):
      try await SegmentsBench.run(
        segments: arguments[1].split(separator: ",").map(String.init),
        pictures: Array(arguments.dropFirst(2)))
    case ("embeddings", 2): try EmbeddingBench.run(count: Int(arguments[1]) ?? 0)
    case ("queries", 3...):
      try await QueryBench.run(index: arguments[1], pictures: Array(arguments.dropFirst(2)))
    default: usage()
    }
  }

  private static func usage() -> Never {
    print(
      """
      usage: vq-bench signature IMAGE ROUNDS | bits IMAGE… | scan CODES OUT | growth COUNT,… IMAGE…
             | segment FILE IMAGE… | draw FILE COUNT SEED IMAGE… | segments FILE,… IMAGE… | embeddings COUNT | queries INDEX IMAGE…
      """)
    exit(2)
  }

  /// Returns a value rounded to two decimal places.
  static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// Returns the milliseconds of one call.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let elapsed = try clock.measure(body)
  return Double(elapsed.components.attoseconds) / 1e15 + Double(elapsed.components.seconds) * 1e3
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
