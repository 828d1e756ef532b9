import Synchronization

/// A reason why the server answers less well than it should. `/readyz` tells it to everybody, so its message has no
/// path of the server and no name of a key.
struct Degradation: Sendable, Hashable, Encodable {
  /// The stable code of a reason, for programs. `/readyz` lists reasons in this order.
  enum Code: String, Sendable, Encodable, CaseIterable {
    /// The newest generation is damaged, and an earlier one answers.
    case earlierGeneration
    /// The file of keys cannot be read, and the keys before its last change are valid.
    case keyFile
    /// A shard of engine mode lacks rows, or has damaged ones: answers are incomplete.
    case damagedShard
  }

  let code: Code
  let message: String
}

/// The reasons for which a server is degraded, apart from the state of its catalogue.
///
/// A server with such a reason still answers, so it stays ready: a load balancer that took it away, or a supervisor
/// that restarted it, would only make it worse.
final class Degradations: Sendable {
  private struct Record {
    let message: String
    /// The instant from which on the reason no longer counts.
    let end: ContinuousClock.Instant?
  }

  private let records = Mutex<[Degradation.Code: Record]>([:])

  /// Adds a reason, or replaces the message of the one with the same code.
  ///
  /// - Parameter duration: The time after which it ends unless it is reported again, or `nil` if ``end(_:)`` ends it.
  func report(_ code: Degradation.Code, _ message: String, for duration: Duration? = nil) {
    let record = Record(message: message, end: duration.map { .now + $0 })
    records.withLock { $0[code] = record }
  }

  /// Removes a reason.
  func end(_ code: Degradation.Code) { records.withLock { $0[code] = nil } }

  /// The reasons that hold now, in the order of their codes.
  var all: [Degradation] {
    let now = ContinuousClock.now
    let records = records.withLock { $0 }
    return Degradation.Code.allCases.compactMap { code in
      guard let record = records[code], record.end.map({ now < $0 }) ?? true else { return nil }
      return Degradation(code: code, message: record.message)
    }
  }
}
