internal import CCurl
internal import Synchronization

/// Asks servers for pictures, within a ``FetchPolicy``.
///
/// Every address is checked when libcurl is about to connect to it, after its name is resolved;
/// redirections are followed here, one at a time, so that each is held against the policy. Proxies of
/// the environment are passed over: behind one, nothing would be known of the address.
final class HTTPClient: Sendable {
  /// What is asked for.
  struct Request: Sendable {
    let url: String
    /// The validators of what is there already (RFC 9110, 8.8); `nil` where there are none.
    var etag: String?
    var lastModified: String?
  }

  /// What a server answered.
  struct Response: Sendable {
    let status: Int
    /// Those of ``HTTPTransfer/fieldNames``, by their names in small letters.
    let fields: [String: String]
    /// Empty unless the status is 200.
    let body: [UInt8]
  }

  private static let redirectionLimit = 5

  private let policy: FetchPolicy
  private let idle = Mutex<[HTTPTransfer]>([])

  /// Makes a client.
  ///
  /// - Throws: ``CatalogueError`` where there is no libcurl.
  init(policy: FetchPolicy) throws(CatalogueError) {
    guard cc_load() else {
      throw CatalogueError(
        code: .io, message: "nothing can be fetched without libcurl; install libcurl4")
    }
    self.policy = policy
  }

  /// Asks for a picture, and waits on the calling thread until it is here.
  ///
  /// - Parameter shouldStop: Asked now and then.
  /// - Throws: ``FetchError``; statuses are left to the caller.
  func get(
    _ request: Request, shouldStop: @escaping () -> Bool
  ) throws(FetchError) -> Response {
    guard let url = CurlURL(request.url) else {
      throw FetchError(code: .notAllowed, message: "it is no address of the web without a user")
    }
    try check(url)
    let transfer =
      idle.withLock { $0.popLast() }
      ?? HTTPTransfer(allowsEveryAddress: policy.allowsEveryAddress)
    defer { idle.withLock { $0.append(transfer) } }
    let end = ContinuousClock.now + policy.timeLimit
    var scheme = url.scheme
    for _ in 0...Self.redirectionLimit {
      let response = try transfer.get(
        url, request, byteLimit: policy.byteLimit, timeLimit: end - .now, shouldStop: shouldStop)
      guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
      guard let location = response.fields["location"], url.resolve(location) else {
        throw FetchError(code: .unusable, message: "it is redirected to nowhere")
      }
      try check(url)
      if scheme == "https" && url.scheme == "http" {
        throw FetchError(code: .notAllowed, message: "it is redirected from https to http")
      }
      scheme = url.scheme
    }
    throw FetchError(
      code: .unusable, message: "it is redirected more than \(Self.redirectionLimit) times")
  }

  /// Holds an address against the policy.
  private func check(_ url: CurlURL) throws(FetchError) {
    let (scheme, host, port) = (url.scheme, url.host, url.port)
    guard scheme == "http" || scheme == "https" else {
      throw FetchError(code: .notAllowed, message: "'\(scheme)' is neither http nor https")
    }
    guard policy.hosts.contains(where: { $0.matches(host, port: port) }) else {
      let place = port == 80 || port == 443 ? host : "\(host):\(port)"
      throw FetchError(code: .notAllowed, message: "'\(place)' is not among the allowed hosts")
    }
  }
}
