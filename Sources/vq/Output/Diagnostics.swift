import Synchronization

/// The output for messages: standard error, each message with the prefix `vq: `.
///
/// It also keeps messages and the progress line at the bottom of a terminal apart. Output that
/// cannot be written is dropped, because there is no other place to report it.
final class Diagnostics: Sendable {
  /// True if a progress line may be drawn repeatedly.
  let canRedraw: Bool
  private let usesColor: Bool
  private let columns: @Sendable () -> Int?
  private let deliver: @Sendable ([UInt8]) -> Void
  private let status = Mutex<String?>(nil)

  /// - Parameters:
  ///   - usesColor: True if the prefix is colored.
  ///   - canRedraw: True if the descriptor is a terminal that can erase a line.
  ///   - columns: Returns the current width of the terminal.
  ///   - deliver: Writes bytes to standard error.
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

  /// The width of a progress line, in columns.
  var width: Int { columns() ?? 80 }

  /// Reports a failure with advice on what to do next.
  ///
  /// - Parameters:
  ///   - message: The failure with its location and reason; control characters in it are escaped.
  ///   - advice: Lines with what to do next, indented below the message.
  func error(_ message: String, advice: [String] = []) {
    say(message, advice: advice, color: ANSI.red)
  }

  /// Reports something that was skipped or is doubtful while the work goes on.
  func warning(_ message: String, advice: [String] = []) {
    say(message, advice: advice, color: ANSI.yellow)
  }

  /// Reports useful information.
  func note(_ message: String) { say(message, advice: [], color: ANSI.bold) }

  /// Writes a text unchanged, such as the help after a mistake.
  func write(_ text: String) { put(text) }

  /// Draws the progress line, or erases it.
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
