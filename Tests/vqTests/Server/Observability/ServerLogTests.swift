import Foundation
import Synchronization
import TestSupport
import Testing

@testable import vq

/// The server's log.
@Suite struct ServerLogTests {
  private struct Full: Error {}

  /// Would break if the process ended while a line was on its way, or if two threads wrote at once.
  @Test func `the end waits for lines that are being written`() async {
    let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let lines = Mutex<[String]>([])
    let log = ServerLog(deliver: { bytes in
      begun.signal()
      gate.wait()
      lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    })
    log.write("first", "a")
    await Self.wait(for: begun)
    log.write("second", "b")
    async let ended: Void = log.finish(within: .seconds(60))
    #expect(lines.withLock { $0.isEmpty })
    gate.signal()
    gate.signal()
    await ended
    let written = lines.withLock { $0 }
    #expect(written.count == 2 && written[0].contains("first") && written[1].contains("second"))
  }

  /// Would break if a full pipe that nobody reads kept the server from ending.
  @Test(.timeLimit(.minutes(30)))
  func `the end does not wait for a reader for ever`() async {
    let gate = DispatchSemaphore(value: 0)
    let log = ServerLog(deliver: { _ in gate.wait() })
    log.write("first", "a")
    await log.finish(within: .milliseconds(20))
    gate.signal()
  }

  /// Would break if lines that cannot be written, as on a full disk, were lost without being counted.
  @Test func `lines that cannot be written are counted`() async {
    let count = Mutex(0)
    let log = ServerLog(
      deliver: { _ in throw Full() }, dropped: { count.withLock { $0 += 1 } })
    for _ in 0..<5 { log.write("event", "a\nb") }
    await log.finish(within: .seconds(60))
    #expect(count.withLock { $0 } == 5)
  }

  private static func wait(for semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      Thread {
        semaphore.wait()
        continuation.resume()
      }.start()
    }
  }
}
