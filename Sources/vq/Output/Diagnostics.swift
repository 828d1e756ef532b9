import Synchronization

/// Where messages go: standard error, each message beginning with `vq: `.
///
/// It also keeps the one line of progress at the bottom of a terminal out of the messages' way.
/// What cannot be written is dropped: there is nowhere left to say so.
final class Diagnostics: Sendable {
  /// Whether a line of progress may be drawn and drawn again.
  let canRedraw: Bool
  private let usesColor: Bool
  private let columns: @Sendable () -> Int?
  private let deliver: @Sendable ([UInt8]) -> Void
  private let status = Mutex<String?>(nil)

  /// - Parameters:
  ///   - usesColor: Whether the prefix is coloured.
  ///   - canRedraw: Whether the descriptor is a terminal that can erase a line.
  ///   - columns: The width of the terminal at this moment.
  ///   - deliver: Takes bytes to standard error.
  init(
    usesColor: Bool, canRedraw: Bool,
    columns: @escaping @Sendable () -> Int? = { FileDescriptor.standardError.columns },
    deliver: @escaping @Sendable ([UInt8]) -> Void = {
      try? FileDescriptor.standardError.write($0)
    }
  ) {
    self.usesColor = usesColor
    self.canRedraw = canRedraw
    self.columns = columns
    self.deliver = deliver
  }

  /// The columns that a line of progress may take.
  var width: Int { columns() ?? 80 }

  /// Says what failed, and what to do next.
  ///
  /// - Parameters:
  ///   - message: What, where and why; control characters in it are spelled out.
  ///   - advice: What to do next, a line each, indented below the message.
  func error(_ message: String, advice: [String] = []) {
    say(message, advice: advice, color: ANSI.red)
  }

  /// Says what was skipped or is doubtful, while the work goes on.
  func warning(_ message: String, advice: [String] = []) {
    say(message, advice: advice, color: ANSI.yellow)
  }

  /// Says what is good to know.
  func note(_ message: String) { say(message, advice: [], color: ANSI.bold) }

  /// Writes a text as it is, such as a help that was not asked for.
  func write(_ text: String) { put(text) }

  /// Draws the line of progress, or takes it away.
  ///
  /// - Parameter line: An escaped line that fits the width, or `nil`.
  func showStatus(_ line: String?) {
    guard canRedraw else { return }
    status.withLock { status in
      guard status != line else { return }
      status = line
      deliver(Array((ANSI.eraseLine + (line ?? "")).utf8))
    }
  }

  private func say(_ message: String, advice: [String], color: (String) -> String) {
    let prefix = usesColor ? color("vq:") : "vq:"
    let lines =
      ["\(prefix) \(DisplayText.escaped(message))"]
      + advice.map { "    " + DisplayText.escaped($0) }
    put(lines.joined(separator: "\n") + "\n")
  }

  private func put(_ text: String) {
    status.withLock { status in
      let text = status.map { ANSI.eraseLine + text + $0 } ?? text
      deliver(Array(text.utf8))
    }
  }
}
