internal import CCurl
internal import Synchronization

/// Fetches images from servers, or asks them, within a ``FetchPolicy``.
///
/// Every address is checked when libcurl is about to connect to it, after its name is resolved.
/// Redirects are followed here, one at a time, so that each is checked against the policy. Proxies
/// in the environment are ignored, because the address behind a proxy is unknown.
package final class HTTPClient: Sendable {
  /// The body of a request.
  package struct Content: Sendable {
    let type: String
    let bytes: [UInt8]
  }

  /// A request for an image or a feed, or a question with a body.
  package struct Request: Sendable {
    let url: String
    /// The accepted media types (RFC 9110, 12.5.1).
    var accept = "image/jpeg, image/png"
    /// The validators of the stored image (RFC 9110, 8.8), or `nil` if there is none.
    var etag: String?
    var lastModified: String?
    /// Further header fields, by name.
    var fields: [String: String] = [:]
    /// The body of a POST, or `nil` for a GET.
    var content: Content?
    /// True if every answer is returned as it is: with its body whatever the status, and without following
    /// redirects.
    var takesEveryAnswer = false

    package init(
      url: String, accept: String = "image/jpeg, image/png", etag: String? = nil,
      lastModified: String? = nil, fields: [String: String] = [:], content: Content? = nil,
      takesEveryAnswer: Bool = false
    ) {
      self.url = url
      self.accept = accept
      self.etag = etag
      self.lastModified = lastModified
      self.fields = fields
      self.content = content
      self.takesEveryAnswer = takesEveryAnswer
    }
  }

  /// The response of a server.
  package struct Response: Sendable {
    package let status: Int
    /// The fields in ``HTTPTransfer/fieldNames``, by name in lower case.
    let fields: [String: String]
    /// The body, which is empty unless the status is 200 or every answer is taken.
    package let body: [UInt8]
  }

  private static let redirectionLimit = 5

  private let policy: FetchPolicy
  /// The time limit of a request, including redirects.
  var timeLimit: Duration { policy.timeLimit }
  private let idle = Mutex<[HTTPTransfer]>([])

  /// Makes a client.
  ///
  /// - Throws: ``CatalogueError`` if libcurl is not installed.
  package init(policy: FetchPolicy) throws(CatalogueError) {
    guard cc_load() else {
      throw CatalogueError(
        code: .io, message: "images cannot be fetched without libcurl; install libcurl4")
    }
    self.policy = policy
  }

  /// Sends a request and blocks the calling thread until the response is received.
  ///
  /// - Parameters:
  ///   - end: The end of the time for it; `nil` for all of the time limit.
  ///   - shouldStop: Returns whether to stop; called repeatedly.
  /// - Throws: ``FetchError``; the caller handles statuses.
  package func get(
    _ request: Request, until end: ContinuousClock.Instant? = nil,
    shouldStop: @escaping () -> Bool
  ) throws(FetchError) -> Response {
    let url = try checkedURL(request.url)
    let origin = Origin(url)
    let transfer =
      idle.withLock { $0.popLast() }
      ?? HTTPTransfer(policy: policy)
    defer { idle.withLock { $0.append(transfer) } }
    let end = end ?? .now + policy.timeLimit
    var scheme = url.scheme
    for _ in 0...Self.redirectionLimit {
      // Secrets are for the host that the address names, and for none that it sends us to.
      let headers = Origin(url) == origin ? secrets(for: origin) : []
      let response = try transfer.get(
        url, request, headers: headers, byteLimit: policy.byteLimit, timeLimit: end - .now,
        shouldStop: shouldStop)
      guard [301, 302, 303, 307, 308].contains(response.status), !request.takesEveryAnswer else {
        return response
      }
      guard let location = response.fields["location"], url.resolve(location) else {
        throw FetchError(code: .unusable, message: "its redirect has no valid address")
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

  /// The host of a request, with what else decides about who answers.
  private struct Origin: Equatable {
    let (scheme, host, port): (String, String, Int)

    init(_ url: CurlURL) { (scheme, host, port) = (url.scheme, url.host.lowercased(), url.port) }

    static func == (a: Self, b: Self) -> Bool {
      (a.scheme, a.host, a.port) == (b.scheme, b.host, b.port)
    }
  }

  private func secrets(for origin: Origin) -> [String] {
    policy.headers.compactMap { $0.line(for: origin.host, port: origin.port) }
  }

  /// Reads an address and checks it against the policy.
  @discardableResult func checkedURL(_ text: String) throws(FetchError) -> CurlURL {
    guard let url = CurlURL(text) else {
      throw FetchError(
        code: .notAllowed, message: "it is not a valid http or https URL without a user name")
    }
    try check(url)
    return url
  }

  /// Checks a URL against the policy.
  private func check(_ url: CurlURL) throws(FetchError) {
    let (scheme, host, port) = (url.scheme, url.host, url.port)
    guard scheme == "http" || scheme == "https" else {
      throw FetchError(code: .notAllowed, message: "'\(scheme)' is neither http nor https")
    }
    guard policy.hosts.contains(where: { $0.matches(host, port: port) }) else {
      let authority = port == 80 || port == 443 ? host : "\(host):\(port)"
      throw FetchError(code: .notAllowed, message: "'\(authority)' is not an allowed host")
    }
  }
}
