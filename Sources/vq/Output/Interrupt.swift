import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The handling of Ctrl-C and of requests to terminate.
enum Interrupt {
  /// The time that cancelled work has to end by itself.
  private static let graceSeconds = 2.0

  /// Runs work whose task is cancelled by the first SIGINT or SIGTERM.
  ///
  /// A second signal ends the process immediately with exit code 130. So does the end of the grace
  /// period, because work that waits for standard input cannot notice its cancellation.
  ///
  /// - Parameter hasGracePeriod: True if there is a grace period.
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

  /// Turns writes to a closed pipe into errors that can be handled instead of ending the process.
  static func ignoreClosedPipes() { ignore(SIGPIPE) }

  private static func ignore(_ number: Int32) {
    _ = signal(number, SIG_IGN)
  }
}
