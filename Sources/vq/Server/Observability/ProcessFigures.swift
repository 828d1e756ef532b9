#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import VisualQuery

/// The memory and processor time of the process.
struct ProcessFigures: Sendable {
  let residentBytes: Int
  let cpuSeconds: Double

  init() {
    var usage = rusage()
    // Sound: the call fills one structure, which outlives it.
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    residentBytes = Self.residentPages() * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The second number of `/proc/self/statm`.
  private static func residentPages() -> Int {
    let file = FileBytes.openFile("/proc/self/statm")
    guard file >= 0 else { return 0 }
    defer { _ = close(file) }
    let parts = (FileBytes.read(0..<128, of: file) ?? []).split(separator: UInt8(ascii: " "))
    return parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? 0 : 0
  }
}
