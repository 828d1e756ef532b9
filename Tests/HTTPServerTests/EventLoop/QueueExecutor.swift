import Dispatch

/// Threads for the work of a server under test. The shared threads of tasks may all be taken by other tests.
final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "work", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    // Sound: the runtime keeps the job until it has run, and the queue keeps the closure.
    queue.async { [self] in
      withExtendedLifetime(self) { unsafe job.runSynchronously(on: executor) }
    }
  }
}
