import Foundation
import Testing

@testable import VisualQueryClient

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A port that takes connections and never answers, or refuses them once it is closed.
struct SilentPort: ~Copyable {
  let address: URL
  private let handle: Int32

  init() throws {
    #if canImport(Glibc)
      handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      handle = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let handle = handle
    let port: UInt16 = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(handle, address, length) == 0, listen(handle, 8) == 0 else { return }
        _ = getsockname(handle, address, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    address = try #require(URL(string: "http://127.0.0.1:\(port)/"))
  }

  deinit { close(handle) }
}

/// Would break if a service that is slow or away held up the app, or if people read of URL errors.
@Suite struct ClientErrorTests {
  private func client(_ address: URL, timeout: Duration, _ language: String = "en") -> ShopClient {
    ShopClient(ServiceConfiguration(address: address, language: language, timeout: timeout))
  }

  @Test func `a service that does not answer is given up after the time-out`() async throws {
    let port = try SilentPort()
    let shop = client(port.address, timeout: .milliseconds(50), "de-CH")
    let error = await #expect(throws: ClientError.self) { try await shop.limits() }
    #expect(error?.code == .timedOut)
    #expect(error?.isTemporary == true)
    #expect(error?.userMessage.hasPrefix("Der Shop hat zu lange") == true)
  }

  @Test func `a cancelled question ends with CancellationError`() async throws {
    let port = try SilentPort()
    let shop = client(port.address, timeout: .seconds(60))
    let question = Task { try await shop.match(MatchQuestion(labels: ["mug"])) }
    try await Task.sleep(for: .milliseconds(50))
    question.cancel()
    await #expect(throws: CancellationError.self) { try await question.value }
  }

  @Test(arguments: ["en", "de", "fr-CA"])
  func `a service that is away is named offline in the language`(language: String) async throws {
    let address: URL
    do { address = try SilentPort().address }
    let shop = client(address, timeout: .seconds(60), language)
    let error = await #expect(throws: ClientError.self) { try await shop.limits() }
    #expect(error?.code == .offline)
    #expect(error?.localizedDescription == ErrorText.message(for: .offline, language: language))
  }

  @Test func `every code has a sentence in each language`() {
    for language in ["en", "de", "fr"] {
      let texts = ClientError.Code.allCases.map { ErrorText.message(for: $0, language: language) }
      #expect(Set(texts).count == texts.count)
      #expect(texts.allSatisfy { $0.contains(" ") })
    }
    #expect(
      ErrorText.message(for: .busy, language: "xx") == ErrorText.message(for: .busy, language: "en")
    )
  }

  @Test(arguments: [
    (401, nil, ClientError.Code.unauthorized), (404, "unknownEntity", .notFound),
    (410, "expiredToken", .expired), (422, "invalidToken", .expired),
    (415, "unsupportedFormat", .unusableImage), (413, "bodyTooLarge", .unusableImage),
    (422, "invalidFilter", .invalidQuestion), (429, "tooManyRequests", .busy),
    (503, "stopping", .busy), (500, nil, .failed), (302, nil, .failed),
  ])
  func `a status and its code become an error that an app can act on`(
    status: Int, code: String?, expected: ClientError.Code
  ) {
    let problem = code.map {
      Problem(
        title: "", status: status, detail: "d", code: $0, requestId: nil, field: nil, limit: nil,
        found: nil, userMessage: nil)
    }
    let error = ClientError(
      status: status, problem: problem, retryAfter: .seconds(2), language: "en")
    #expect(error.code == expected)
    #expect(!error.detail.isEmpty)
  }
}
