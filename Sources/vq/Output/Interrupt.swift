import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What Ctrl-C and a request to terminate do to the work.
enum Interrupt {
  /// How long cancelled work has to end by itself.
  private static let graceSeconds = 2.0

  /// Runs the work; the first SIGINT or SIGTERM cancels its task.
  ///
  /// The second one ends the process with exit code 130 at once. So does the end of the grace
  /// period: work that waits for standard input cannot see that it is cancelled.
  ///
  /// - Parameter hasGracePeriod: Whether there is such a period.
  static func cancelling<Outcome: Sendable>(
    hasGracePeriod: Bool, _ work: @escaping @concurrent @Sendable () async -> Outcome
  ) async -> Outcome {
    let task = Task { await work() }
    let queue = DispatchQueue(label: "vq.interrupt")
    let sources = [SIGINT, SIGTERM].map { number in
      ignore(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      // Without `@Sendable` the closure would inherit the caller's actor, and trap on this queue.
      source.setEventHandler { @Sendable in
        if task.isCancelled { _exit(ExitCode.interrupted.rawValue) }
        task.cancel()
        guard hasGracePeriod else { return }
        queue.asyncAfter(deadline: .now() + graceSeconds) { @Sendable in
          _exit(ExitCode.interrupted.rawValue)
        }
      }
      source.activate()
      return source
    }
    let outcome = await task.value
    for source in sources { source.cancel() }
    return outcome
  }

  /// Makes a write to a closed pipe an error that can be handled instead of the end of the process.
  static func ignoreClosedPipes() { ignore(SIGPIPE) }

  private static func ignore(_ number: Int32) {
    _ = signal(number, SIG_IGN)
  }
}
