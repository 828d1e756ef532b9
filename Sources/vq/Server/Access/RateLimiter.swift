/// A limit of what each client takes in a second, of requests or of their time: a bucket of tokens, filled at a steady rate.
struct RateLimiter: Sendable {
  /// The number of tokens a second, in the long run.
  let rate: Double
  /// The largest number of tokens at once.
  let burst: Double
  /// The number of clients that are remembered.
  var clientCount: Int { buckets.count }
  private var buckets: [String: Bucket] = [:]

  /// The number of clients that are remembered. Beyond it, the clients with the fullest buckets are forgotten: for
  /// them, a new bucket makes no difference.
  private static let clientLimit = 10_000

  private struct Bucket {
    var tokens: Double
    var filled: ContinuousClock.Instant
  }

  /// - Parameter burst: The largest number of tokens at once, or `nil` for those of two seconds.
  init(rate: Double, burst: Double? = nil) {
    self.rate = rate
    self.burst = burst ?? max(1, 2 * rate)
  }

  /// Takes a token, or returns the number of seconds after which there is one.
  mutating func retryAfter(for client: String, at now: ContinuousClock.Instant) -> Int? {
    let tokens = self.tokens(of: client, at: now)
    let isAllowed = tokens >= 1
    set(isAllowed ? tokens - 1 : tokens, of: client, at: now)
    return isAllowed ? nil : seconds(until: 1 - tokens)
  }

  /// Takes tokens whether there are any or not: what was used is known only afterwards.
  mutating func take(_ count: Double, from client: String, at now: ContinuousClock.Instant) {
    set(tokens(of: client, at: now) - count, of: client, at: now)
  }

  /// Returns the number of seconds until a client has paid back what it took beyond its tokens; `nil` if it took no more.
  func debt(of client: String, at now: ContinuousClock.Instant) -> Int? {
    let tokens = tokens(of: client, at: now)
    return tokens >= 0 ? nil : seconds(until: -tokens)
  }

  private func tokens(of client: String, at now: ContinuousClock.Instant) -> Double {
    guard let bucket = buckets[client] else { return burst }
    return min(burst, bucket.tokens + (now - bucket.filled) / .seconds(1) * rate)
  }

  private mutating func set(
    _ tokens: Double, of client: String, at now: ContinuousClock.Instant
  ) {
    if buckets[client] == nil && buckets.count >= Self.clientLimit { forget(at: now) }
    buckets[client] = Bucket(tokens: tokens, filled: now)
  }

  /// The number of seconds in which tokens come, at least 1.
  private func seconds(until tokens: Double) -> Int { max(1, Int((tokens / rate).rounded(.up))) }

  private mutating func forget(at now: ContinuousClock.Instant) {
    buckets = buckets.filter { _, bucket in
      bucket.tokens + ((now - bucket.filled) / .seconds(1)) * rate < burst
    }
    // If most clients are active, half of them are forgotten at once, so that this pass is rare: those with the most tokens,
    // so that nobody gets rid of a debt by asking from many addresses.
    guard buckets.count > Self.clientLimit / 2 else { return }
    let fullest = buckets.keys.map { (client: $0, tokens: tokens(of: $0, at: now)) }
      .sorted { ($1.tokens, $0.client) < ($0.tokens, $1.client) }
    for (client, _) in fullest.prefix(Self.clientLimit / 2) { buckets[client] = nil }
  }
}
