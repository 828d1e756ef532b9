import Reading

/// Writes to the log which libraries did not stand an image.
struct RestartLog {
  private var known = Set(LibraryProcesses.restarts)

  /// Writes what was replaced since the last time.
  mutating func write(to log: ServerLog) {
    let restarts = LibraryProcesses.restarts
    for restart in restarts where !known.contains(restart) {
      let reason =
        switch restart.end {
        case .crashed: "crashed"
        case .stopped: "did not end at the deadline"
        case .nonsense: "answered nonsense"
        }
      log.write(
        "worker",
        "\(restart.library.rawValue) \(reason): its process was replaced, \(restart.count) so far",
        level: restart.end == .stopped ? "info" : "error")
    }
    known = Set(restarts)
  }
}
