internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A client of a shop's `vq serve`.
///
/// ```swift
/// let shop = ShopClient(ServiceConfiguration(address: URL(string: "https://search.shop.example/")!))
/// let answer = try await shop.match(MatchQuestion(image: .file(jpeg), labels: ["mug"]))
/// ```
///
/// Every call ends with the answer, with ``ClientError``, or, if its task is cancelled, with `CancellationError`.
public struct ShopClient: Sendable {
  /// The address of the service, and how it is asked.
  public var configuration: ServiceConfiguration

  /// Makes a client.
  public init(_ configuration: ServiceConfiguration) { self.configuration = configuration }

  /// Returns a client that asks in another language.
  public func speaking(_ language: String) -> ShopClient {
    var client = self
    client.configuration.language = language
    return client
  }

  // MARK: Requests

  /// A parameter of a query.
  typealias Parameter = (name: String, value: String?)

  func get<Answer: Decodable>(_ path: String, _ parameters: [Parameter] = []) async throws -> Answer
  {
    try await answer(to: request(path, parameters))
  }

  func post<Answer: Decodable>(_ path: String, _ body: Data, type: String) async throws -> Answer {
    var request = try request(path, [])
    request.httpMethod = "POST"
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    request.httpBody = body
    return try await answer(to: request)
  }

  func post<Answer: Decodable>(_ path: String, _ question: some Encodable) async throws -> Answer {
    try await post(path, JSONEncoder().encode(question), type: "application/json")
  }

  /// Returns the URL of a path with percent-encoded parameters. A colon in the path begins no scheme.
  func url(_ path: String, _ parameters: [Parameter] = []) -> URL? {
    let query = parameters.compactMap { parameter in
      parameter.value.map { "\(parameter.name)=\(Self.encoded($0))" }
    }
    return ServiceAddress.url(
      "/v1/" + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
      base: configuration.address)
  }

  /// Percent-encodes all that is not unreserved, commas too: lists have theirs between the encoded words.
  static func encoded(_ text: String) -> String {
    let bytes: [String] = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        return String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return bytes.joined()
  }

  private func request(_ path: String, _ parameters: [Parameter]) throws -> URLRequest {
    guard let url = url(path, parameters) else {
      throw error(.invalidQuestion, "'\(path)' does not make a URL")
    }
    return authorized(URLRequest(url: url))
  }

  /// Returns a request with the key and the language.
  func authorized(_ request: URLRequest) -> URLRequest {
    var request = request
    if let key = configuration.key {
      request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    }
    request.setValue(configuration.language, forHTTPHeaderField: "Accept-Language")
    return request
  }

  func error(_ code: ClientError.Code, _ detail: String) -> ClientError {
    ClientError(code, detail, language: configuration.language)
  }

  private func answer<Answer: Decodable>(to request: URLRequest) async throws -> Answer {
    let data = try await success(of: request)
    let decoder = JSONDecoder()
    decoder.userInfo[ServiceAddress.key] = configuration.address
    do {
      return try decoder.decode(Answer.self, from: data)
    } catch {
      throw self.error(.failed, "the answer is not as expected: \(error)")
    }
  }

  /// The time before another attempt if a busy service does not tell one.
  private static let pause = Duration.milliseconds(250)

  /// Returns the body of a successful answer, within ``ServiceConfiguration/timeout``.
  ///
  /// A service that is busy or starting is asked again after the time that it names, if that is within the timeout.
  func success(of request: URLRequest) async throws -> Data {
    let end = ContinuousClock.now + configuration.timeout
    while true {
      let (data, response) = try await data(for: request, until: end)
      if (200..<300).contains(response.statusCode) { return data }
      let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
      let error = ClientError(
        status: response.statusCode,
        problem: try? JSONDecoder().decode(Problem.self, from: data),
        retryAfter: seconds.map { .seconds($0) }, language: configuration.language)
      let next = ContinuousClock.now + max(error.retryAfter ?? .zero, Self.pause)
      guard error.code == .busy, next < end else { throw error }
      try await Task.sleep(until: next, clock: .continuous)
    }
  }

  /// Sends a request, and waits until a time for its answer.
  private func data(
    for request: URLRequest, until end: ContinuousClock.Instant
  ) async throws -> (Data, HTTPURLResponse) {
    let (timeout, session) = (configuration.timeout, configuration.session)
    var request = request
    // By default, the session gives up after 60 s without data, which may be earlier than our own timeout.
    request.timeoutInterval = timeout / .seconds(1) + 1
    let late = error(.timedOut, "the service did not answer within \(timeout)")
    let sent = request
    do {
      let (data, response) = try await withThrowingTaskGroup(of: (Data, URLResponse).self) {
        group in
        group.addTask { try await session.data(for: sent) }
        group.addTask {
          try await Task.sleep(until: end, clock: .continuous)
          throw late
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw late }
        return first
      }
      guard let response = response as? HTTPURLResponse else {
        throw error(.failed, "the answer is not one of HTTP")
      }
      return (data, response)
    } catch let failure as URLError {
      if Task.isCancelled { throw CancellationError() }
      throw ClientError(failure, language: configuration.language)
    }
  }
}
