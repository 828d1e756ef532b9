#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The number of files and sockets that the process may have open.
enum DescriptorLimit {
  /// The number that the index, the log, readers and connections to a database need besides the clients.
  private static let reserve = 256

  /// Raises the limit, as far as the system permits, so that a number of clients leaves enough for everything else.
  ///
  /// - Returns: The number of clients for which it is enough, if that is less.
  static func raise(forClients count: Int) -> Int? {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
    let needed = rlim_t(count + reserve)
    guard limit.rlim_cur < needed else { return nil }
    limit.rlim_cur = min(limit.rlim_max, needed)
    _ = unsafe setrlimit(resource, &limit)
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < needed else { return nil }
    return max(0, Int(limit.rlim_cur) - reserve)
  }

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
  #else
    private static let resource = RLIMIT_NOFILE
  #endif
}
