import Foundation
import Synchronization
import Testing

@testable import HTTPServer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The server with sockets, and a service that only echoes; `Tests/System/server` has the clients that misbehave.
@Suite struct ServerTests {
  /// Runs a server while `body` asks it.
  private func serving(
    _ body: @escaping @Sendable (URL, EchoService) async throws -> Void
  ) async throws -> EchoService {
    let echo = EchoService()
    let mailbox = try Mailbox()
    let listener = try Socket.listening(at: .host("127.0.0.1", port: 0))
    let base = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
    var configuration = ServerConfiguration()
    configuration.graceTime = .seconds(5)
    let settings = configuration
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await Self.onOwnThread {
          try Server(
            listeners: [listener], service: echo, mailbox: mailbox,
            pool: ThreadExecutor(), configuration: settings
          ).run()
        }
      }
      let outcome: Result<Void, any Error>
      do {
        outcome = .success(try await body(base, echo))
      } catch {
        outcome = .failure(error)
      }
      mailbox.post(.stop)
      try await group.waitForAll()
      try outcome.get()
    }
    return echo
  }

  /// Runs a function that blocks apart from the threads of tasks.
  private static func onOwnThread(
    _ body: @escaping @Sendable () throws -> Void
  ) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result(catching: body)) }.start()
    }
  }

  private static func post(_ url: URL, _ body: String) async throws -> (Data, Int?) {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    let (data, response) = try await URLSession.shared.data(for: request)
    return (data, (response as? HTTPURLResponse)?.statusCode)
  }

  @Test func `many clients are answered, each with its own`() async throws {
    let echo = try await serving { base, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            let (data, status) = try await Self.post(base.appending(path: "x"), "body \(number)")
            #expect(status == 200 && data == Data("body \(number)".utf8))
          }
        }
        try await group.waitForAll()
      }
      #expect(
        try await Self.post(base.appending(path: "x"), String(repeating: "a", count: 1001)).1 == 413
      )
      #expect(
        try await URLSession.shared.data(from: base.appending(path: "now")).0 == Data("now".utf8))
    }
    let exchanges = echo.exchanges.withLock { $0 }
    #expect(exchanges.count == 42 && exchanges.allSatisfy { $0.outcome == .answered })
  }

  @Test func `a client that hangs up has its work cancelled`() async throws {
    let echo = try await serving { base, echo in
      let asking = Task { try await Self.post(base.appending(path: "wait"), "a") }
      while echo.waiting.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
      asking.cancel()
      while echo.cancelled.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
    #expect(echo.exchanges.withLock { $0 }.map(\.outcome) == [.clientGone])
  }
}
