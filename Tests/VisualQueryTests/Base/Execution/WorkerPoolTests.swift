import Foundation
import Synchronization
import Testing
import VisualQuery

@Suite struct WorkerPoolTests {
  private final class Shared: Sendable {
    let threads = Mutex<Set<UInt>>([])
    let isFree = Mutex(false)
  }

  /// Would break if work ran on the shared pool, or on more threads than were asked for.
  @Test(arguments: [1, 3])
  func `work runs on so many threads of its own`(width: Int) async {
    let shared = Shared()
    let pool = WorkerPool(width: width)
    #expect(pool.width == width)
    await withTaskExecutorPreference(pool) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask {
            shared.threads.withLock { _ = $0.insert(UInt(pthread_self())) }
            usleep(500)
          }
        }
      }
    }
    #expect((1...width).contains(shared.threads.withLock { $0.count }))
  }

  /// Would hang if the pool's work held up the tasks of everybody else.
  @Test func `blocked workers keep nobody else waiting`() async {
    let shared = Shared()
    let pool = WorkerPool(width: 1)
    let blocked = Task(executorPreference: pool) {
      while !shared.isFree.withLock({ $0 }) { usleep(100) }
    }
    await Task { shared.isFree.withLock { $0 = true } }.value
    await blocked.value
  }
}
