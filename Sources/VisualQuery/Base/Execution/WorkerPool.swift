#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A pool of threads for work that computes or reads files.
///
/// Decoding and scanning take milliseconds without suspending; on the shared cooperative pool they
/// would block all other tasks. Use this executor for them:
///
/// ```swift
/// await withTaskExecutorPreference(pool) { … }
/// ```
public final class WorkerPool: TaskExecutor {
  /// The number of threads.
  package let width: Int
  private let queue: JobQueue

  /// Starts `width` threads, at least 1; `nil` means one for each processor that is online.
  public init(width: Int? = nil) {
    let width = max(1, width ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let queue = JobQueue()
    self.width = width
    self.queue = queue
    for _ in 0..<width { Self.startThread(queue) }
  }

  deinit { queue.close() }

  /// Passes a job to the next idle thread; called by the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let executor = unsafe asUnownedTaskExecutor()
    unsafe queue.append(QueuedJob(job: UnownedJob(job), executor: executor))
  }

  private static func startThread(_ queue: JobQueue) {
    // The thread owns the reference that `passRetained` takes, until it ends.
    let argument = unsafe Unmanaged.passRetained(queue).toOpaque()
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        let queue = unsafe Unmanaged<JobQueue>.fromOpaque(argument!).takeRetainedValue()
        while let next = queue.next() {
          unsafe next.job.runSynchronously(on: next.executor)
        }
        return nil
      }, argument)
    precondition(status == 0, "cannot start a thread: error \(status)")
    pthread_detach(thread)
  }
}

/// A job with the executor that it runs on.
///
/// Sound: the runtime keeps the job alive until it has run, and the job's task keeps its executor.
@safe private struct QueuedJob: Sendable {
  let job: UnownedJob
  let executor: UnownedTaskExecutor
}

/// A queue of jobs, in order of arrival, with the threads that wait for one.
///
/// `@unchecked Sendable`: `jobs` and `isClosed` are only accessed between `lock` and `unlock` of
/// the mutex below, whose memory is neither moved nor freed while a thread exists.
@safe private final class JobQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs = FIFOQueue<QueuedJob>()
  private var isClosed = false

  init() {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  func append(_ job: QueuedJob) {
    unsafe pthread_mutex_lock(mutex)
    jobs.append(job)
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Waits for a job; returns `nil` once the queue is closed and empty.
  func next() -> QueuedJob? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let job = jobs.popFirst() { return job }
      if isClosed { return nil }
      unsafe pthread_cond_wait(condition, mutex)
    }
  }

  func close() {
    unsafe pthread_mutex_lock(mutex)
    isClosed = true
    unsafe pthread_cond_broadcast(condition)
    unsafe pthread_mutex_unlock(mutex)
  }
}
