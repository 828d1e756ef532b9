import Foundation
import Meter

/// What an input may cost: memory that is allocated, also if it is freed again, and processor time, each as a number for the whole
/// and one for each byte.
///
/// The bounds are generous, since the sanitizers make everything slower: a loop over two counts of a row is beyond them at some ten
/// thousand bytes.
enum Cost {
  /// The bytes that any input may allocate, and those for each of its bytes.
  private static let (fixedBytes, bytesPerByte) = (512 << 20, 128 << 10)
  /// The nanoseconds of processor time that any input may take, and those for each of its bytes.
  private static let (fixedTime, timePerByte) = (8_000_000_000, 1_000_000)

  /// Runs something with an input, and traps if it costs too much. Tells libFuzzer how much each byte cost.
  static func check(byteCount: Int, _ run: () -> Void) {
    let start = clock_gettime_nsec()
    meter_begin()
    run()
    let (bytes, time) = (Int(meter_allocated()), clock_gettime_nsec() - start)
    let size = max(byteCount, 256)
    meter_reach(0, degree(of: bytes / size))
    meter_reach(1, degree(of: time / size))
    precondition(
      bytes <= fixedBytes + bytesPerByte * byteCount,
      "\(byteCount) bytes of input made \(bytes) bytes")
    precondition(
      time <= fixedTime + timePerByte * byteCount,
      "\(byteCount) bytes of input took \(time / 1_000_000) ms")
  }

  /// Returns four degrees for each power of two.
  private static func degree(of cost: Int) -> UInt32 {
    let cost = max(4, cost)
    let power = cost.bitWidth - 1 - cost.leadingZeroBitCount
    return UInt32(4 * power + (cost >> (power - 2)) & 3)
  }

  /// The processor time of the process in nanoseconds. It does not count the time of other programs.
  private static func clock_gettime_nsec() -> Int {
    var time = timespec()
    // Sound: the function writes one value, which lives until it returns.
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
