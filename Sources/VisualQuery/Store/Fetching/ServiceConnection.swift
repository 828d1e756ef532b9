/// A connection to a service that the user names, which may be on this machine or in a private network.
///
/// Only its own host and port are asked, and no redirect is followed.
package struct ServiceConnection: Sendable {
  /// The reason why a request has no answer.
  package struct Failure: Error, Sendable, Hashable {
    /// The kind of a failure.
    package enum Code: Sendable, CaseIterable {
      /// The address is not that of a service.
      case invalidAddress
      /// The service cannot be reached.
      case unreachable
      /// The answer was not received in time.
      case tooSlow
      /// The answer is larger than the limit.
      case unusable
      /// The task was cancelled.
      case cancelled
    }

    package let code: Code
    package let message: String
  }

  /// The answer to a request, with any status.
  package struct Answer: Sendable {
    package let status: Int
    /// The header fields `content-type`, `location` and `retry-after`, as far as the answer has them.
    package let fields: [String: String]
    package let body: [UInt8]
  }

  /// The most bytes of an answer.
  private static let byteLimit = 16_000_000

  /// The address without a slash at the end.
  package let address: String
  /// The time for a request and its answer.
  package let timeLimit: Duration
  private let client: HTTPClient

  /// Makes a connection; nothing is sent.
  ///
  /// - Parameter address: An address of http or https, with a path if the service is beneath one.
  /// - Throws: ``Failure`` with the code `invalidAddress`; ``CatalogueError`` without libcurl.
  package init(_ address: String, timeLimit: Duration) throws {
    func invalid(_ reason: String) -> Failure {
      Failure(
        code: .invalidAddress,
        message:
          "'\(ShownAddress.of(address))' \(reason); expected the address of a service, such as http://127.0.0.1:8080"
      )
    }
    guard address.contains("://") else { throw invalid("lacks http:// or https://") }
    // Creating a client loads libcurl, which is needed to parse addresses.
    _ = try HTTPClient(policy: FetchPolicy([]))
    guard !address.contains(where: { "?#".contains($0) || $0.isWhitespace }),
      let url = CurlURL(address)
    else { throw invalid("is not an address without a user, query and fragment") }
    guard ["http", "https"].contains(url.scheme) else {
      throw invalid("begins with neither http:// nor https://")
    }
    guard let host = HostPattern("\(url.host):\(url.port)") else { throw invalid("has no host") }
    var policy = FetchPolicy([host], byteLimit: Self.byteLimit, timeLimit: timeLimit)
    policy.allowsEveryAddress = true
    self.client = try HTTPClient(policy: policy)
    self.timeLimit = timeLimit
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
  }

  /// Sends a request and blocks the calling thread until the answer is received, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - path: A path of the service with its parameters, which begins with a slash.
  ///   - content: The media type and the bytes of a POST, or `nil` for a GET.
  package func ask(
    _ path: String, accept: String = "application/json", fields: [String: String] = [:],
    content: (type: String, bytes: [UInt8])? = nil
  ) throws(Failure) -> Answer {
    let request = HTTPClient.Request(
      url: address + path, accept: accept, fields: fields,
      content: content.map { HTTPClient.Content(type: $0.type, bytes: $0.bytes) },
      takesEveryAnswer: true)
    do throws(FetchError) {
      let response = try client.get(request, shouldStop: { Task.isCancelled })
      return Answer(status: response.status, fields: response.fields, body: response.body)
    } catch {
      throw failure(error)
    }
  }

  /// Fetches an image that an answer names and blocks the calling thread; `nil` if it cannot be fetched.
  ///
  /// A path is one of the service. Other addresses are asked as a browser would, without the key, if they are public.
  package func image(at address: String, fields: [String: String]) -> [UInt8]? {
    if address.hasPrefix("/"), !address.hasPrefix("//") {
      let answer = try? ask(address, accept: "image/jpeg, image/png", fields: fields)
      return answer?.status == 200 ? answer?.body : nil
    }
    guard let url = CurlURL(address), let host = HostPattern("\(url.host):\(url.port)"),
      let client = try? HTTPClient(policy: FetchPolicy([host], timeLimit: timeLimit))
    else { return nil }
    let response = try? client.get(
      HTTPClient.Request(url: address), shouldStop: { Task.isCancelled })
    return response?.status == 200 ? response?.body : nil
  }

  private func failure(_ error: FetchError) -> Failure {
    if error == HTTPTransfer.tooSlow {
      let milliseconds = Int(timeLimit / .milliseconds(1))
      return Failure(
        code: .tooSlow, message: "'\(address)' did not answer within \(milliseconds) ms")
    }
    return switch error.code {
    case .cancelled: Failure(code: .cancelled, message: error.message)
    case .unavailable, .busy, .later:
      Failure(code: .unreachable, message: "cannot reach '\(address)': \(error.message)")
    case .missing, .notAllowed, .unusable:
      Failure(
        code: .unusable, message: "the answer of '\(address)' cannot be used: \(error.message)")
    }
  }
}
