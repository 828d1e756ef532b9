import Synchronization

/// What is said to the thread that serves, by any other.
final class Mailbox: Sendable {
  enum Message: Sendable {
    /// The answer to the request of a connection.
    case finished(connection: UInt64, HTTPResponse)
    /// Accept no more, finish what is there, and end.
    case stop
  }

  let wakeup: Wakeup
  private let messages = Mutex<[Message]>([])

  init() throws(SocketError) { wakeup = try Wakeup() }

  func post(_ message: Message) {
    messages.withLock { $0.append(message) }
    wakeup.signal()
  }

  /// All messages, in their order.
  func take() -> [Message] {
    wakeup.clear()
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
