#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

import PixelMatch
import VisualQuery

/// Reads all segments of the generation that is served, after it was opened and once a day, and compares their checksums.
///
/// A search compares what it reads itself, before it is first used. This finds damage that no search has met, and damage
/// that came later. The catalogue is then no longer given out (``CurrentCatalogue``).
struct SegmentWatch: Sendable {
  let catalogue: ServedCatalogue

  /// The bytes that are read in a second, so that searches have the memory and the disk for themselves.
  static let byteRate = 128_000_000
  /// The time after which all segments are read again.
  static let interval = Duration.seconds(86_400)
  /// The time between two looks for segments that were not read.
  private static let pause = Duration.seconds(1)

  /// Runs until the task is cancelled.
  func run() async {
    var next = ContinuousClock.now + Self.interval
    repeat {
      guard let served = try? catalogue.newest() else { continue }
      let isDue = next <= .now
      if isDue { next = .now + Self.interval }
      served.verifySegments(where: { isDue || !$0.wasVerified }, goingOnIf: Self.waits(toRead:))
    } while (try? await Task.sleep(for: Self.pause)) != nil
  }

  /// Waits as long as it takes at ``byteRate`` to read some bytes, at most 16 MB: the thread has nothing else to do.
  ///
  /// - Returns: False if the task was cancelled.
  private static func waits(toRead byteCount: Int) -> Bool {
    usleep(UInt32(byteCount * 1_000_000 / byteRate))
    return !Task.isCancelled
  }
}
