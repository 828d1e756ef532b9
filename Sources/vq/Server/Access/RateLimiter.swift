/// The limit of requests a second: a bucket of tokens for each client, filled at a steady rate.
struct RateLimiter: Sendable {
  /// The number of requests a second, in the long run.
  let rate: Double
  /// The largest number of requests at once.
  let burst: Double
  /// The number of clients that are remembered.
  var clientCount: Int { buckets.count }
  private var buckets: [String: Bucket] = [:]

  /// Clients beyond these are forgotten, the fullest buckets first: they have nothing to lose.
  private static let clientLimit = 10_000

  private struct Bucket {
    var tokens: Double
    var filled: ContinuousClock.Instant
  }

  /// - Parameter burst: The largest number of requests at once, or `nil` for those of two seconds.
  init(rate: Double, burst: Double? = nil) {
    self.rate = rate
    self.burst = burst ?? max(1, 2 * rate)
  }

  /// Takes a token, or returns the number of seconds after which there is one.
  mutating func retryAfter(for client: String, at now: ContinuousClock.Instant) -> Int? {
    var bucket = buckets[client] ?? Bucket(tokens: burst, filled: now)
    let seconds = (now - bucket.filled) / .seconds(1)
    bucket.tokens = min(burst, bucket.tokens + seconds * rate)
    bucket.filled = now
    let isAllowed = bucket.tokens >= 1
    if isAllowed { bucket.tokens -= 1 }
    if buckets[client] == nil && buckets.count >= Self.clientLimit { forget(at: now) }
    buckets[client] = bucket
    return isAllowed ? nil : max(1, Int(((1 - bucket.tokens) / rate).rounded(.up)))
  }

  private mutating func forget(at now: ContinuousClock.Instant) {
    buckets = buckets.filter { _, bucket in
      bucket.tokens + ((now - bucket.filled) / .seconds(1)) * rate < burst
    }
    // If nearly all are busy, half of them are forgotten, so that this is seldom done.
    if buckets.count > Self.clientLimit / 2 {
      for client in Array(buckets.keys.prefix(Self.clientLimit / 2)) { buckets[client] = nil }
    }
  }
}
