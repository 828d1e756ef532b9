import HTTPServer
import Synchronization
import VisualQuery

/// The answers to requests with an `Idempotency-Key`, so that a client which did not get its answer can send the request
/// again: it gets that answer, and nothing is written again.
///
/// They are in memory. After a restart, a repeated request is made again.
final class RepeatableRequests: Sendable {
  /// The key of a request.
  struct Key: Sendable {
    /// The client, and the key that it chose.
    fileprivate let name: String
    fileprivate let body: [UInt8]

    /// Reads the key of a request, or returns `nil` if it has none.
    init?(_ request: HTTPRequest, client: String?) throws(Problem) {
      let given = request.info.head.fields.values("idempotency-key")
      guard let text = given.first else { return nil }
      guard given.count == 1, (1...255).contains(text.utf8.count),
        text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        throw Problem(
          .badRequest, "the key of a request has 1 to 255 characters of ASCII without blanks",
          field: "Idempotency-Key")
      }
      name = "\(client ?? "") \(text)"
      body = SHA256.hash(request.body)
    }
  }

  /// The most answers that are kept.
  static let countLimit = 1000
  /// The most bytes of all kept answers.
  static let byteLimit = 16_777_216

  private struct Entry {
    let body: [UInt8]
    /// The answer, or `nil` while the request is being worked on.
    var response: HTTPResponse?
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// The names of the answers that are there, the oldest first.
    var finished: [String] = []
    var byteCount = 0
  }

  private let state = Mutex(State())

  /// Begins a request, or returns the answer that it had before.
  ///
  /// - Throws: ``Problem`` if the same request is being worked on, or the key was that of another one.
  func begin(_ key: Key) throws(Problem) -> HTTPResponse? {
    let known = state.withLock { state in
      let known = state.entries[key.name]
      if known == nil { state.entries[key.name] = Entry(body: key.body) }
      return known
    }
    guard let known else { return nil }
    guard known.body == key.body else {
      throw Problem(
        .reusedKey, "this key came with another body; a new request needs a new one",
        field: "Idempotency-Key")
    }
    guard let response = known.response else {
      throw Problem(
        .catalogueBusy, "the first request with this key is still being worked on; try again",
        field: "Idempotency-Key", retryAfter: 1)
    }
    return response
  }

  /// Ends a request.
  ///
  /// - Parameter response: The answer to keep, or `nil` if the request failed and may be made again.
  func finish(_ key: Key, _ response: HTTPResponse?) {
    state.withLock { state in
      guard state.entries[key.name]?.response == nil else { return }
      guard let response else {
        state.entries[key.name] = nil
        return
      }
      state.entries[key.name] = Entry(body: key.body, response: response)
      state.finished.append(key.name)
      state.byteCount += response.body.count
      while state.finished.count > Self.countLimit
        || (state.byteCount > Self.byteLimit && state.finished.count > 1)
      {
        let oldest = state.entries.removeValue(forKey: state.finished.removeFirst())
        state.byteCount -= oldest?.response?.body.count ?? 0
      }
    }
  }
}
