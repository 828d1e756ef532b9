/// The limits of what clients may cost a ``Server``.
package struct ServerConfiguration: Sendable {
  /// The limits of one request.
  package var limits = RequestParser.Limits()
  /// The largest number of connections at once.
  package var connectionLimit = 512
  /// The largest number of connections at once of one client that is neither on this machine nor a trusted proxy.
  package var connectionLimitPerClient = 128
  /// The largest number of connections beyond those, for health checks only.
  package var extraConnectionLimit = 16
  /// The largest number of bytes of requests that are held for all connections together.
  package var heldByteLimit = 256 << 20
  /// The largest number of bytes of answers that clients have not taken yet, for all connections together.
  package var answerByteLimit = 256 << 20
  /// The time from the first byte of a request to the end of its head.
  package var headerTimeout = Duration.seconds(10)
  /// The time for the whole of a body.
  package var bodyTimeout = Duration.seconds(30)
  /// The time between two bytes of a body.
  package var stallTimeout = Duration.seconds(10)
  /// The time between two requests.
  package var idleTimeout = Duration.seconds(60)
  /// The time between two bytes that the client takes of an answer.
  package var writeTimeout = Duration.seconds(20)
  /// The time for reading a whole answer: the base, and a second for each `bytesPerSecond` bytes.
  package var answerTimeout = (base: Duration.seconds(60), bytesPerSecond: 32 << 10)
  /// The longest of the timeouts above on a connection that only health checks may use.
  package var extraTimeout = Duration.seconds(2)
  /// The time for which input is discarded after an answer that leaves a request half read.
  package var lingerTimeout = Duration.seconds(1)
  /// The time from the request to stop to the end.
  package var graceTime = Duration.seconds(10)
  /// The largest number of requests that run at once.
  package var width = 2
  /// The largest number of requests that wait for a thread.
  package var queueLimit = 64
  /// The proxies that tell the addresses of their clients.
  package var trustedProxies = TrustedProxies()
  /// The origins whose pages may read answers (CORS).
  package var allowedOrigins: Set<String> = []

  package init() {}
}
