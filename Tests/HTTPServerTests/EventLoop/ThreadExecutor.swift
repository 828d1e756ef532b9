import Foundation

/// Threads for the work of a server under test, one for each job. The threads that tasks and queues of Dispatch share may
/// all be taken by other tests, for minutes.
final class ThreadExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    // Sound: the runtime keeps the job until it has run, and the thread keeps the closure.
    let thread = Thread { [self] in
      withExtendedLifetime(self) { unsafe job.runSynchronously(on: executor) }
    }
    thread.start()
  }
}
