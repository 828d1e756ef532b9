import Synchronization

/// Messages of other threads to the event loop.
package final class Mailbox: Sendable {
  package enum Message: Sendable {
    /// The answer to the request of a connection.
    case finished(connection: UInt64, HTTPResponse)
    /// Accept no more connections, answer what was asked, and end.
    case stop
  }

  let wakeup: Wakeup
  private let messages = Mutex<[Message]>([])

  package init() throws(SocketError) { wakeup = try Wakeup() }

  /// Adds a message and wakes the event loop.
  package func post(_ message: Message) {
    messages.withLock { $0.append(message) }
    wakeup.signal()
  }

  /// Removes and returns all messages, oldest first.
  func take() -> [Message] {
    wakeup.clear()
    return messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
