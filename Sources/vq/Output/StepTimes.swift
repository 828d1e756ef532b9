import Synchronization
import VisualQuery

/// The time of one query, by its steps.
struct StepTimes: Sendable, Hashable {
  /// The time of one step.
  struct Step: Sendable, Hashable {
    let name: String
    let time: Duration
    /// The share of the time of the query.
    let share: Double
    /// The longest block of work in it, if blocks were measured.
    var block: Duration?

    /// The time in milliseconds, with two decimals.
    var milliseconds: String { Self.milliseconds(time) }

    static func milliseconds(_ time: Duration) -> String {
      let hundredths = Int((100 * (time / .milliseconds(1))).rounded())
      return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }
  }

  /// The steps in the order in which they ran; then the rest: reading the file, waiting for a thread, and what lies between the steps.
  let steps: [Step]

  /// - Parameters:
  ///   - times: The times of the steps that ran.
  ///   - elapsed: The time of the whole query.
  ///   - blocks: The longest block of work of each step, in which it did not look at the clock; empty without a deadline.
  init(
    _ times: [QueryStep: Duration], elapsed: Duration, blocks: [QueryStep: Duration] = [:]
  ) {
    let known = times.values.reduce(.zero, +)
    let whole = max(elapsed, known)
    func step(_ name: String, _ time: Duration) -> Step {
      Step(name: name, time: time, share: whole == .zero ? 0 : time / whole)
    }
    steps =
      QueryStep.allCases.compactMap { name in
        times[name].map {
          var step = step(name.rawValue, $0)
          step.block = blocks[name]
          return step
        }
      }
      + [step("other", whole - known)]
  }

  /// The length of the bar of a whole query in text.
  private static let barLength = 40.0

  /// Returns a table with a bar for each step.
  func lines(width: Int, usesColor: Bool) -> [String] {
    let hasBlocks = steps.contains { $0.block != nil }
    var table = TextTable(
      columns: [.init("STEP"), .init("MS", .right), .init("SHARE", .right)]
        + (hasBlocks ? [.init("BLOCK MS", .right)] : []) + [.init("", minimumWidth: 1)])
    for step in steps {
      table.append(
        [step.name, step.milliseconds, "\(Int((100 * step.share).rounded())) %"]
          + (hasBlocks ? [step.block.map(Step.milliseconds) ?? ""] : [])
          + [String(repeating: "#", count: Int((Self.barLength * step.share).rounded()))])
    }
    return table.lines(width: width, usesColor: usesColor)
  }
}

/// Adds up the times of the steps of one query.
final class StepRecorder: Sendable {
  private let times = Mutex<[QueryStep: Duration]>([:])

  /// Adds the time of a step.
  func add(_ step: QueryStep, _ time: Duration) {
    times.withLock { $0[step, default: .zero] += time }
  }

  /// Returns the times of a query that took some time in all.
  func times(of elapsed: Duration, blocks: [QueryStep: Duration]) -> StepTimes {
    StepTimes(times.withLock { $0 }, elapsed: elapsed, blocks: blocks)
  }
}
